// How many programs share a multiprocessor, as far as the registers of what
// consumes say.

#pragma once

#include "dialect/Tile/TileOps.h"

namespace tilewright::warp {

class RegisterBudget {
public:
  /// Of a function that one producer will load for, whose tiles `numGroups`
  /// teams take in turn.
  RegisterBudget(tile::FuncOp func, int32_t numGroups);

  /// Whether products wait for what threads compute from others, as those of
  /// attention. Programs beside this one then hide more than copies that run
  /// further ahead.
  bool areChained() const { return isChained; }
  /// Whether the sums of two warpgroups leave no registers for another program.
  bool areTight() const { return isTight; }
  /// Whether two programs of one warpgroup share a multiprocessor only if each
  /// thread that consumes gets more than its share, and can do with that.
  bool needHalf() const { return isHalf; }
  /// The programs that registers have room for, about; 1 where more are not
  /// worth the depth of rings.
  int64_t countPrograms() const { return programs; }

private:
  bool isChained, isTight, isHalf;
  int64_t programs = 1;
};

} // namespace tilewright::warp
