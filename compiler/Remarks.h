// Collects the remarks of passes.

#ifndef TILEWRIGHT_COMPILER_REMARKS_H
#define TILEWRIGHT_COMPILER_REMARKS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/JSON.h"

namespace tilewright {

/// During its lifetime, adds remarks of passes in `context` to `remarks` as
/// JSON objects. Members: "kind" ("passed", "missed", "analysis"), "pass",
/// "name", "message", "values" (numbers as text, optional) and "frames".
class RemarkCollector {
public:
  RemarkCollector(mlir::MLIRContext &context, llvm::json::Array &remarks);
  ~RemarkCollector();
  RemarkCollector(const RemarkCollector &) = delete;

private:
  mlir::MLIRContext &context;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_REMARKS_H
