// SPDX-License-Identifier: Apache-2.0
// Examples of FIPS 180-4, and every place that the end of a text can have in a block.
#include "thimble/import/sha256.h"

#include <gtest/gtest.h>

#include "thimble/model/graph.h"

namespace thimble {
namespace {

TEST(Sha256, IsThatOfTheStandardsExamples) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// The digests of 0, 1, .., 255 letters x, one after the other, hashed: what sha256sum gives.
TEST(Sha256, TakesTextsOfEveryLength) {
  std::string digests;
  for (size_t length = 0; length < 256; ++length) digests += sha256(std::string(length, 'x'));
  EXPECT_EQ(sha256(digests), "16a386ccdc473081470491c28d9a8e7060fbcfa888a8cd4354861367c1852b57");
}

TEST(Sha256, DoesNotSeeWhereATextIsCut) {
  const std::string text(200, 'x');
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    const Bytes rest(text.begin() + static_cast<ptrdiff_t>(cut), text.end());
    EXPECT_EQ(sha256(text.substr(0, cut), rest), sha256(text)) << cut;
  }
}

}  // namespace
}  // namespace thimble
