#include "compiler/Remarks.h"

#include "compiler/SourceLines.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;

static llvm::StringRef getKind(const remark::detail::Remark &remark) {
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    return "passed";
  case llvm::remarks::Type::Analysis:
    return "analysis";
  default:
    return "missed";
  }
}

namespace {
class JsonStreamer final : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit JsonStreamer(llvm::json::Array &remarks) : remarks(remarks) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    // The message of a remark and its numeric values.
    std::string message;
    llvm::json::Object values;
    for (const remark::detail::Remark::Arg &arg : remark.getArgs())
      if (arg.key == "Remark")
        message += arg.val;
      else
        values[arg.key] = arg.val;
    remarks.push_back(
        llvm::json::Object{{"kind", getKind(remark)},
                           {"pass", remark.getCategoryName()},
                           {"name", remark.getRemarkName()},
                           {"message", llvm::json::fixUTF8(message)},
                           {"values", std::move(values)},
                           {"frames", getFrames(remark.getLocation())}});
  }

private:
  llvm::json::Array &remarks;
};
} // namespace

RemarkCollector::RemarkCollector(MLIRContext &context,
                                 llvm::json::Array &remarks)
    : context(context) {
  // Requests each category: `all` only extends categories that are present.
  remark::RemarkCategories every{".*", ".*", ".*", ".*", ".*"};
  // Fails for streamers that only write files.
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<JsonStreamer>(remarks),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), every);
}

RemarkCollector::~RemarkCollector() { context.setRemarkEngine(nullptr); }
