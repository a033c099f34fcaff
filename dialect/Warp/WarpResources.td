// What memory effects of `warp` ops speak of.

#ifndef TILEWRIGHT_WARP_RESOURCES
#define TILEWRIGHT_WARP_RESOURCES

include "mlir/Interfaces/SideEffectInterfaces.td"

def Warp_SharedResource : Resource<"::tilewright::warp::SharedMemory">;

#endif // TILEWRIGHT_WARP_RESOURCES
