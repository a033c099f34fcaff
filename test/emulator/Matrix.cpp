// mma and wgmma, and the loads and stores of their fragments.

#include "test/emulator/Bind.h"

#include <algorithm>

namespace emulator {

namespace {

/// The element type of an operand.
struct Elements {
  std::string type;
  unsigned bits;
  bool isFloat, isSigned;

  explicit Elements(const std::string &name)
      : type(name), bits(8 * bytesOfType(name)), isFloat(true),
        isSigned(name[0] == 's') {
    isFloat = name[0] != 's' && name[0] != 'u';
  }

  double decode(uint64_t raw) const {
    if (type == "f64")
      return fromBits<double>(raw);
    if (type == "f32")
      return fromBits<float>(raw);
    // The hardware ignores the low bits.
    if (type == "tf32")
      return fromBits<float>(raw & 0xffffe000);
    if (isFloat)
      return formatOf(type)->decode(static_cast<uint32_t>(raw));
    const uint64_t mask = (uint64_t(1) << bits) - 1;
    if (bits == 32)
      return fromBits<int32_t>(raw);
    return isSigned ? fromBits<int8_t>(raw & mask)
                    : static_cast<double>(raw & mask);
  }
};

/// M, N and K of a word such as "m16n8k16".
struct Shape {
  unsigned m = 0, n = 0, k = 0;

  explicit Shape(const Instruction &instruction) {
    for (const std::string &word : instruction.words)
      if (std::sscanf(word.c_str(), "m%un%uk%u", &m, &n, &k) == 3)
        return;
  }
};

/// An operand of one warp, by row and column.
struct Matrix {
  unsigned rows, columns;
  std::vector<double> values;

  Matrix(unsigned rows, unsigned columns)
      : rows(rows), columns(columns), values(size_t(rows) * columns) {}
  double &at(unsigned row, unsigned column) {
    return values[size_t(row) * columns + column];
  }
  double at(unsigned row, unsigned column) const {
    return values[size_t(row) * columns + column];
  }
};

/// Calls `body` with lane, register, lowest bit, row and column of each element
/// of A. Rows are spread over groups of four lanes, whose registers hold
/// neighbours in K.
template <typename Body>
void forA(unsigned registers, unsigned bits, unsigned registerBits, Body body) {
  const unsigned packed = registerBits / bits;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < registers; ++i)
      for (unsigned j = 0; j < packed; ++j)
        body(lane, i, j * bits, lane / 4 + 8 * (i & 1),
             packed * (lane % 4) + j + 4 * packed * (i >> 1));
}

template <typename Body>
void forB(unsigned registers, unsigned bits, unsigned registerBits, Body body) {
  const unsigned packed = registerBits / bits;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < registers; ++i)
      for (unsigned j = 0; j < packed; ++j)
        body(lane, i, j * bits, packed * (lane % 4) + j + 4 * packed * i,
             lane / 4);
}

/// Same for accumulators, whose columns are distributed in groups of eight.
template <typename Body>
void forSums(unsigned registers, unsigned bits, unsigned registerBits,
             unsigned rows, Body body) {
  const unsigned packed = registerBits / bits;
  const unsigned perTile = rows * 8 / kLanes / packed;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < registers; ++i)
      for (unsigned j = 0; j < packed; ++j) {
        const unsigned tile = i / perTile, element = i % perTile * packed + j;
        body(lane, i, j * bits, lane / 4 + 8 * (element >> 1),
             8 * tile + 2 * (lane % 4) + (element & 1));
      }
}

uint64_t bitsAt(uint64_t value, unsigned lowest, unsigned bits) {
  return bits == 64 ? value : value >> lowest & ((uint64_t(1) << bits) - 1);
}

/// The accumulators of one warp in registers.
struct Accumulators {
  std::vector<Operand> registers;
  Elements elements;
  unsigned rows, columns;

  unsigned registerBits() const { return elements.bits == 64 ? 64 : 32; }

  Matrix read(Warp &warp, const std::vector<Operand> &from) const {
    Matrix made(rows, columns);
    forSums(static_cast<unsigned>(from.size()), elements.bits, registerBits(),
            rows,
            [&](unsigned lane, unsigned i, unsigned lowest, unsigned row,
                unsigned column) {
              made.at(row, column) = elements.decode(
                  bitsAt(warp.get(from[i], lane), lowest, elements.bits));
            });
    return made;
  }

  uint64_t encode(double value) const {
    if (elements.type == "f64")
      return toBits(value);
    if (elements.type == "f32")
      return toBits(static_cast<float>(value));
    if (elements.isFloat)
      return formatOf(elements.type)->encode(value, false);
    return static_cast<uint64_t>(static_cast<int64_t>(value)) & 0xffffffff;
  }

