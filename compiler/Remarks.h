// Collecting what passes say about their work.

#pragma once

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/JSON.h"

namespace tilewright {

/// While it lives, remarks of passes in `context` are added to `remarks` as
/// objects of "kind" ("passed", "missed", "analysis"), "pass", "name",
/// "message", "values" (the numbers of some, as text) and "frames".
class RemarkCollector {
public:
  RemarkCollector(mlir::MLIRContext &context, llvm::json::Array &remarks);
  ~RemarkCollector();
  RemarkCollector(const RemarkCollector &) = delete;

private:
  mlir::MLIRContext &context;
};

} // namespace tilewright
