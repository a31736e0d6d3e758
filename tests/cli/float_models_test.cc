// SPDX-License-Identifier: Apache-2.0
// Long LSTM of float32 and weights of int8 beside it: bytes of flash, with the compiler's figures.
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/support/shared.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;

class FloatModels : public CommandLine {
 protected:
  void SetUp() override { THIMBLE_NEEDS_SHARED(); }
  static std::string finding(const std::string& name) {
    return (shared_folder() / "findings" / (name + ".tflite")).string();
  }
  [[nodiscard]] nlohmann::json measured(const std::string& name,
                                        const char* weights = "auto") const {
    const ProcessResult result =
        thimble({"compile", finding(name), "--core", "cortex-m4", "--weights", weights, "--measure",
                 "-o", "out", "--force", "--json", "r.json"});
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("verified yes"));
    return json_of(read("r.json"));
  }
  /// The line of the only output.
  [[nodiscard]] std::string output(const std::string& name, const char* on,
                                   const char* weights = "auto") const {
    const std::string text = thimble({"run", finding(name), "--on", on, "--weights", weights}).out;
    const size_t at = text.find("output 0");
    return at == std::string::npos ? text : text.substr(at, text.find('\n', at) - at);
  }
};

/// Two layers of 150 times, of 3,072 and 4,800 B, and two of 2,060 B.
TEST_F(FloatModels, AnLstmOf150TimesTakesFewBytesBesideItsWeights) {
  const std::string model = "eloquent_lstm";
  if (!std::filesystem::exists(finding(model))) GTEST_SKIP() << "needs " << model;
  const auto begin = std::chrono::steady_clock::now();
  const nlohmann::json r = measured(model);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  constexpr int64_t kOwnWeights = 3'072 + 4'800 + 2'060;
  EXPECT_LE(r.at("flash").at("code_bytes").get<int64_t>() +
                r.at("flash").at("weight_bytes").get<int64_t>() - kOwnWeights,
            12 * 1024);
  EXPECT_LE(r.at("arena_bytes"), 14'880);
  EXPECT_EQ(output(model, "host"), output(model, "reference"));
  EXPECT_THAT(output(model, "host"), HasSubstr("0.463988 0.31901 0.217003"));
}

TEST_F(FloatModels, WeightsOfInt8TakeWhatTheyTakeInTheFile) {
  const std::string model = "tflm1556_hybrid";
  if (!std::filesystem::exists(finding(model))) GTEST_SKIP() << "needs " << model;
  const auto file = static_cast<int64_t>(std::filesystem::file_size(finding(model)));
  EXPECT_LE(measured(model).at("flash").at("weight_bytes").get<int64_t>(), file);
  EXPECT_EQ(output(model, "host"), output(model, "reference"));
  EXPECT_THAT(output(model, "host"), HasSubstr("-9.19707 -13.4822 -38.44 18.3577"));
  EXPECT_THAT(thimble({"inspect", finding(model)}).out, HasSubstr("float32, weights int8"));
  // The other way, for those who have the room: as fast as if the file had them in float32.
  const nlohmann::json kept = measured(model), wide = measured(model, "wide");
  EXPECT_GT(wide.at("flash").at("weight_bytes"), file);
  EXPECT_LT(wide.at("estimate").at("instructions").get<int64_t>(),
            kept.at("estimate").at("instructions").get<int64_t>());
  EXPECT_EQ(output(model, "host", "wide"), output(model, "reference"));
}

}  // namespace
}  // namespace thimble::testing
