// The resources of the memory effects of `warp` ops.

#ifndef TILEWRIGHT_DIALECT_WARP_WARPRESOURCES
#define TILEWRIGHT_DIALECT_WARP_WARPRESOURCES

include "mlir/Interfaces/SideEffectInterfaces.td"

def Warp_SharedResource : Resource<"::tilewright::warp::SharedMemory">;

#endif // TILEWRIGHT_DIALECT_WARP_WARPRESOURCES
