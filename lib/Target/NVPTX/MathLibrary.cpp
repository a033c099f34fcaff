#include "lib/Target/NVPTX/MathLibrary.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace tilewright;

// TILEWRIGHT_MATH_LIBRARY is the path of the bitcode that the build reduced.
__asm__(".section .rodata.tilewright_math_library, \"a\"\n"
        ".balign 16\n"
        ".globl tilewright_math_library_begin\n"
        ".hidden tilewright_math_library_begin\n"
        "tilewright_math_library_begin:\n"
        ".incbin \"" TILEWRIGHT_MATH_LIBRARY "\"\n"
        ".globl tilewright_math_library_end\n"
        ".hidden tilewright_math_library_end\n"
        "tilewright_math_library_end:\n"
        ".previous\n");

extern "C" {
__attribute__((
    visibility("hidden"))) extern const char tilewright_math_library_begin[],
    tilewright_math_library_end[];
}

/// Whether `module` declares a function of the library. All its names are
/// mangled, and no other declarations are.
static bool needsLibrary(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.isDeclaration() && function.getName().starts_with("_Z");
  });
}

/// Removes the target attributes: the library was built for an older PTX, and
/// its functions follow the module.
static void dropTargetAttributes(llvm::Module &library) {
  for (llvm::Function &function : library) {
    function.removeFnAttr("target-features");
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("frame-pointer");
  }
}

LogicalResult tilewright::linkMathLibrary(llvm::Module &module, Location loc) {
  if (!needsLibrary(module))
    return success();
  llvm::StringRef bytes(tilewright_math_library_begin,
                        tilewright_math_library_end -
                            tilewright_math_library_begin);
  auto library = llvm::getLazyBitcodeModule(
      llvm::MemoryBufferRef(bytes, "mathematics library"), module.getContext());
  if (!library)
    return emitError(loc) << "the mathematics library is damaged: "
                          << llvm::toString(library.takeError());
  dropTargetAttributes(**library);
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  auto internalize = [](llvm::Module &linked, const llvm::StringSet<> &names) {
    llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
      return !names.contains(value.getName());
    });
  };
  if (llvm::Linker::linkModules(module, std::move(*library),
                                llvm::Linker::LinkOnlyNeeded, internalize))
    return emitError(loc) << "the mathematics library could not be linked";
  return success();
}
