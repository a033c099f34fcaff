// Random layouts for property tests. Seeded, so that failures are reproducible.

#ifndef TILEWRIGHT_TEST_UNIT_LAYOUT_RANDOMLAYOUT_H
#define TILEWRIGHT_TEST_UNIT_LAYOUT_RANDOMLAYOUT_H

#include "lib/Layout/F2.h"
#include "lib/Layout/LinearLayout.h"

#include <random>

namespace tilewright::test {

class LayoutGenerator {
public:
  explicit LayoutGenerator(unsigned seed) : engine(seed) {}

  unsigned below(unsigned bound) { return engine() % bound; }

  uint64_t word(unsigned bits) {
    return bits ? engine() & (~uint64_t(0) >> (64 - bits)) : 0;
  }

  /// Any linear map between these axes.
  LinearLayout any(llvm::ArrayRef<Extent> ins, llvm::ArrayRef<Extent> outs) {
    unsigned inBits = 0, outBits = 0;
    for (const Extent &e : ins)
      inBits += e.bits;
    for (const Extent &e : outs)
      outBits += e.bits;
    llvm::SmallVector<uint64_t> columns;
    for (unsigned i = 0; i < inBits; ++i)
      columns.push_back(word(outBits));
    return LinearLayout(ins, outs, columns);
  }

  LinearLayout surjective(llvm::ArrayRef<Extent> ins,
                          llvm::ArrayRef<Extent> outs) {
    LinearLayout layout = any(ins, outs);
    while (!layout.isSurjective())
      layout = any(ins, outs);
    return layout;
  }

  /// A layout of a tile over registers, lanes and warps that holds every
  /// element, mostly with copies.
  LinearLayout tile(llvm::ArrayRef<int64_t> shape, unsigned registerBits,
                    unsigned warpBits);

private:
  std::mt19937_64 engine;
};

inline LinearLayout LayoutGenerator::tile(llvm::ArrayRef<int64_t> shape,
                                          unsigned registerBits,
                                          unsigned warpBits) {
  llvm::SmallVector<Extent> outs;
  for (auto [d, size] : llvm::enumerate(shape))
    outs.push_back({dimAxis(d), unsigned(llvm::countr_zero(uint64_t(size)))});
  return surjective({{LayoutAxis::Register, registerBits},
                     {LayoutAxis::Lane, 5},
                     {LayoutAxis::Warp, warpBits}},
                    outs);
}

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_UNIT_LAYOUT_RANDOMLAYOUT_H
