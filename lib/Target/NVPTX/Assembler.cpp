#include "lib/Target/NVPTX/Assembler.h"

#include "lib/Target/NVPTX/AssemblerLog.h"
#include "lib/Target/NVPTX/AssemblerNvJitLink.h"
#include "lib/Target/NVPTX/AssemblerPtxas.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilewright {

unsigned ptxVersionOfCuda(unsigned major, unsigned minor) {
  // PTX 7.m came with CUDA 11.m, 8.m with 12.m and 9.m with 13.m. Exception:
  // 12.6 brought no version, so later minors are shifted by one.
  if (major < 11)
    return 0;
  if (major == 12 && minor >= 6)
    --minor;
  return 10 * (major - 4) + minor;
}

static std::string formatPtxVersion(unsigned version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

/// Returns the version in the module's first directive. Returns 0 if it has
/// none: the assembler reports that better.
static unsigned ptxVersionOf(StringRef ptx) {
  const size_t at = ptx.find(".version");
  if (at == StringRef::npos)
    return 0;
  StringRef number = ptx.substr(at + StringRef(".version").size()).ltrim();
  unsigned major = 0, minor = 0;
  if (number.consumeInteger(10, major) || !number.consume_front(".") ||
      number.consumeInteger(10, minor))
    return 0;
  return 10 * major + minor;
}

static Expected<std::vector<std::shared_ptr<const Assembler>>>
require(Expected<std::shared_ptr<const Assembler>> found, StringRef what) {
  if (!found)
    return found.takeError();
  if (!*found)
    return createStringError("no " + what.str() + " found on this machine");
  return std::vector{std::move(*found)};
}

Expected<std::vector<std::shared_ptr<const Assembler>>>
findAssemblers(const AssemblerOptions &options) {
  if (options.kind == "driver")
    return std::vector<std::shared_ptr<const Assembler>>();
  if (options.kind == "nvjitlink")
    return require(findNvJitLink(options.paths), "nvJitLink library");
  if (options.kind == "ptxas")
    return require(findPtxas(options.paths), "ptxas");
  if (options.kind != "auto")
    return createStringError(
        "unknown assembler '" + options.kind +
        "': known are 'auto', 'nvjitlink', 'ptxas' and 'driver'");
  std::vector<std::shared_ptr<const Assembler>> assemblers;
  for (auto find : {findNvJitLink, findPtxas}) {
    Expected<std::shared_ptr<const Assembler>> found = find(options.paths);
    if (!found)
      return found.takeError();
    if (*found)
      assemblers.push_back(std::move(*found));
  }
  return assemblers;
}

Expected<unsigned> maxPtxVersion(const AssemblerOptions &options) {
  auto assemblers = findAssemblers(options);
  if (!assemblers)
    return assemblers.takeError();
  if (assemblers->empty())
    return 0;
  // Includes the version of an older assembler, which some kernels need: see
  // preferWholePrograms.
  unsigned most = assemblers->front()->maxPtxVersion();
  for (const std::shared_ptr<const Assembler> &assembler : *assemblers)
    if (assembler->maxPtxVersion() >= options.neededPtx)
      most = std::min(most, assembler->maxPtxVersion());
  return most;
}

/// Returns the reason why an assembler cannot take this kernel; empty if it
/// can.
static std::string objection(const Assembler &assembler, unsigned ptxVersion) {
  if (ptxVersion <= assembler.maxPtxVersion())
    return "";
  return assembler.name() + " reads PTX up to " +
         formatPtxVersion(assembler.maxPtxVersion()) + ", this is " +
         formatPtxVersion(ptxVersion);
}

/// nvJitLink assembles relocatable objects, in which it ignores changes of the
/// register budget (C7504). Such kernels prefer ptxas.
static void
preferWholePrograms(StringRef ptx,
                    std::vector<std::shared_ptr<const Assembler>> &assemblers) {
  auto ptxas = llvm::find_if(assemblers, [](const auto &assembler) {
    return assembler->kind() == AssemblerKind::Ptxas;
  });
  if (ptx.contains("setmaxnreg") && ptxas != assemblers.end())
    std::rotate(assemblers.begin(), ptxas, ptxas + 1);
}

Expected<Assembly> assemble(StringRef ptx, StringRef arch,
                            const AssemblerOptions &options) {
  auto assemblers = findAssemblers(options);
  if (!assemblers)
    return assemblers.takeError();
  preferWholePrograms(ptx, *assemblers);
  std::vector<std::string> objections;
  for (const std::shared_ptr<const Assembler> &assembler : *assemblers) {
    std::string reason = objection(*assembler, ptxVersionOf(ptx));
    if (!reason.empty()) {
      objections.push_back(std::move(reason));
      continue;
    }
    Expected<Assembly> assembly = assembler->assemble(ptx, arch, options);
    if (assembly)
      return assembly;
    Error other = handleErrors(
        assembly.takeError(), [&](const UnknownArchError &unknown) {
          objections.push_back(assembler->name() + " does not know " +
                               arch.str());
        });
    if (other)
      return std::move(other);
  }
  if (options.kind != "auto" && !objections.empty())
    return createStringError("cannot assemble: " + join(objections, "; "));
  // The driver is the last resort and may be newer than this list.
  Assembly left;
  left.log = join(objections, "\n");
  return left;
}

} // namespace tilewright
