// From an object file in memory to a function pointer.
#ifndef TILEWRIGHT_LIB_TARGET_HOST_HOSTJIT_H
#define TILEWRIGHT_LIB_TARGET_HOST_HOSTJIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace tilewright::host {

/// A Tilewright function that compiled code may call.
struct HostSymbol {
  llvm::StringRef name;
  void *address;
};

/// An object file linked into this process. Its code lives as long as it does.
class HostLibrary {
public:
  /// Links `object`. Undefined symbols are looked up in `symbols`, then among
  /// the conversions of short floats, then in the mathematics libraries and the
  /// C library of this process.
  static llvm::Expected<std::unique_ptr<HostLibrary>>
  load(llvm::StringRef object, llvm::ArrayRef<HostSymbol> symbols);

  ~HostLibrary();
  HostLibrary(const HostLibrary &) = delete;
  HostLibrary &operator=(const HostLibrary &) = delete;

  /// Returns the address of a function. The error names the symbols that could
  /// not be linked.
  llvm::Expected<void *> lookup(llvm::StringRef name);

private:
  explicit HostLibrary(std::unique_ptr<llvm::orc::ExecutorProcessControl> epc);

  llvm::Error link(llvm::StringRef object, llvm::ArrayRef<HostSymbol> symbols);
  llvm::Error define(llvm::ArrayRef<HostSymbol> symbols);

  /// Messages that the session reported during a failed lookup.
  std::string reported;
  llvm::orc::ExecutionSession session;
  llvm::orc::ObjectLinkingLayer linker;
  llvm::orc::JITDylib *dylib = nullptr;
};

} // namespace tilewright::host

#endif // TILEWRIGHT_LIB_TARGET_HOST_HOSTJIT_H
