// Lists the available assemblers.

#include "tilewright-c/assembler.h"

#include "compiler/capi/Handles.h"
#include "lib/Target/NVPTX/Assembler.h"

#include "llvm/Support/raw_ostream.h"

using namespace tilewright;

static const char *kindName(AssemblerKind kind) {
  switch (kind) {
  case AssemblerKind::NvJitLink:
    return "nvjitlink";
  case AssemblerKind::Ptxas:
    return "ptxas";
  case AssemblerKind::Driver:
    return "driver";
  }
  return "";
}

tw_string tw_assemblers_describe(const char *const *paths, size_t count) {
  AssemblerOptions options;
  options.paths.assign(paths, paths + count);
  llvm::json::Array list;
  auto found = findAssemblers(options);
  if (!found)
    list.push_back(
        llvm::json::Object{{"error", llvm::toString(found.takeError())}});
  else
    for (const std::shared_ptr<const Assembler> &assembler : *found)
      list.push_back(
          llvm::json::Object{{"kind", kindName(assembler->kind())},
                             {"name", assembler->name()},
                             {"path", assembler->path()},
                             {"max_ptx_version", assembler->maxPtxVersion()}});
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(list));
  return capi::copy(text);
}
