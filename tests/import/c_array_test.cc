// SPDX-License-Identifier: Apache-2.0
// Models as C sources.
#include "thimble/import/c_array.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import/tflite_builder.h"
#include "thimble/import/survey.h"
#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;

std::optional<Bytes> held(const std::string& text) {
  return model_in_c_array({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, "m.cc");
}

/// form: of each byte, "0x{:02x}".
std::string listed(const Bytes& bytes, const char* form) {
  std::string text;
  for (const uint8_t byte : bytes) text += fmt::format(fmt::runtime(form), byte) + ", ";
  return text;
}

TEST(CArray, HoldsWhatStandsInIt) {
  const Bytes model = small_network().bytes();
  for (const char* form : {"0x{:02x}", "{}", "0X{:02X}U", "\n  /* {0} */ {0}  // {0}, 7\n"}) {
    const std::string text =
        "// {1, 2}\n#include \"model.h\"\n#define M {3}\nint other[] = {4, 5};\n"
        "alignas(16) const unsigned char g_model[] DATA_ALIGN_ATTRIBUTE = {" +
        listed(model, form) + "};\nconst int g_model_len = 7;\n";
    EXPECT_EQ(held(text), model) << form;
  }
}

TEST(CArray, IsNotSeenWhereThereIsNone) {
  for (const char* text : {"", "{", "= {", "int m[] = {1, 2};", "a model", "/* = {", "= {= {= {"})
    EXPECT_EQ(held(text), std::nullopt) << text;
}

TEST(CArray, ThatIsDamagedIsRefused) {
  const std::string begin = "int m[] = {" + listed(small_network().bytes(), "{}");
  for (const auto& [end, message] : {std::pair{"", "is a C array that is cut off behind"},
                                     {"256}", "is '256', not a byte"},
                                     {"-1}", "is '-', not a byte"},
                                     {"x}", "is 'x', not a byte"}}) {
    try {
      (void)held(begin + end);
      ADD_FAILURE() << end;
    } catch (const CompileError& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
  }
}

// "Quantise it" is of use only where the operator is taken in int8.
TEST(Help, FollowsFromTheOperator) {
  const Survey survey = survey_tflite(unsupported_network().bytes(), "net", "net.tflite");
  for (const Obstacle& obstacle : survey.obstacles)
    EXPECT_EQ(obstacle.reason.starts_with("TOPK_V2"), obstacle.help.empty()) << obstacle.reason;
}

}  // namespace
}  // namespace thimble::testing
