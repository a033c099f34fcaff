#include "lib/Target/Host/HostTarget.h"

#include "lib/Target/Host/VectorMath.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>
#include <mutex>

using namespace llvm;

namespace tilewright::host {

/// Registers the code generators of the supported host architectures. Each one
/// suffices for all processors of its architecture.
static void registerCodeGenerators() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
  });
}

static std::string featureString() {
  StringMap<bool, MallocAllocator> features = sys::getHostCPUFeatures();
  std::vector<std::string> names;
  for (const auto &feature : features)
    names.push_back((feature.second ? "+" : "-") + feature.first().str());
  // The map iterates in hash order, which is unfit for a cache key.
  llvm::sort(names);
  return join(names, ",");
}

static HostTarget detectOnce() {
  HostTarget target;
  target.triple = sys::getProcessTriple();
  target.cpu = sys::getHostCPUName().str();
  target.features = featureString();
  target.useVectorMath = isVectorMathPresent();
  return target;
}

HostTarget HostTarget::detect() {
  // Neither the processor nor the vector mathematics library changes during a
  // process.
  static const HostTarget target = detectOnce();
  return target;
}

Expected<HostTarget> HostTarget::forProcessor(StringRef cpu) {
  registerCodeGenerators();
  HostTarget target;
  target.triple = sys::getProcessTriple();
  target.cpu = cpu.str();
  Triple triple(target.triple);
  std::string reason;
  const Target *generator = TargetRegistry::lookupTarget(triple, reason);
  if (!generator)
    return createStringError("no code generator for '" + target.triple +
                             "': " + reason);
  std::unique_ptr<MCSubtargetInfo> any(
      generator->createMCSubtargetInfo(triple, "", ""));
  if (!any->isCPUStringValid(cpu))
    return createStringError("unknown processor '" + cpu + "' of " +
                             triple.getArchName() + " machines");
  std::unique_ptr<MCSubtargetInfo> subtarget(
      generator->createMCSubtargetInfo(triple, cpu, ""));
  std::vector<std::string> names;
  for (const SubtargetFeatureKV &feature :
       subtarget->getEnabledProcessorFeatures())
    names.push_back(std::string("+") + feature.Key);
  llvm::sort(names);
  target.features = join(names, ",");
  return target;
}

std::string HostTarget::fingerprint() const {
  return triple + ";" + cpu + ";" + features +
         (useVectorMath ? ";vector-math" : "");
}

static Expected<std::unique_ptr<TargetMachine>>
createTargetMachine(const HostTarget &target) {
  registerCodeGenerators();
  Triple triple(target.triple);
  std::string reason;
  const Target *generator = TargetRegistry::lookupTarget(triple, reason);
  if (!generator)
    return createStringError("no code generator for '" + target.triple +
                             "': " + reason);
  std::unique_ptr<TargetMachine> machine(generator->createTargetMachine(
      triple, target.cpu, target.features, TargetOptions(), Reloc::PIC_,
      CodeModel::Small, CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("LLVM was built without code generation for '" +
                             target.triple + "'");
  return machine;
}

Expected<TargetMachine *> getTargetMachine(const HostTarget &target) {
  // The next kernel is usually for the same processor. A used machine has its
  // features and legality tables computed.
  struct Cached {
    std::string fingerprint;
    std::unique_ptr<TargetMachine> machine;
  };
  static thread_local Cached cached;
  std::string fingerprint = target.fingerprint();
  if (!cached.machine || cached.fingerprint != fingerprint) {
    Expected<std::unique_ptr<TargetMachine>> made = createTargetMachine(target);
    if (!made)
      return made.takeError();
    cached = {std::move(fingerprint), std::move(*made)};
  }
  return cached.machine.get();
}

} // namespace tilewright::host
