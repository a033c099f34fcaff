// ptxas: the assembler program of the CUDA toolkit.
#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERPTXAS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERPTXAS_H

#include "lib/Target/NVPTX/Assembler.h"

namespace tilewright {

/// Returns the program: the file that TILEWRIGHT_PTXAS names, else one of
/// `paths`, else the one in PATH, in CUDA_HOME or in /usr/local/cuda. Returns
/// null if there is none. Fails if the environment names a file that is not
/// ptxas.
llvm::Expected<std::shared_ptr<const Assembler>>
findPtxas(llvm::ArrayRef<std::string> paths);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERPTXAS_H
