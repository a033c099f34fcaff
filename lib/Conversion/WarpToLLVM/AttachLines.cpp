// Says of each op which line of the source it comes from, as LLVM needs it.
//
// Thousands of ops come from a few dozens of places, so each place is worked
// out once.

#include "lib/Conversion/WarpToLLVM/Passes.h"

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

/// The place in a file that `loc` speaks of: of calls the innermost. Null where
/// it names no file.
static FileLineColLoc findPlace(Location loc) {
  FileLineColLoc place;
  loc->walk([&](Location part) {
    if (auto call = dyn_cast<CallSiteLoc>(part)) {
      place = findPlace(call.getCallee());
      return WalkResult::interrupt();
    }
    place = dyn_cast<FileLineColLoc>(part);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

static LLVM::DIFileAttr getFile(MLIRContext *context, FileLineColLoc place) {
  if (!place)
    return LLVM::DIFileAttr::get(context, "<unknown>", "");
  StringRef path = place.getFilename();
  return LLVM::DIFileAttr::get(context, llvm::sys::path::filename(path),
                               llvm::sys::path::parent_path(path));
}

namespace {

/// The places of the ops of one function.
class FunctionLines {
public:
  FunctionLines(LLVM::LLVMFuncOp function, LLVM::DICompileUnitAttr unit)
      : function(function), place(findPlace(function.getLoc())) {
    MLIRContext *context = function.getContext();
    LLVM::DIFileAttr file = getFile(context, place);
    unsigned line = place ? place.getLine() : 1;
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
      return CallSiteLoc::get(inItsFile(call.getCallee()), call.getCaller());
    FileLineColLoc own = findPlace(loc);
    if (own && place && own.getFilename() != place.getFilename())
      return inItsFile(loc);
    return loc;
  }

  /// A function may have lines of other files.
  Location inItsFile(Location loc) {
    FileLineColLoc own = findPlace(loc);
    auto scope = LLVM::DILexicalBlockFileAttr::get(
        subprogram, getFile(loc.getContext(), own), /*discriminator=*/0);
    return FusedLoc::get(loc.getContext(), {own ? Location(own) : loc}, scope);
  }

  LLVM::LLVMFuncOp function;
  FileLineColLoc place;
  LLVM::DISubprogramAttr subprogram;
  DenseMap<Location, Location> known;
};

struct AttachLines : tilewright::impl::AttachLinesBase<AttachLines> {
  using AttachLinesBase::AttachLinesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    FileLineColLoc place = findPlace(module.getLoc());
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (!place)
        place = findPlace(function.getLoc());
    // Directives only: a full debug section would make the assembler give up
    // optimising.
    auto unit = LLVM::DICompileUnitAttr::get(
        FunctionLines::newId(context), llvm::dwarf::DW_LANG_C,
        getFile(context, place), StringAttr::get(context, "tilewright"),
        /*isOptimized=*/true, LLVM::DIEmissionKind::DebugDirectivesOnly);
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      FunctionLines(function, unit).attach();
  }
};

} // namespace
