#include "dialect/Tile/TileAsmRegisters.h"

#include "dialect/Tile/TileDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::tile;
using llvm::StringRef;

static constexpr unsigned kWordBits = 32;

unsigned tilewright::tile::getAsmRegisterBits(char letter) {
  switch (letter) {
  case 'h':
    return 16;
  case 'r':
  case 'f':
    return 32;
  case 'l':
  case 'd':
    return 64;
  default:
    return 0;
  }
}

unsigned tilewright::tile::getAsmElementBits(Type element) {
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

unsigned tilewright::tile::getNumAsmRegisters(Type element, unsigned pack) {
  unsigned bits = getAsmElementBits(element);
  return bits >= kWordBits ? pack : llvm::divideCeil(bits * pack, kWordBits);
}

/// Returns the letter of the register that `entry`, without `=`, names, or 0.
static char getLetter(StringRef entry, llvm::ArrayRef<char> outputs) {
  unsigned number;
  if (!entry.getAsInteger(10, number))
    return number < outputs.size() ? outputs[number] : 0;
  return entry.size() == 1 && getAsmRegisterBits(entry[0]) ? entry[0] : 0;
}

std::optional<AsmRegisters> AsmRegisters::parse(StringRef constraints,
                                                std::string &problem) {
  AsmRegisters registers;
  llvm::SmallVector<StringRef> entries;
  constraints.split(entries, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef entry : entries) {
    entry = entry.trim();
    if (entry == "~{memory}")
      continue;
    StringRef name = entry;
    bool isOutput = name.consume_front("=");
    if (isOutput)
      name.consume_front("&");
    char letter =
        getLetter(name, isOutput ? llvm::ArrayRef<char>() : registers.outputs);
    if (!letter || (isOutput && !registers.inputs.empty())) {
      problem = ("'" + entry + "'").str();
      return std::nullopt;
    }
    (isOutput ? registers.outputs : registers.inputs).push_back(letter);
  }
  return registers;
}
