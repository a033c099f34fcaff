// Compiling a module, and what comes of it.

#include "compiler/Driver.h"
#include "compiler/capi/Handles.h"
#include "tilewright-c/compiler.h"

using namespace mlir;

struct tw_artifact {
  tilewright::Artifact artifact;
  std::string metadata;
};

tw_artifact *tw_module_compile(tw_module *module, const char *options) {
  ModuleOp op = *module->module;
  auto parsed = tilewright::CompileOptions::parse(options, op.getLoc());
  if (failed(parsed))
    return nullptr;
  auto artifact = tilewright::compile(op, *parsed);
  if (failed(artifact))
    return nullptr;
  std::string metadata;
  llvm::raw_string_ostream(metadata)
      << llvm::json::Value(std::move(artifact->metadata));
  return new tw_artifact{std::move(*artifact), std::move(metadata)};
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
