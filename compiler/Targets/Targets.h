// The back ends, one object each.

#pragma once

namespace tilewright {

class Target;

const Target &getCpuTarget();

} // namespace tilewright
