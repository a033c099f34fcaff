// Helpers of the tests of host code: from IR text to a callable function.
#ifndef TILEWRIGHT_TEST_UNIT_TARGET_HOST_HOSTTEST_H
#define TILEWRIGHT_TEST_UNIT_TARGET_HOST_HOSTTEST_H

#include "lib/Target/Host/HostJit.h"
#include "lib/Target/Host/HostObject.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace tilewright::host {

/// A parsed module, with its context.
struct ParsedModule {
  explicit ParsedModule(llvm::StringRef text) {
    llvm::SMDiagnostic error;
    module = llvm::parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

/// The object, or the error message.
struct Emitted {
  std::string object;
  std::string error;
};

inline Emitted emit(llvm::StringRef text, const HostObjectOptions &options) {
  ParsedModule parsed(text);
  auto object = emitHostObject(*parsed.module, options);
  if (!object)
    return {"", llvm::toString(object.takeError())};
  return {std::string(object->begin(), object->end()), ""};
}

inline HostObjectOptions thisMachine() {
  HostObjectOptions options;
  options.target = HostTarget::detect();
  return options;
}

} // namespace tilewright::host

#endif // TILEWRIGHT_TEST_UNIT_TARGET_HOST_HOSTTEST_H
