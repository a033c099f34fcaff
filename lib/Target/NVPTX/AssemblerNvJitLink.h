// nvJitLink: ptxas as a shared library, found next to PyTorch and in the CUDA
// toolkit.
#pragma once

#include "lib/Target/NVPTX/Assembler.h"

namespace tilewright {

/// The library: the file that TILEWRIGHT_NVJITLINK names, else one of `paths`,
/// else one that is loaded already, else one that the loader finds. Null where
/// there is none, an error when the file of the environment is none.
llvm::Expected<std::shared_ptr<const Assembler>>
findNvJitLink(llvm::ArrayRef<std::string> paths);

} // namespace tilewright
