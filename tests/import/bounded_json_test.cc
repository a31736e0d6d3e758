// SPDX-License-Identifier: Apache-2.0
#include "thimble/json/bounded_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace thimble {
namespace {

using ::testing::HasSubstr;

std::string fault_of(const std::string& text, const JsonLimits& limits = {}) {
  try {
    (void)parse_json(text, limits);
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return "";
}

TEST(BoundedJson, ReadsWhatTheParserReads) {
  const std::string text = R"({"a": [1, -2, 2.5, "x", null, true], "b": {"a": {}, "c": [[], [0]]},)"
                           R"( "d": 18446744073709551615})";
  EXPECT_EQ(parse_json(text, {}), nlohmann::json::parse(text));
  EXPECT_EQ(parse_json(" 7 ", {}), nlohmann::json(7));
}

TEST(BoundedJson, RefusesAKeyThatStandsTwice) {
  EXPECT_THAT(fault_of(R"({"a": 1, "b": {"a": 1}, "a": 1})"),
              HasSubstr("the key 'a' stands there twice"));
}

TEST(BoundedJson, RefusesTheBracketThatIsOneTooMany) {
  EXPECT_EQ(fault_of("[[[0]]]", {.depth = 3}), "");
  EXPECT_EQ(fault_of("[[[[", {.depth = 3}), "nested more than 3 deep") << "before the end is seen";
  EXPECT_EQ(fault_of(R"({"a": [{"b": [)", {.depth = 3}), "nested more than 3 deep");
}

TEST(BoundedJson, RefusesLongText) {
  EXPECT_EQ(fault_of("[100]", {.bytes = 5}), "");
  EXPECT_THAT(fault_of("[1000]", {.bytes = 5}), HasSubstr("6 bytes of text, more than 5"));
}

TEST(BoundedJson, RefusesWhatIsNoJson) {
  for (const std::string text : {"", "{", "[1,]", "{\"a\"}", "1 2", "[nul]"})
    EXPECT_THAT(fault_of(text), HasSubstr("parse error")) << text;
}

}  // namespace
}  // namespace thimble
