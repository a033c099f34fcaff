#include "runtime/cuda/LaunchRecipe.h"

#include <algorithm>
#include <string>

namespace tilewright::runtime::cuda {

static Status malformed(const char *what) {
  return Status(StatusCode::InvalidArgument,
                std::string("malformed launch recipe: ") + what);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// The deepest stack that a program may use.
static constexpr int kMaxDepth = 16;

Result<HostProgram> HostProgram::create(std::vector<Step> steps,
                                        size_t numParameters) {
  int depth = 0;
  for (const Step &step : steps) {
    bool pushes = step.kind == Argument || step.kind == Constant;
    depth += pushes ? 1 : -1;
    if (depth < 1 || depth > kMaxDepth)
      return malformed("a program's stack");
    if (step.kind == Argument &&
        (step.value < 0 || uint64_t(step.value) >= numParameters))
      return malformed("the number of a parameter");
  }
  if (depth != 1)
    return malformed("a program's result");
  HostProgram program;
  program.steps = std::move(steps);
  return program;
}

/// Wraps around, like the kernel's own arithmetic.
static int64_t apply(HostProgram::Kind kind, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (kind) {
  case HostProgram::Add:
    return static_cast<int64_t>(x + y);
  case HostProgram::Sub:
    return static_cast<int64_t>(x - y);
  case HostProgram::Mul:
    return static_cast<int64_t>(x * y);
  case HostProgram::Min:
    return std::min(a, b);
  default:
    return std::max(a, b);
  }
}

int64_t HostProgram::run(void *const *parameters) const {
  int64_t stack[kMaxDepth];
  int depth = 0;
  for (const Step &step : steps) {
    if (step.kind == Argument) {
      stack[depth++] = *static_cast<const int64_t *>(parameters[step.value]);
    } else if (step.kind == Constant) {
      stack[depth++] = step.value;
    } else {
      --depth;
      stack[depth - 1] = apply(step.kind, stack[depth - 1], stack[depth]);
    }
  }
  return stack[0];
}

void HostProgram::markParameters(std::vector<bool> &isUsed) const {
  for (const Step &step : steps)
    if (step.kind == Argument)
      isUsed[static_cast<size_t>(step.value)] = true;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

ArrayView TensorMapRecipe::view(void *const *parameters) const {
  ArrayView view;
  view.base = static_cast<uint64_t>(base.run(parameters));
  for (size_t i = 0; i < shape.size(); ++i)
    view.shape[i] = shape[i].run(parameters);
  for (size_t i = 0; i < strides.size(); ++i)
    view.strides[i] = strides[i].run(parameters);
  return view;
}

void TensorMapRecipe::markParameters(std::vector<bool> &isUsed) const {
  base.markParameters(isUsed);
  for (const auto *programs : {&shape, &strides})
    for (const HostProgram &program : *programs)
      program.markParameters(isUsed);
}

static int swizzleCode(int bytes) {
  return bytes == 32 ? 1 : bytes == 64 ? 2 : bytes == 128 ? 3 : 0;
}

static std::string describe(const ArrayView &view, size_t rank) {
  std::string text = "an array of shape (";
  for (size_t i = 0; i < rank; ++i)
    text += (i ? ", " : "") + std::to_string(view.shape[i]);
  text += ") and strides (";
  for (size_t i = 0; i + 1 < rank; ++i)
    text += std::to_string(view.strides[i]) + ", ";
  return text + "1)";
}

Status TensorMapRecipe::encode(const Driver &driver, const ArrayView &view,
                               TensorMap &map) const {
  if (!driver.tensorMapEncodeTiled)
    return Status(StatusCode::Unsupported,
                  "CUDA driver too old: have " +
                      formatDriverVersion(driver.version()) +
                      ", need 12.0 for tensor maps");
  // The driver lists the innermost dimension first.
  uint64_t sizes[5], strideBytes[4];
  uint32_t boxSizes[5], steps[5];
  uint64_t alignment = view.base;
  for (size_t i = 0; i < rank(); ++i) {
    size_t from = rank() - 1 - i;
    sizes[i] = static_cast<uint64_t>(view.shape[from]);
    boxSizes[i] = static_cast<uint32_t>(box[from]);
    steps[i] = 1;
    if (i > 0)
      alignment |= strideBytes[i - 1] =
          static_cast<uint64_t>(view.strides[from] * elementBytes);
  }
  // Whole blocks of 256 bytes would fetch far more than needed for a row that
  // starts within a block.
  constexpr int kInterleaveNone = 0, kPromotionL2_128B = 2,
                kPromotionL2_256B = 3;
  int promotion = alignment % 256 == 0 ? kPromotionL2_256B : kPromotionL2_128B;
  DriverResult result = driver.tensorMapEncodeTiled(
      &map, element, static_cast<uint32_t>(rank()), view.base, sizes,
      strideBytes, boxSizes, steps, kInterleaveNone, swizzleCode(swizzleBytes),
      promotion, padsWithNaN ? 1 : 0);
  if (result == kSuccess)
    return Status::success();
  return Status(StatusCode::Unsupported,
                "the tensor memory accelerator cannot copy from " +
                    describe(view, rank()));
}

//===----------------------------------------------------------------------===//
// Recipes
//===----------------------------------------------------------------------===//

namespace {

/// Reads numbers one by one. After the end or after a number out of range,
/// every read fails and returns zero.
class Reader {
public:
  Reader(const int64_t *numbers, size_t count)
      : next(numbers), end(numbers + count) {}

  int64_t number(int64_t least, int64_t most) {
    if (failed || next == end || *next < least || *next > most) {
      failed = true;
      return 0;
    }
    return *next++;
  }
  bool ok() const { return !failed; }
  bool atEnd() const { return next == end; }

private:
  const int64_t *next, *end;
  bool failed = false;
};

} // namespace

static constexpr int64_t kMaxSteps = 64;

static Status readProgram(Reader &reader, size_t numParameters,
                          HostProgram &program) {
  std::vector<HostProgram::Step> steps(reader.number(1, kMaxSteps));
  for (HostProgram::Step &step : steps) {
    step.kind = static_cast<HostProgram::Kind>(
        reader.number(HostProgram::Argument, HostProgram::Max));
    step.value = reader.number(INT64_MIN, INT64_MAX);
  }
  if (!reader.ok())
    return malformed("a program");
  Result<HostProgram> created =
      HostProgram::create(std::move(steps), numParameters);
  if (!created.ok())
    return created.status();
  program = std::move(*created);
  return Status::success();
}

static Status readMap(Reader &reader, size_t numParameters,
                      TensorMapRecipe &map) {
  map.element = static_cast<int>(reader.number(0, 15));
  map.elementBytes = reader.number(1, 8);
  map.swizzleBytes = static_cast<int>(reader.number(0, 128));
  map.padsWithNaN = reader.number(0, 1) != 0;
  map.box.resize(reader.number(1, 5));
  for (int64_t &size : map.box)
    size = reader.number(1, 256);
  if (!reader.ok())
    return malformed("a tensor map");
  map.shape.resize(map.rank());
  map.strides.resize(map.rank() - 1);
  if (Status s = readProgram(reader, numParameters, map.base); !s.ok())
    return s;
  for (auto *programs : {&map.shape, &map.strides})
    for (HostProgram &program : *programs)
      if (Status s = readProgram(reader, numParameters, program); !s.ok())
        return s;
  return Status::success();
}

Result<LaunchRecipe> LaunchRecipe::parse(const int64_t *numbers, size_t count) {
  Reader reader(numbers, count);
  LaunchRecipe recipe;
  recipe.numParameters = reader.number(0, LaunchRecipe::kMaxParameters);
  recipe.grid =
      static_cast<GridKind>(reader.number(0, int64_t(GridKind::Ordered)));
  recipe.maps.resize(reader.number(0, LaunchRecipe::kMaxMaps));
  if (!reader.ok())
    return malformed("its head");
  for (TensorMapRecipe &map : recipe.maps)
    if (Status s = readMap(reader, recipe.numParameters, map); !s.ok())
      return s;
  if (!reader.atEnd())
    recipe.extraSharedBytes = reader.number(1, LaunchRecipe::kMostSharedBytes);
  if (!reader.atEnd())
    return malformed("numbers after its end");
  return recipe;
}

} // namespace tilewright::runtime::cuda
