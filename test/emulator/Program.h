// PTX in the emulator's form: the instructions of all functions of a module in
// one list, and registers and symbols with their addresses.
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

/// An error that stops a kernel or the load of a module.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The offset of a warp's register: its lanes are consecutive.
struct Register {
  uint32_t offset = 0;
  uint8_t bytes = 0;
};

enum class Space {
  Generic,
  Global,
  Shared,
  /// The parameters of the launch.
  Parameter,
  /// Memory of each thread.
  Local,
};

/// Special registers.
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

/// Returns the special register of the name, or nothing.
std::optional<Special> specialOf(const std::string &name);

struct Operand {
  enum Kind {
    Sink,
    InRegister,
    Immediate,
    OfMachine,
    /// The address of a symbol: `bits` in `space`.
    Symbol,
    /// `parts[0]` plus `bits`; `parts[1]` holds coordinates if there are any.
    Address,
    Vector,
    /// An index in the list of instructions.
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
  /// A number with a decimal point: `bits` are those of a double.
  bool isDecimal = false;
  std::vector<Operand> parts;
  std::string text;
};

/// Memory with addresses of 32 bits, as constant and local memory may have.
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

/// The result of running an instruction.
enum class Outcome {
  /// The next instruction follows.
  Done,
  /// Program counters are set.
  Jumped,
  /// The same instruction runs again after other warps.
  Again,
  /// The next instruction follows after other warps have run.
  Yield,
};

using Action = std::function<Outcome(Warp &warp, uint32_t lanes)>;

struct Instruction {
  /// Split at the dots.
  std::vector<std::string> words;
  std::vector<Operand> operands;
  std::optional<Register> guard;
  bool isGuardNegated = false;
  /// The lanes of a warp, or those of a mask, run it together.
  bool isCollective = false;
  std::optional<Operand> members;
  /// Line in the text of the module, and in the user's source.
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
  /// Bytes of one lane, and of all lanes of a warp.
  uint32_t localBytes = 0, registerBytes = 0;
  uint32_t staticSharedBytes = 0;
  /// Variables in global memory.
  std::vector<LowMemory> globals;

  const Function *functionAt(size_t instruction) const;
};

/// Throws a `Failure` with the line for unsupported text.
std::unique_ptr<Program> parse(const std::string &text);

/// Translates each instruction into its action.
void bind(Program &program);

/// First address of shared memory: the first kilobyte is the system's.
constexpr uint32_t kSharedBegin = 1024;

} // namespace emulator

#endif // TILEWRIGHT_TEST_EMULATOR_PROGRAM_H
