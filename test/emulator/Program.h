// PTX as the emulator runs it: instructions of all functions of a module in one
// list, registers and symbols with their places.
#ifndef TILEWRIGHT_TEST_EMULATOR_PROGRAM_H
#define TILEWRIGHT_TEST_EMULATOR_PROGRAM_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace emulator {

constexpr unsigned kLanes = 32;

/// What stops a kernel, or keeps a module from being loaded.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Where a register of a warp is: its lanes follow each other.
struct Register {
  uint32_t offset = 0;
  uint8_t bytes = 0;
};

enum class Space {
  Generic,
  Global,
  Shared,
  /// What the launch passes.
  Parameter,
  /// Of each thread.
  Local,
};

/// Values that the machine knows.
enum class Special {
  ThreadX,
  ThreadY,
  ThreadZ,
  ThreadsX,
  ThreadsY,
  ThreadsZ,
  BlockX,
  BlockY,
  BlockZ,
  BlocksX,
  BlocksY,
  BlocksZ,
  Lane,
  Warp,
  Warps,
  BlockInClusterX,
  BlockInClusterY,
  BlockInClusterZ,
  ClusterX,
  ClusterY,
  ClusterZ,
  RankInCluster,
  BlocksOfCluster,
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  ClustersX,
  ClustersY,
  ClustersZ,
  Multiprocessor,
  Multiprocessors,
  Clock,
  LanesEqual,
  LanesBefore,
  LanesUpTo,
  LanesAfter,
  LanesFrom,
  DynamicSharedBytes,
  AllSharedBytes,
};

/// That of the name, or nothing.
std::optional<Special> specialOf(const std::string &name);

struct Operand {
  enum Kind {
    Sink,
    InRegister,
    Immediate,
    OfMachine,
    /// The address of a symbol: `bits` in `space`.
    Symbol,
    /// `parts[0]` plus `bits`; `parts[1]` holds coordinates where there are
    /// some.
    Address,
    Vector,
    /// A place in the list of instructions.
    Label,
    /// Two results of one instruction: `parts`.
    Pair,
  };
  Kind kind = Sink;
  Register reg;
  Special special = {};
  Space space = Space::Generic;
  uint64_t bits = 0;
  bool isNegated = false;
  /// A number with a point: `bits` are those of a double.
  bool isDecimal = false;
  std::vector<Operand> parts;
  std::string text;
};

/// Bytes whose addresses fit 32 bits, which is what addresses in constant and
/// local memory may have.
class LowMemory {
public:
  explicit LowMemory(size_t bytes);
  ~LowMemory();
  LowMemory(LowMemory &&other) noexcept
      : begin(std::exchange(other.begin, nullptr)), bytes(other.bytes) {}
  LowMemory(const LowMemory &) = delete;

  char *data() const { return begin; }
  size_t size() const { return bytes; }

private:
  char *begin = nullptr;
  size_t bytes;
};

class Warp;

/// What became of an instruction.
enum class Outcome {
  /// The next one follows.
  Done,
  /// Program counters are set.
  Jumped,
  /// The same one again, after others had their turn.
  Again,
  /// The next one follows, after others had their turn.
  Yield,
};

using Action = std::function<Outcome(Warp &warp, uint32_t lanes)>;

struct Instruction {
  /// Split at the dots.
  std::vector<std::string> words;
  std::vector<Operand> operands;
  std::optional<Register> guard;
  bool isGuardNegated = false;
  /// All lanes of a warp run it together, or those of a mask.
  bool isCollective = false;
  std::optional<Operand> members;
  /// In the text of the module, and in the user's source.
  unsigned line = 0, sourceLine = 0;
  Action run;

  bool has(std::string_view word) const {
    for (const std::string &each : words)
      if (each == word)
        return true;
    return false;
  }
  std::string mnemonic() const;
};

struct Parameter {
  std::string name;
  uint32_t offset = 0, bytes = 0;
};

struct Function {
  std::string name;
  bool isKernel = false;
  size_t entry = 0;
  std::vector<Parameter> parameters, results;
  uint32_t parameterBytes = 0;
  unsigned requiredThreads[3] = {0, 1, 1};
  unsigned cluster[3] = {1, 1, 1};
};

/// A module.
struct Program {
  std::vector<Instruction> instructions;
  std::map<std::string, Function> functions;
  /// Of one lane and of all lanes of a warp.
  uint32_t localBytes = 0, registerBytes = 0;
  uint32_t staticSharedBytes = 0;
  /// Variables in global memory.
  std::vector<LowMemory> globals;

  const Function *functionAt(size_t instruction) const;
};

/// Throws a `Failure` that names the line for what is not understood.
std::unique_ptr<Program> parse(const std::string &text);

/// Finds what each instruction does.
void bind(Program &program);

/// Where the dynamic shared memory of a block begins, and where the static one:
/// the first kilobyte is the system's.
constexpr uint32_t kSharedBegin = 1024;

} // namespace emulator

#endif // TILEWRIGHT_TEST_EMULATOR_PROGRAM_H
