// nvJitLink: ptxas as a shared library, found next to PyTorch and in the CUDA
// toolkit.
#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERNVJITLINK_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERNVJITLINK_H

#include "lib/Target/NVPTX/Assembler.h"

namespace tilewright {

/// Returns the library: the file that TILEWRIGHT_NVJITLINK names, else one of
/// `paths`, else one that is already loaded, else one that the loader finds.
/// Returns null if there is none. Fails if the environment names a file that is
/// no such library.
llvm::Expected<std::shared_ptr<const Assembler>>
findNvJitLink(llvm::ArrayRef<std::string> paths);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERNVJITLINK_H
