// ptxas: the assembler of the CUDA toolkit, a program.
#pragma once

#include "lib/Target/NVPTX/Assembler.h"

namespace tilewright {

/// The program: the file that TILEWRIGHT_PTXAS names, else one of `paths`, else
/// the one in PATH, in CUDA_HOME or in /usr/local/cuda. Null where there is
/// none, an error when the file of the environment is none.
llvm::Expected<std::shared_ptr<const Assembler>>
findPtxas(llvm::ArrayRef<std::string> paths);

} // namespace tilewright
