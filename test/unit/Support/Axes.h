// Short names of a layout's axes for its tests.

#pragma once

#include "lib/Support/LinearLayout.h"

namespace tilewright::test {

constexpr LayoutAxis kReg = LayoutAxis::Register, kLane = LayoutAxis::Lane,
                     kWarp = LayoutAxis::Warp;

} // namespace tilewright::test
