// Translates instructions into actions.
#ifndef TILEWRIGHT_TEST_EMULATOR_BIND_H
#define TILEWRIGHT_TEST_EMULATOR_BIND_H

#include "test/emulator/Machine.h"
#include "test/emulator/Values.h"

#include <bit>

namespace emulator {

/// Each returns the action of an instruction of its kind, or nothing for other
/// instructions.
Action bindArithmetic(const Instruction &instruction);
Action bindComparison(const Instruction &instruction);
Action bindBits(const Instruction &instruction);
Action bindConversion(const Instruction &instruction);
Action bindMemory(const Instruction &instruction);
Action bindAtomic(const Instruction &instruction);
Action bindControl(const Program &program, Instruction &instruction);
Action bindExchange(Instruction &instruction);
Action bindMatrix(Instruction &instruction);
Action bindAsynchronous(const Instruction &instruction);
Action bindTensorMap(const Instruction &instruction);

template <typename Each> void forLanes(uint32_t lanes, Each each) {
  for (; lanes; lanes &= lanes - 1)
    each(static_cast<unsigned>(std::countr_zero(lanes)));
}

/// An action that runs lane by lane.
template <typename Each> Action perLane(Each each) {
  return [each](Warp &warp, uint32_t lanes) {
    forLanes(lanes, [&](unsigned lane) { each(warp, lane); });
    return Outcome::Done;
  };
}

inline Action nothing() {
  return [](Warp &, uint32_t) { return Outcome::Done; };
}

/// Returns the space that words like "shared::cta" name.
Space spaceOf(const Instruction &instruction);

/// Returns the elements of a vector, or the operand itself.
inline std::vector<Operand> elementsOf(const Operand &operand) {
  return operand.kind == Operand::Vector ? operand.parts
                                         : std::vector<Operand>{operand};
}

/// The effect of an atomic operation on the bits in memory.
using Update = std::function<uint64_t(uint64_t old, uint64_t a, uint64_t b)>;

/// Returns the operation that the words of an instruction name, for elements of
/// `type`; nothing if there is none.
Update findUpdate(const Instruction &instruction, const std::string &type);

} // namespace emulator

#endif // TILEWRIGHT_TEST_EMULATOR_BIND_H
