// Short names of layout axes for tests, and the element at a position.

#ifndef TILEWRIGHT_TEST_UNIT_LAYOUT_AXES_H
#define TILEWRIGHT_TEST_UNIT_LAYOUT_AXES_H

#include "lib/Layout/LinearLayout.h"

namespace tilewright::test {

constexpr LayoutAxis kReg = LayoutAxis::Register, kLane = LayoutAxis::Lane,
                     kWarp = LayoutAxis::Warp;

inline uint64_t elementAt(const LinearLayout &layout, uint64_t reg,
                          uint64_t lane, uint64_t warp) {
  return layout.applyFlat(
      layout.flattenIn({{kReg, reg}, {kLane, lane}, {kWarp, warp}}));
}

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_UNIT_LAYOUT_AXES_H
