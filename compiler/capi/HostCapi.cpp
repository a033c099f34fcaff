// Links host objects into this process.

#include "tilewright-c/host.h"

#include "compiler/capi/CompilerGate.h"
#include "lib/Target/Host/HostJit.h"
#include "lib/Target/Host/HostTarget.h"
#include "runtime/core/Status.h"

using namespace tilewright;

struct tw_host_library {
  std::unique_ptr<host::HostLibrary> library;
};

static tw_status fail(llvm::Error error) {
  runtime::setLastError(runtime::Status(runtime::StatusCode::Unsupported,
                                        llvm::toString(std::move(error))));
  return TW_UNSUPPORTED;
}

tw_status tw_host_load(const void *data, size_t size, const char *name,
                       tw_host_library **library, tw_host_kernel *kernel) {
  const capi::CompilerGate busy;
  const host::HostSymbol symbols[] = {
      {"tw_host_assert_fail", reinterpret_cast<void *>(tw_host_assert_fail)},
      {"tw_host_print", reinterpret_cast<void *>(tw_host_print)},
      {"tw_host_scratch", reinterpret_cast<void *>(tw_host_scratch)},
      {"tw_host_wait", reinterpret_cast<void *>(tw_host_wait)},
  };
  llvm::StringRef object(static_cast<const char *>(data), size);
  auto loaded = host::HostLibrary::load(object, symbols);
  if (!loaded)
    return fail(loaded.takeError());
  llvm::Expected<void *> function = (*loaded)->lookup(name);
  if (!function)
    return fail(function.takeError());
  *kernel = reinterpret_cast<tw_host_kernel>(*function);
  *library = new tw_host_library{std::move(*loaded)};
  return TW_OK;
}

void tw_host_unload(tw_host_library *library) { delete library; }

const char *tw_host_target(void) {
  static const std::string text = host::HostTarget::detect().fingerprint();
  return text.c_str();
}
