// Compiles a module and gives access to the artifact.

#include "compiler/CompileKernel.h"
#include "compiler/capi/CompilerGate.h"
#include "compiler/capi/Handles.h"
#include "tilewright-c/compiler.h"

using namespace mlir;

struct tw_artifact {
  tilewright::Artifact artifact;
  std::string metadata, report;
};

static std::string toText(llvm::json::Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// Writes the JSON directly: a JSON value of the whole report doubles the time.
static std::string formatReport(tilewright::Artifact &artifact) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attributeArray("times", [&] {
      for (const tilewright::PhaseTimes::Entry &entry :
           artifact.times.getEntries())
        json.object([&] {
          json.attribute("stage", entry.stage);
          json.attribute("name", entry.name);
          json.attribute("milliseconds", entry.milliseconds);
        });
    });
    json.attribute("remarks", std::move(artifact.remarks));
    json.attribute("lines", std::move(artifact.lines));
  });
  return text;
}

tw_artifact *tw_module_compile(tw_module *module, const char *options) {
  const tilewright::capi::CompilerGate busy;
  ModuleOp op = *module->module;
  auto parsed = tilewright::CompileOptions::parse(options, op.getLoc());
  if (failed(parsed))
    return nullptr;
  auto artifact = tilewright::compile(op, *parsed);
  if (failed(artifact))
    return nullptr;
  std::string metadata = toText(std::move(artifact->metadata));
  std::string report = formatReport(*artifact);
  return new tw_artifact{std::move(*artifact), std::move(metadata),
                         std::move(report)};
}

void tw_artifact_destroy(tw_artifact *artifact) { delete artifact; }

const char *tw_artifact_get(tw_artifact *artifact, const char *stage,
                            size_t *size) {
  auto it = artifact->artifact.stages.find(std::string_view(stage));
  if (it == artifact->artifact.stages.end())
    return nullptr;
  *size = it->second.size();
  return it->second.data();
}

const char *tw_artifact_metadata(tw_artifact *artifact) {
  return artifact->metadata.c_str();
}

const char *tw_artifact_report(tw_artifact *artifact) {
  return artifact->report.c_str();
}
