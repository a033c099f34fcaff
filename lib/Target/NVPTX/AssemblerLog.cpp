#include "lib/Target/NVPTX/AssemblerLog.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;

namespace tilewright {

char UnknownArchError::ID = 0;

void UnknownArchError::log(raw_ostream &stream) const { stream << message; }

std::error_code UnknownArchError::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

/// Sets `value` to the number before `unit` in the line, if that is larger.
static void readAmount(StringRef line, StringRef unit, unsigned &value) {
  const size_t at = line.find(unit);
  if (at == StringRef::npos)
    return;
  StringRef before = line.substr(0, at).rtrim();
  StringRef digits = before.substr(before.find_last_not_of("0123456789") + 1);
  unsigned amount = 0;
  if (!digits.getAsInteger(10, amount))
    value = std::max(value, amount);
}

/// Whether the line is an advisory (C75xx) or a warning. Ordinary facts about
/// the kernel are neither.
static bool isAdvice(StringRef line) {
  return line.contains("warning") || line.contains("(C7") ||
         line.contains("Potential Performance Loss");
}

void readAssemblerLog(StringRef log, Assembly &assembly) {
  AssemblyResources &resources = assembly.resources;
  SmallVector<StringRef> lines;
  log.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    // The linker's own report includes memory that it adds itself.
    if (!line.starts_with("ptxas") && !line.starts_with(" "))
      continue;
    readAmount(line, " registers", resources.registers);
    readAmount(line, " bytes spill stores", resources.spillStores);
    readAmount(line, " bytes spill loads", resources.spillLoads);
    readAmount(line, " bytes stack frame", resources.stackBytes);
    readAmount(line, " bytes smem", resources.sharedBytes);
    if (isAdvice(line))
      assembly.advice.push_back(line.trim().str());
  }
  if (resources.spillStores || resources.spillLoads)
    assembly.advice.push_back(
        "registers are spilled to memory: " +
        std::to_string(resources.spillStores) + " bytes stored, " +
        std::to_string(resources.spillLoads) + " bytes loaded by each thread");
}

} // namespace tilewright
