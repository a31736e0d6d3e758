// SPDX-License-Identifier: Apache-2.0
// Names of models and text of comments, from whatever text there is.
#include "thimble/emit/names.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "thimble/emit/counter_names.h"
#include "thimble/emit/identifier.h"
#include "thimble/toolchain/process.h"

namespace thimble {
namespace {

TEST(Names, AreIdentifiersThatStayRecognisable) {
  const std::pair<const char*, const char*> cases[] = {
      {"my-model (1)", "my_model_1"},
      {"MobileNet__v2", "mobilenet_v2"},
      {"8bit", "model_8bit"},
      {"***", "model"},
      {"", "model"},
      {"_b_", "b"},
      {"Größe", "groesse"},
      {"Škoda", "skoda"},
      {"Θέση", "thesi"},
      {"модель", "modelj"},
      {"模型", "u6a21_u578b"},
      {"net 模型 2", "net_u6a21_u578b_2"},
      {"a\xff"
       "b",
       "a_xff_b"},
  };
  for (const auto& [text, name] : cases) EXPECT_EQ(identifier(text), name) << text;
}

TEST(Names, AreNoneThatMeanSomethingElse) {
  for (const char* name : {"int", "class", "stdint", "string", "main", "all", "test", "install",
                           "con", "clean", "thimble", "a_weights", "a_example"}) {
    EXPECT_EQ(identifier(name), std::string(name) + "_model");
  }
  EXPECT_EQ(identifier("STDIO"), "stdio_model");
  EXPECT_EQ(identifier("std io"), "std_io");
}

TEST(Names, ThatAreCutDiffer) {
  const std::string text(300, 'n');
  EXPECT_EQ(identifier(text).size(), 60U);
  EXPECT_NE(identifier(text), identifier(text + "n"));
  EXPECT_EQ(identifier(text), identifier(text));
}

// Names of headers in the folders that a compiler searches by itself.
std::vector<std::string> headers_of(const char* compiler) {
  const ProcessResult result = run_process(
      {.arguments = {compiler, "-E", "-v", "-x", "c++", "/dev/null"}, .working_folder = {}});
  std::vector<std::string> headers;
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);) {
    // What is installed below /usr/include is not all the compiler's.
    if (!line.starts_with(" /") || line.find("gcc") == std::string::npos) continue;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(line.substr(1), error)) {
      if (entry.path().extension() == ".h") headers.push_back(entry.path().stem().string());
    }
  }
  return headers;
}

TEST(Names, HideNoHeaderOfTheCompilers) {
  const std::vector<std::string> headers = headers_of("arm-none-eabi-g++");
  if (headers.empty()) GTEST_SKIP() << "arm-none-eabi-g++ is not installed";
  for (const std::string& header : headers) EXPECT_NE(identifier(header), header);
}

TEST(Comments, KeepPrintableTextOnOneLine) {
  EXPECT_EQ(comment_text("conv/BiasAdd;x"), "conv/BiasAdd;x");
  EXPECT_EQ(comment_text("a\nb"), "a<U+000A>b");
  EXPECT_EQ(comment_text("a*/b/*c"), "a*<U+002F>b/<U+002A>c");
  EXPECT_EQ(comment_text("end \\"), "end <U+005C>");
  EXPECT_EQ(comment_text("?\?/"), "?<U+003F>/");
  EXPECT_EQ(comment_text("\xe2\x80\xae"
                         "\xe6\xa8\xa1\x1b\x7f"),
            "<U+202E><U+6A21><U+001B><U+007F>");
  EXPECT_EQ(comment_text("\xff\xc0\x80"), "<FF><C0><80>");
}

TEST(Names, OfConstantsAreDifferentWhereThoseOfOperatorsAre) {
  EXPECT_EQ(pascal("conv_2d_0"), "Conv2d0");
  EXPECT_EQ(pascal("add_12"), "Add12");
  EXPECT_EQ(pascal("add_1_2"), "Add1_2");
}

// A call whose output begins at `begin` along an axis of kernels, one element of it.
ProgramNode call_at(size_t axis, const IndexExpr& begin) {
  Call call;
  call.kernel = portable_kernel(Family::kCopy);
  call.axes.resize(kKernelAxes, {{index(0), index(1)}, {0, 1}});
  call.axes[axis].interval = {begin, begin + 1};
  return {call};
}

ProgramNode loop_of(int number, std::vector<ProgramNode> body) {
  return {ProgramLoop{LoopId{number}, 4, std::move(body)}};
}

TEST(CounterNames, SayWhatAnIterationDoes) {
  constexpr size_t kRows = 1, kChannels = 3;
  const LoopId outer{0}, inner{1};
  // Tiles of four rows, row by row, beside channels.
  const std::vector<ProgramNode> nodes{
      loop_of(0, {loop_of(1, {call_at(kRows, {.base = 0, .terms = {{outer, 4}, {inner, 1}}})}),
                  loop_of(2, {call_at(kChannels, index(LoopId{2}, 1))})})};
  CounterNames counters;
  counters.add(nodes);
  EXPECT_EQ(counters(outer), "row_tile");
  EXPECT_EQ(counters(inner), "row");
  EXPECT_EQ(counters(LoopId{2}), "channel");
  EXPECT_EQ(loop_words(nodes), "_by_rows_and_channels");
}

TEST(CounterNames, DifferWithinOneAnother) {
  const std::vector<ProgramNode> nodes{
      loop_of(
          0, {loop_of(1, {loop_of(2, {call_at(2, {.base = 0,
                                                  .terms = {{LoopId{0}, 1}, {LoopId{1}, 1}}})})})}),
      loop_of(3, {call_at(2, index(LoopId{3}, 1))})};
  CounterNames counters;
  counters.add(nodes);
  EXPECT_EQ(counters(LoopId{0}), "column");
  EXPECT_EQ(counters(LoopId{1}), "column_2");
  EXPECT_EQ(counters(LoopId{2}), "pass");
  EXPECT_EQ(counters(LoopId{3}), "column");
  EXPECT_EQ(loop_words(nodes), "_by_columns_and_passes");
}

}  // namespace
}  // namespace thimble
