// What assemblers say of a kernel, as numbers.
#pragma once

#include "lib/Target/NVPTX/Assembler.h"

namespace tilewright {

/// An assembler that does not know the GPU; another may.
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

/// Reads the resources and the advice out of the log that ptxas writes with -v
/// and nvJitLink with -verbose. Of several functions the greatest numbers
/// count.
void readAssemblerLog(llvm::StringRef log, Assembly &assembly);

} // namespace tilewright
