#include "runtime/core/Hash.h"
#include "runtime/core/HashBlocks.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace tilewright::runtime;

namespace {

// The examples of FIPS 180-4 and of NIST's validation suite.
TEST(Sha256, PublishedVectors) {
  EXPECT_EQ(toHex(sha256("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(toHex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(
      toHex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(toHex(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesMakeNoDifference) {
  std::string text;
  for (int i = 0; i < 300; ++i)
    text.push_back(static_cast<char>(i * 7));
  // Lengths around the block and around the room for the length field.
  for (size_t size : {1u, 55u, 56u, 57u, 63u, 64u, 65u, 119u, 120u, 128u, 300u})
    for (size_t piece : {1u, 3u, 63u, 64u, 65u}) {
      const std::string message = text.substr(0, size);
      Sha256 hash;
      for (size_t at = 0; at < size; at += piece)
        hash.update(message.substr(at, piece));
      EXPECT_EQ(hash.finish(), sha256(message)) << size << " by " << piece;
    }
}

TEST(Sha256, InstructionsDoTheSame) {
  const CompressBlocks fast = compressByInstructions();
  if (!fast)
    GTEST_SKIP() << "this processor has no instructions for it";
  std::mt19937 random(0);
  for (size_t count : {1u, 2u, 7u}) {
    std::vector<uint8_t> blocks(64 * count);
    for (uint8_t &byte : blocks)
      byte = static_cast<uint8_t>(random());
    HashState expected, state;
    for (uint32_t &word : expected)
      word = static_cast<uint32_t>(random());
    state = expected;
    compressPortably(expected, blocks.data(), count);
    fast(state, blocks.data(), count);
    EXPECT_EQ(state, expected) << count << " blocks";
  }
}

// The portable code must be correct on processors with instructions too.
TEST(Sha256, PlainWay) {
  HashState state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const uint8_t padded[64] = {0x80};
  compressPortably(state, padded, 1);
  EXPECT_EQ(state, (HashState{0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924,
                              0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855}));
}

} // namespace
