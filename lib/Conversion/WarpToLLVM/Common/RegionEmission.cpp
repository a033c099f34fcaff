#include "lib/Conversion/WarpToLLVM/Common/RegionEmission.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

/// Casts `value` to `type`, which converts to the same register.
static Value emitCast(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(b, type, value).getResult(0);
}

SmallVector<Value> tilewright::emitRegion(ImplicitLocOpBuilder &b, Block &block,
                                          ValueRange inputs, TypeRange types) {
  IRMapping map;
  for (auto [argument, input] : llvm::zip(block.getArguments(), inputs))
    map.map(argument, emitCast(b, input, argument.getType()));
  for (Operation &inner : block.without_terminator())
    b.clone(inner, map);
  SmallVector<Value> results;
  for (auto [yielded, type] :
       llvm::zip(block.getTerminator()->getOperands(), types))
    results.push_back(emitCast(b, map.lookupOrDefault(yielded), type));
  return results;
}
