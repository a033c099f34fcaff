#include "runtime/core/Checksum.h"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>

using namespace tilewright::runtime;

namespace {

std::string noise(size_t size) {
  std::mt19937 random(size);
  std::string bytes(size, '\0');
  for (char &byte : bytes)
    byte = static_cast<char>(random());
  return bytes;
}

TEST(Checksum, EveryChangedBitIsNoticed) {
  for (size_t size : {1u, 7u, 31u, 32u, 33u, 200u}) {
    const std::string bytes = noise(size);
    std::set<Checksum> seen = {checksum(bytes)};
    for (size_t bit = 0; bit < 8 * size; ++bit) {
      std::string changed = bytes;
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
      EXPECT_TRUE(seen.insert(checksum(changed)).second) << size << " " << bit;
    }
  }
}

TEST(Checksum, LengthsOfZerosAreToldApart) {
  std::set<Checksum> seen;
  for (size_t size = 0; size < 300; ++size)
    EXPECT_TRUE(seen.insert(checksum(std::string(size, '\0'))).second) << size;
}

TEST(Checksum, SwappedPiecesAreNoticed) {
  const std::string bytes = noise(256);
  for (size_t piece : {1u, 8u, 32u, 64u, 128u}) {
    std::string swapped = bytes.substr(piece, piece) + bytes.substr(0, piece) +
                          bytes.substr(2 * piece);
    EXPECT_NE(checksum(swapped), checksum(bytes)) << piece;
  }
}

TEST(Checksum, PiecesThatAreGoneAreNoticed) {
  const std::string bytes = noise(4096 + 5);
  for (size_t at = 0; at < bytes.size(); at += 512) {
    std::string holes = bytes;
    for (size_t i = at; i < std::min(at + 512, holes.size()); ++i)
      holes[i] = '\0';
    EXPECT_NE(checksum(holes), checksum(bytes)) << at;
  }
}

// Machines read entries that others wrote, so the values never change.
TEST(Checksum, StaysWhatItIs) {
  const Checksum sums = checksum("a block of code, and a little more of it");
  EXPECT_EQ(sums, (Checksum{0xb8f519d38f41b88a, 0x4c5af812296518bc,
                            0x73cb1782b300f4a7, 0xa147d5d332ff954f}));
}

} // namespace
