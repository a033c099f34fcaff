// Definitions of the opaque handles of the C API.

#ifndef TILEWRIGHT_COMPILER_CAPI_HANDLES_H
#define TILEWRIGHT_COMPILER_CAPI_HANDLES_H

#include "tilewright-c/ir.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/JSON.h"

struct tw_context {
  tw_context();
  mlir::MLIRContext context;
  llvm::json::Array diagnostics;
  /// Number of uses after the first.
  unsigned uses = 0;

  /// Adds an error of the C API itself.
  void error(const llvm::Twine &message);
};

struct tw_module {
  tw_context *owner;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

struct tw_builder {
  tw_builder(tw_context *owner)
      : owner(owner), builder(&owner->context), loc(builder.getUnknownLoc()) {}
  tw_context *owner;
  mlir::OpBuilder builder;
  mlir::Location loc;
};

namespace tilewright::capi {

inline mlir::Type unwrap(tw_type type) {
  return mlir::Type::getFromOpaquePointer(type);
}
inline mlir::Attribute unwrap(tw_attr attr) {
  return mlir::Attribute::getFromOpaquePointer(attr);
}
inline mlir::LocationAttr unwrap(tw_loc loc) {
  return llvm::cast<mlir::LocationAttr>(
      mlir::Attribute::getFromOpaquePointer(loc));
}
inline mlir::Value unwrap(tw_value value) {
  return mlir::Value::getFromOpaquePointer(value);
}
inline mlir::Operation *unwrap(tw_op op) {
  return reinterpret_cast<mlir::Operation *>(op);
}
inline mlir::Region *unwrap(tw_region region) {
  return reinterpret_cast<mlir::Region *>(region);
}
inline mlir::Block *unwrap(tw_block block) {
  return reinterpret_cast<mlir::Block *>(block);
}

inline tw_type wrap(mlir::Type type) {
  return static_cast<tw_type>(type.getAsOpaquePointer());
}
inline tw_attr wrap(mlir::Attribute attr) {
  return static_cast<tw_attr>(attr.getAsOpaquePointer());
}
inline tw_value wrap(mlir::Value value) {
  return static_cast<tw_value>(value.getAsOpaquePointer());
}
inline tw_op wrap(mlir::Operation *op) { return reinterpret_cast<tw_op>(op); }
inline tw_region wrap(mlir::Region *region) {
  return reinterpret_cast<tw_region>(region);
}
inline tw_block wrap(mlir::Block *block) {
  return reinterpret_cast<tw_block>(block);
}

/// A copy of `text` that the caller of the C API owns.
tw_string copy(llvm::StringRef text);

} // namespace tilewright::capi

#endif // TILEWRIGHT_COMPILER_CAPI_HANDLES_H
