#include "lib/Target/NVPTX/PtxEntry.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/Function.h"

#include <algorithm>

using namespace llvm;
using namespace tilewright;

static constexpr StringLiteral kEntry(".entry "), kBody("\n{"),
    kThreads(".reqntid "), kMinCtas(".minnctapersm "),
    kMaxRegisters(".maxnreg ");

/// Returns the product of a list such as "128, 1, 1".
static int64_t multiply(StringRef list) {
  SmallVector<StringRef> sizes;
  list.split(sizes, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  int64_t product = 1;
  for (StringRef size : sizes) {
    int64_t count = 1;
    if (!size.trim().getAsInteger(10, count))
      product *= std::max<int64_t>(count, 1);
  }
  return product;
}

PtxEntry::PtxEntry(StringRef ptx) : ptx(ptx) {
  size_t begin = ptx.find(kEntry);
  if (begin == StringRef::npos)
    return;
  directives = ptx.slice(begin, ptx.find(kBody, begin));
  size_t threads = directives.find(kThreads);
  if (threads == StringRef::npos)
    return;
  StringRef list = directives.drop_front(threads + kThreads.size());
  list = list.take_until([](char letter) { return letter == '\n'; });
  numThreads = multiply(list);
  afterThreads = list.end() - ptx.begin() + 1;
}

bool PtxEntry::hasMinCtas() const { return directives.contains(kMinCtas); }

bool PtxEntry::hasMaxRegisters() const {
  return directives.contains(kMaxRegisters);
}

std::string PtxEntry::withMinCtas(int64_t numCtas) const {
  if (numThreads == 0)
    return "";
  StringRef rest = ptx.drop_front(afterThreads);
  if (rest.starts_with(kMinCtas))
    rest = rest.drop_front(rest.find('\n') + 1);
  return (ptx.take_front(afterThreads) + kMinCtas + Twine(numCtas) + "\n" +
          rest)
      .str();
}

int64_t tilewright::countThreads(const Function &kernel) {
  return multiply(kernel.getFnAttribute("nvvm.reqntid").getValueAsString());
}
