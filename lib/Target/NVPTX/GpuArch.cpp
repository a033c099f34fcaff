#include "lib/Target/NVPTX/GpuArch.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilewright;

static constexpr unsigned kLeastComputeCapability = 80;

std::optional<GpuArch> GpuArch::parse(StringRef name) {
  GpuArch arch;
  if (!name.consume_front("sm_") || name.empty())
    return std::nullopt;
  if (name.back() == 'a' || name.back() == 'f') {
    arch.suffix = name.back();
    name = name.drop_back();
  }
  if (name.getAsInteger(10, arch.computeCapability))
    return std::nullopt;
  return arch;
}

FailureOr<GpuArch> GpuArch::get(StringRef name, Location loc) {
  std::optional<GpuArch> arch = parse(name);
  if (!arch)
    return emitError(loc)
           << "'" << name
           << "' is not an NVIDIA GPU: expected a name like sm_80";
  if (arch->computeCapability < kLeastComputeCapability)
    return emitError(loc) << "'" << name
                          << "' is too old: needs sm_80 or newer";
  if (arch->getLeastPtxVersion() == 0)
    return emitError(loc) << "'" << name << "' is not known to this compiler";
  return *arch;
}

std::string GpuArch::getName() const {
  std::string name = "sm_" + std::to_string(computeCapability);
  if (suffix)
    name += suffix;
  return name;
}

unsigned GpuArch::getLeastPtxVersion() const {
  return llvm::StringSwitch<unsigned>(getName())
      .Case("sm_80", 70)
      .Case("sm_86", 71)
      .Case("sm_87", 74)
      .Cases({"sm_89", "sm_90"}, 78)
      .Case("sm_90a", 80)
      .Cases({"sm_100", "sm_100a"}, 86)
      .Cases({"sm_120", "sm_120a"}, 87)
      .Cases({"sm_100f", "sm_103", "sm_103a", "sm_103f", "sm_120f"}, 88)
      .Cases({"sm_121", "sm_121a", "sm_121f"}, 88)
      .Cases({"sm_88", "sm_110", "sm_110a", "sm_110f"}, 90)
      .Default(0);
}
