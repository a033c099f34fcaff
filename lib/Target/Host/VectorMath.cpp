#include "lib/Target/Host/VectorMath.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <dlfcn.h>

using namespace llvm;

namespace tilewright::host {

namespace {
struct MathFunction {
  StringRef name;
  /// LLVM has an intrinsic of this name.
  bool hasIntrinsic;
  unsigned operands;
};

/// A vector calling convention: its letter in the vector ABI's names and the
/// width of its registers in bits.
struct VectorAbi {
  char letter;
  unsigned bits;
};
} // namespace

static constexpr MathFunction kFunctions[] = {
    {"acos", true, 1},   {"acosh", false, 1}, {"asin", true, 1},
    {"asinh", false, 1}, {"atan", true, 1},   {"atan2", true, 2},
    {"atanh", false, 1}, {"cbrt", false, 1},  {"cos", true, 1},
    {"cosh", true, 1},   {"erf", false, 1},   {"erfc", false, 1},
    {"exp", true, 1},    {"exp10", true, 1},  {"exp2", true, 1},
    {"expm1", false, 1}, {"hypot", false, 2}, {"log", true, 1},
    {"log10", true, 1},  {"log1p", false, 1}, {"log2", true, 1},
    {"pow", true, 2},    {"sin", true, 1},    {"sinh", true, 1},
    {"tan", true, 1},    {"tanh", true, 1},
};

static void *vectorMathLibrary() {
  // Never closed: compiled kernels hold addresses in the library.
  static void *library = dlopen(kVectorMathLibrary, RTLD_NOW);
  return library;
}

bool isVectorMathPresent() { return vectorMathLibrary() != nullptr; }

static SmallVector<VectorAbi> vectorAbis(const Triple &triple,
                                         const MCSubtargetInfo &subtarget) {
  if (triple.isAArch64())
    return {{'n', 128}};
  if (triple.getArch() != Triple::x86_64)
    return {};
  SmallVector<VectorAbi> abis;
  // A processor without the wider registers cannot pass arguments of the wider
  // conventions.
  if (subtarget.checkFeatures("+sse4.1"))
    abis.push_back({'b', 128});
  if (subtarget.checkFeatures("+avx2"))
    abis.push_back({'d', 256});
  if (subtarget.checkFeatures("+avx512f"))
    abis.push_back({'e', 512});
  return abis;
}

void VectorMath::addFunction(StringRef name, bool hasIntrinsic,
                             unsigned operands, char abi, unsigned registerBits,
                             bool isDouble) {
  const unsigned lanes = registerBits / (isDouble ? 64 : 32);
  const std::string scalar = name.str() + (isDouble ? "" : "f");
  const std::string shape =
      "N" + std::to_string(lanes) + std::string(operands, 'v');
  StringRef vector =
      names.save(Twine("_ZGV") + Twine(abi) + shape + "_" + scalar);
  if (!dlsym(vectorMathLibrary(), vector.data()))
    return;
  StringRef prefix = names.save("_ZGV_LLVM_" + shape);
  const auto add = [&](StringRef callee) {
    table.emplace_back(callee, vector, ElementCount::getFixed(lanes),
                       /*Masked=*/false, prefix, std::nullopt);
  };
  add(names.save(scalar));
  if (hasIntrinsic)
    add(names.save("llvm." + name + (isDouble ? ".f64" : ".f32")));
}

VectorMath::VectorMath(const Triple &triple, const MCSubtargetInfo &subtarget) {
  if (!isVectorMathPresent())
    return;
  for (VectorAbi abi : vectorAbis(triple, subtarget))
    for (const MathFunction &function : kFunctions)
      for (bool isDouble : {false, true})
        addFunction(function.name, function.hasIntrinsic, function.operands,
                    abi.letter, abi.bits, isDouble);
}

} // namespace tilewright::host
