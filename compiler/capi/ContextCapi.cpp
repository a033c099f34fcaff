// Contexts, and the diagnostics they collect.

#include "compiler/capi/Handles.h"

#include "compiler/Registration.h"
#include "compiler/SourceLines.h"
#include "tilewright-c/compiler.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <memory>

using namespace mlir;
using namespace tilewright::capi;

tw_string tilewright::capi::copy(llvm::StringRef text) {
  char *data = static_cast<char *>(std::malloc(text.size() + 1));
  std::memcpy(data, text.data(), text.size());
  data[text.size()] = 0;
  return {data, text.size()};
}

void tw_string_free(tw_string string) { std::free(string.data); }

static llvm::StringRef severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  return "error";
}

static llvm::json::Value toJson(Diagnostic &diagnostic) {
  llvm::json::Array notes;
  for (Diagnostic &note : diagnostic.getNotes())
    notes.push_back(toJson(note));
  return llvm::json::Object{
      {"severity", severityName(diagnostic.getSeverity())},
      {"message", llvm::json::fixUTF8(diagnostic.str())},
      {"frames", tilewright::getRanges(diagnostic.getLocation())},
      {"notes", std::move(notes)}};
}

static const DialectRegistry &getRegistry() {
  static const DialectRegistry registry = [] {
    DialectRegistry registry;
    tilewright::registerDialects(registry);
    return registry;
  }();
  return registry;
}

// No threads: kernels are compiled in parallel, not passes. A kernel is small,
// and a thread pool does not survive a fork.
tw_context::tw_context()
    : context(getRegistry(), MLIRContext::Threading::DISABLED) {
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    diagnostics.push_back(toJson(diagnostic));
    return success();
  });
}

void tw_context::error(const llvm::Twine &message) {
  emitError(UnknownLoc::get(&context)) << message;
}

// Each thread reuses its context: a new one with all dialects is slow
// (benchmarks/notes/compile-time.md). Types, attributes and locations of
// earlier modules accumulate, so the number of uses is limited.
static constexpr unsigned kMaxUses = 16;
static thread_local std::unique_ptr<tw_context> spare;

tw_context *tw_context_create(void) {
  if (!spare)
    return new tw_context;
  ++spare->uses;
  return spare.release();
}

void tw_context_destroy(tw_context *context) {
  std::unique_ptr<tw_context> owned(context);
  if (!owned || spare || owned->uses == kMaxUses)
    return;
  owned->diagnostics = {};
  spare = std::move(owned);
}

tw_string tw_context_take_diagnostics(tw_context *context) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::json::Value(std::move(context->diagnostics));
  context->diagnostics = {};
  return copy(text);
}

const char *tw_version(void) { return TILEWRIGHT_VERSION; }
