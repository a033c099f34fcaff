#include "lib/Target/Host/HostJit.h"

#include "lib/Target/Host/ShortFloatCalls.h"
#include "lib/Target/Host/VectorMath.h"

#include "llvm/ExecutionEngine/JITSymbol.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace llvm::orc;

namespace tilewright::host {

/// Searched in this order; libraries that the machine lacks are skipped. The
/// null name searches the process itself.
static constexpr const char *kSystemLibraries[] = {"libm.so.6",
                                                   kVectorMathLibrary, nullptr};

HostLibrary::HostLibrary(std::unique_ptr<ExecutorProcessControl> epc)
    : session(std::move(epc)), linker(session) {
  session.setErrorReporter([this](Error error) {
    if (!reported.empty())
      reported += "; ";
    reported += toString(std::move(error));
  });
}

HostLibrary::~HostLibrary() { consumeError(session.endSession()); }

Expected<std::unique_ptr<HostLibrary>>
HostLibrary::load(StringRef object, ArrayRef<HostSymbol> symbols) {
  // One small object needs no thread to link it.
  auto epc = SelfExecutorProcessControl::Create(
      nullptr, std::make_unique<InPlaceTaskDispatcher>());
  if (!epc)
    return epc.takeError();
  std::unique_ptr<HostLibrary> library(new HostLibrary(std::move(*epc)));
  if (Error failed = library->link(object, symbols))
    return failed;
  return library;
}

Error HostLibrary::link(StringRef object, ArrayRef<HostSymbol> symbols) {
  Expected<JITDylib &> created = session.createJITDylib("kernel");
  if (!created)
    return created.takeError();
  dylib = &*created;
  if (Error failed = define(symbols))
    return failed;
  if (Error failed = define(shortFloatConversions()))
    return failed;
  for (const char *name : kSystemLibraries) {
    auto generator = DynamicLibrarySearchGenerator::Load(name, '\0');
    if (generator)
      dylib->addGenerator(std::move(*generator));
    else
      consumeError(generator.takeError());
  }
  return linker.add(*dylib,
                    MemoryBuffer::getMemBufferCopy(object, "kernel object"));
}

Error HostLibrary::define(ArrayRef<HostSymbol> symbols) {
  SymbolMap map;
  for (const HostSymbol &symbol : symbols)
    map[session.intern(symbol.name)] = {ExecutorAddr::fromPtr(symbol.address),
                                        JITSymbolFlags::Exported |
                                            JITSymbolFlags::Callable};
  return dylib->define(absoluteSymbols(std::move(map)));
}

Expected<void *> HostLibrary::lookup(StringRef name) {
  Expected<ExecutorSymbolDef> symbol =
      session.lookup({dylib}, session.intern(name));
  if (symbol)
    return symbol->getAddress().toPtr<void *>();
  std::string reason = toString(symbol.takeError());
  return createStringError("cannot link host code: " +
                           (reported.empty() ? reason : reported));
}

} // namespace tilewright::host
