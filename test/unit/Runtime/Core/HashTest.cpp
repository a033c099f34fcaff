#include "runtime/core/Hash.h"

#include <gtest/gtest.h>
#include <string>

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

} // namespace