  void write(Warp &warp, const Matrix &values) const {
    std::vector<uint64_t> made(registers.size() * kLanes);
    forSums(static_cast<unsigned>(registers.size()), elements.bits,
            registerBits(), rows,
            [&](unsigned lane, unsigned i, unsigned lowest, unsigned row,
                unsigned column) {
              made[i * kLanes + lane] |= encode(values.at(row, column))
                                         << lowest;
            });
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (size_t i = 0; i < registers.size(); ++i)
        warp.set(registers[i], lane, made[i * kLanes + lane]);
  }
};

void multiply(const Matrix &a, const Matrix &b, Matrix &sums) {
  for (unsigned row = 0; row < a.rows; ++row)
    for (unsigned k = 0; k < a.columns; ++k) {
      const double left = a.at(row, k);
      const double *right = &b.values[size_t(k) * b.columns];
      double *to = &sums.values[size_t(row) * sums.columns];
      for (unsigned column = 0; column < b.columns; ++column)
        to[column] += left * right[column];
    }
}

Matrix readA(Warp &warp, const std::vector<Operand> &registers,
             const Elements &elements, unsigned rows, unsigned k) {
  Matrix made(rows, k);
  const unsigned width = elements.bits == 64 ? 64 : 32;
  // Blocks of 8 rows have one register for two of 16 rows.
  const unsigned step = rows == 8 ? 2 : 1;
  forA(static_cast<unsigned>(registers.size()) * step, elements.bits, width,
       [&](unsigned lane, unsigned i, unsigned lowest, unsigned row,
           unsigned column) {
         if (row < rows)
           made.at(row, column) = elements.decode(bitsAt(
               warp.get(registers[i / step], lane), lowest, elements.bits));
       });
  return made;
}

} // namespace

/// mma.sync: A is row-major and B column-major.
static Action bindMma(const Instruction &instruction) {
  const Shape shape(instruction);
  const std::vector<std::string> &words = instruction.words;
  if (!instruction.has("row") || !instruction.has("col") || shape.n != 8 ||
      instruction.has("sp") || instruction.has("kind::mxf8f6f4"))
    return {};
  const size_t end = words.size();
  const Elements ofA(words[end - 3]), ofB(words[end - 2]);
  const Accumulators sums = {elementsOf(instruction.operands[0]),
                             Elements(words[end - 4]), shape.m, shape.n};
  const std::vector<Operand> a = elementsOf(instruction.operands[1]),
                             b = elementsOf(instruction.operands[2]),
                             c = elementsOf(instruction.operands[3]);
  if (ofA.bits < 8)
    return {};
  return [=](Warp &warp, uint32_t) {
    const Matrix left = readA(warp, a, ofA, shape.m, shape.k);
    Matrix right(shape.k, shape.n);
    forB(static_cast<unsigned>(b.size()), ofB.bits, ofB.bits == 64 ? 64 : 32,
         [&](unsigned lane, unsigned i, unsigned lowest, unsigned row,
             unsigned column) {
           right.at(row, column) =
               ofB.decode(bitsAt(warp.get(b[i], lane), lowest, ofB.bits));
         });
    Matrix all = sums.read(warp, c);
    multiply(left, right, all);
    sums.write(warp, all);
    return Outcome::Done;
  };
}

namespace {
/// A matrix in shared memory, as the descriptor of a wgmma gives it.
struct SharedMatrix {
  uint64_t descriptor;
  /// Contiguous along M or N, not along K.
  bool isTransposed;

  uint64_t start() const { return (descriptor & 0x3fff) << 4; }
  uint64_t leading() const { return (descriptor >> 16 & 0x3fff) << 4; }
  uint64_t stride() const { return (descriptor >> 32 & 0x3fff) << 4; }
  /// Bytes of a row of the swizzle pattern: 16 without a swizzle.
  unsigned span() const {
    constexpr unsigned kSpans[] = {16, 128, 64, 32};
    return kSpans[descriptor >> 62];
  }

  uint64_t address(unsigned outer, unsigned k, unsigned bytes) const {
    const unsigned width = span();
    uint64_t offset;
    if (!isTransposed) {
      const unsigned along = k * bytes;
      offset = start() + outer / 8 * stride() + outer % 8 * width +
               along / width * leading() + along % width;
    } else {
      const unsigned along = outer * bytes;
      // Without a swizzle the two strides are exchanged.
      const bool isPlain = width == 16;
      offset = start() + along / width * (isPlain ? stride() : leading()) +
               k / 8 * (isPlain ? leading() : stride()) + k % 8 * width +
               along % width;
    }
    const uint64_t turned = offset >> 7 & (width / 16 - 1);
    return offset ^ turned << 4;
  }
};
} // namespace

