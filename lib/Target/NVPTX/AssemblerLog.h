// Numbers from the log of an assembler.
#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERLOG_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERLOG_H

#include "lib/Target/NVPTX/Assembler.h"

namespace tilewright {

/// The assembler does not know the GPU; another one may.
class UnknownArchError : public llvm::ErrorInfo<UnknownArchError> {
public:
  static char ID;
  explicit UnknownArchError(std::string message)
      : message(std::move(message)) {}
  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string message;
};

/// Reads the resources and the advice from the log that ptxas writes with -v
/// and nvJitLink with -verbose. Of several functions, the largest number of
/// each kind counts.
void readAssemblerLog(llvm::StringRef log, Assembly &assembly);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERLOG_H
