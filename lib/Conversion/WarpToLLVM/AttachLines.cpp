// Attaches the source line of each op in the form that LLVM needs.
//
// Thousands of ops share a few dozen locations, so each location is converted
// once.

#include "lib/Conversion/WarpToLLVM/Passes.h"

#include "lib/Analysis/Facts/SourceFrames.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

namespace tilewright {
#define GEN_PASS_DEF_ATTACHLINES
#include "lib/Conversion/WarpToLLVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

/// Returns the innermost frame of `loc`; nothing if it names no file.
static std::optional<SourceFrame> findFrame(Location loc) {
  SmallVector<SourceFrame> frames = getSourceFrames(loc);
  return frames.empty() ? std::nullopt : std::optional(frames.front());
}

static LLVM::DIFileAttr getFile(MLIRContext *context,
                                const std::optional<SourceFrame> &frame) {
  if (!frame)
    return LLVM::DIFileAttr::get(context, "<unknown>", "");
  StringRef path = frame->range.getFilename();
  return LLVM::DIFileAttr::get(context, llvm::sys::path::filename(path),
                               llvm::sys::path::parent_path(path));
}

namespace {

/// Attaches the locations of the ops of one function.
class FunctionLines {
public:
  FunctionLines(LLVM::LLVMFuncOp function, LLVM::DICompileUnitAttr unit)
      : function(function), frame(findFrame(function.getLoc())) {
    MLIRContext *context = function.getContext();
    LLVM::DIFileAttr file = getFile(context, frame);
    unsigned line = frame ? frame->range.getStartLine() : 1;
    const bool isDefined = !function.isExternal();
    auto flags = LLVM::DISubprogramFlags::Optimized;
    if (isDefined)
      flags = flags | LLVM::DISubprogramFlags::Definition;
    subprogram = LLVM::DISubprogramAttr::get(
        context, isDefined ? newId(context) : DistinctAttr(),
        isDefined ? unit : LLVM::DICompileUnitAttr(), file,
        function.getNameAttr(), function.getNameAttr(), file, line,
        /*scopeLine=*/line, flags,
        LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {}),
        /*retainedNodes=*/{}, /*annotations=*/{});
  }

  void attach() {
    Location loc = function.getLoc();
    function->setLoc(FusedLoc::get(function.getContext(), {loc}, subprogram));
    function.getBody().walk([&](Operation *op) {
      auto [it, isNew] = known.try_emplace(op->getLoc(), op->getLoc());
      if (isNew)
        it->second = getScoped(op->getLoc());
      op->setLoc(it->second);
    });
  }

  static DistinctAttr newId(MLIRContext *context) {
    return DistinctAttr::create(UnitAttr::get(context));
  }

private:
  Location getScoped(Location loc) {
    if (auto call = dyn_cast<CallSiteLoc>(loc))
      return CallSiteLoc::get(withFileScope(call.getCallee()),
                              call.getCaller());
    std::optional<SourceFrame> own = findFrame(loc);
    if (own && frame && own->range.getFilename() != frame->range.getFilename())
      return withFileScope(loc);
    return loc;
  }

  /// A function may contain lines of other files: their scope names the file.
  Location withFileScope(Location loc) {
    std::optional<SourceFrame> own = findFrame(loc);
    auto scope = LLVM::DILexicalBlockFileAttr::get(
        subprogram, getFile(loc.getContext(), own), /*discriminator=*/0);
    return FusedLoc::get(loc.getContext(), {own ? own->getLoc() : loc}, scope);
  }

  LLVM::LLVMFuncOp function;
  std::optional<SourceFrame> frame;
  LLVM::DISubprogramAttr subprogram;
  DenseMap<Location, Location> known;
};

struct AttachLines : tilewright::impl::AttachLinesBase<AttachLines> {
  using AttachLinesBase::AttachLinesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    std::optional<SourceFrame> frame = findFrame(module.getLoc());
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (!frame)
        frame = findFrame(function.getLoc());
    // Directives only: with a full debug section the assembler stops
    // optimising.
    auto unit = LLVM::DICompileUnitAttr::get(
        FunctionLines::newId(context), llvm::dwarf::DW_LANG_C,
        getFile(context, frame), StringAttr::get(context, "tilewright"),
        /*isOptimized=*/true, LLVM::DIEmissionKind::DebugDirectivesOnly);
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      FunctionLines(function, unit).attach();
  }
};

} // namespace