static void readShared(Warp &warp, const SharedMatrix &matrix,
                       const Elements &elements, unsigned first, Matrix &to,
                       bool isA) {
  const unsigned bytes = elements.bits / 8;
  const unsigned outers = isA ? to.rows : to.columns,
                 depth = isA ? to.columns : to.rows;
  for (unsigned i = 0; i < outers; ++i)
    for (unsigned k = 0; k < depth; ++k) {
      uint64_t raw = 0;
      std::memcpy(&raw,
                  warp.block.shared(matrix.address(first + i, k, bytes), bytes),
                  bytes);
      (isA ? to.at(i, k) : to.at(k, i)) = elements.decode(raw);
    }
}

/// wgmma.mma_async: each warp of the group computes sixteen rows on its own.
static Action bindWgmma(const Instruction &instruction) {
  const Shape shape(instruction);
  const std::vector<std::string> &words = instruction.words;
  if (instruction.has("sp") || shape.m != 64)
    return {};
  const size_t end = words.size();
  const Elements ofA(words[end - 2]), ofB(words[end - 1]);
  const Accumulators sums = {elementsOf(instruction.operands[0]),
                             Elements(words[end - 3]), 16, shape.n};
  const std::vector<Operand> o = instruction.operands;
  const auto flag = [&](size_t at, uint64_t otherwise) {
    return at < o.size() ? o[at].bits : otherwise;
  };
  const bool fromRegisters = o[1].kind == Operand::Vector;
  const double signA = flag(4, 1) == 1 ? 1 : -1,
               signB = flag(5, 1) == 1 ? 1 : -1;
  const bool transposesA = !fromRegisters && flag(6, 0);
  const bool transposesB = flag(fromRegisters ? 6 : 7, 0);
  return [=](Warp &warp, uint32_t) {
    const bool adds = warp.test(o[3], 0);
    const SharedMatrix right = {warp.get(o[2], 0), transposesB};
    const SharedMatrix left = {fromRegisters ? 0 : warp.get(o[1], 0),
                               transposesA};
    const unsigned firstRow = warp.index % 4 * 16;
    warp.wgmmas.add([=, &warp] {
      Matrix a(16, shape.k), b(shape.k, shape.n);
      if (fromRegisters)
        a = readA(warp, o[1].parts, ofA, 16, shape.k);
      else
        readShared(warp, left, ofA, firstRow, a, /*isA=*/true);
      readShared(warp, right, ofB, 0, b, /*isA=*/false);
      for (double &value : a.values)
        value *= signA * signB;
      Matrix all = adds ? sums.read(warp, sums.registers) : Matrix(16, shape.n);
      multiply(a, b, all);
      sums.write(warp, all);
    });
    return Outcome::Done;
  };
}

/// Loads or stores rows of eight 16-bit elements. The lanes give the addresses
/// of the rows, and the registers of the warp hold the fragments.
static Action bindFragments(const Instruction &instruction) {
  const bool loads = instruction.words[0] == "ldmatrix";
  const bool isTransposed = instruction.has("trans");
  if (!instruction.has("m8n8"))
    return {};
  const Operand address = instruction.operands[loads ? 1 : 0];
  const std::vector<Operand> registers =
      elementsOf(instruction.operands[loads ? 0 : 1]);
  return [=](Warp &warp, uint32_t) {
    for (unsigned i = 0; i < registers.size(); ++i) {
      char *rows[8];
      for (unsigned row = 0; row < 8; ++row)
        rows[row] = warp.memory(Space::Shared, address, 16, 8 * i + row);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        uint64_t bits = loads ? 0 : warp.get(registers[i], lane);
        for (unsigned j = 0; j < 2; ++j) {
          const unsigned one = lane / 4, other = 2 * (lane % 4) + j;
          char *element =
              isTransposed ? rows[other] + 2 * one : rows[one] + 2 * other;
          uint16_t value = static_cast<uint16_t>(bits >> (16 * j));
          if (!loads) {
            std::memcpy(element, &value, 2);
            continue;
          }
          std::memcpy(&value, element, 2);
          bits |= static_cast<uint64_t>(value) << (16 * j);
        }
        if (loads)
          warp.set(registers[i], lane, bits);
      }
    }
    return Outcome::Done;
  };
}

Action bindMatrix(Instruction &instruction) {
  const std::string &name = instruction.words[0];
  if (name == "mma" || name == "ldmatrix" || name == "stmatrix") {
    instruction.isCollective = true;
    return name == "mma" ? bindMma(instruction) : bindFragments(instruction);
  }
  if (name != "wgmma")
    return {};
  instruction.isCollective = true;
  const std::string &what = instruction.words[1];
  if (what == "mma_async")
    return bindWgmma(instruction);
  if (what == "fence")
    return nothing();
  if (what == "commit_group")
    return [](Warp &warp, uint32_t) {
      warp.wgmmas.commit();
      return Outcome::Done;
    };
  return [groups = instruction.operands[0].bits](Warp &warp, uint32_t) {
    warp.wgmmas.wait(groups);
    return Outcome::Done;
  };
}

} // namespace emulator
