// SPDX-License-Identifier: Apache-2.0
// The emitted header by itself: macros, and functions between the application's numbers and the
// network's, against what libm's round() gives.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/test_graph.h"
#include "thimble/driver/driver.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A network that hands its input on as a vector.
struct Port8 {
  DType type = DType::kInt8;
  float scale = 1;
  int32_t zero_point = 0;
  Shape shape = {1, 2, 3, 1};
  TensorMetadata says = {};
  std::vector<std::string> labels = {};
};

std::string text_of(const std::vector<EmittedFile>& files, const std::string& path) {
  for (const EmittedFile& file : files) {
    if (file.path == path) return file.text;
  }
  ADD_FAILURE() << "there is no " << path;
  return "";
}

std::vector<EmittedFile> emitted(const Port8& port, const std::string& name) {
  testing::TestGraph t(1);
  const TensorId x = t.input(port.shape);
  const TensorId y = t.reshape(x, {1, elements(port.shape)});
  t.output(y);
  for (const TensorId id : {x, y}) {
    Tensor& tensor = t.graph().tensors[id.index()];
    tensor.type = port.type;
    tensor.quantization = {};
    if (port.type != DType::kFloat32)
      tensor.quantization = {.scales = {port.scale}, .zero_points = {port.zero_point}};
  }
  Source source = source_of(t.graph());
  source.metadata.inputs = {port.says};
  Request request{.model = source, .planner = "original", .emission = Emission{.name = name}};
  if (!port.labels.empty()) request.labels = {"labels", port.labels};
  return std::get<Compiled>(compile(request)).files;
}

/// Loops over what the functions of `name` take; each fault is printed.
std::string checks(const std::string& name, const std::string& pixel) {
  std::string capital = name;
  for (char& c : capital) c = static_cast<char>(std::toupper(c));
  std::string text = fmt::format(
      "static void check_{0}(double least, double most) {{\n"
      "  for (int k = -70000; k <= 70000; ++k) {{\n"
      "    for (int part = 0; part < 4; ++part) {{\n"
      "      const float real = ((float)k + 0.25f * (float)part) * {1}_INPUT_SCALE;\n"
      "      double wanted = round((double)(real / {1}_INPUT_SCALE)) + {1}_INPUT_ZERO_POINT;\n"
      "      wanted = wanted < least ? least : wanted > most ? most : wanted;\n"
      "      check((double){0}_quantize(real) == wanted, \"{0}_quantize\", k);\n    }}\n"
      "    if (k < least || k > most) continue;\n"
      "    {{\n      const float real = (float)((double){1}_OUTPUT_SCALE * (k - "
      "{1}_OUTPUT_ZERO_POINT));\n"
      "      check({0}_dequantize(({2}_value)k) == real, \"{0}_dequantize\", k);\n    }}\n  }}\n"
      "  check((double){0}_quantize(3e38f) == most, \"{0}: large\", 0);\n"
      "  check((double){0}_quantize(-3e38f) == least, \"{0}: small\", 0);\n"
      "  check({0}_quantize(nanf(\"\")) == {1}_INPUT_ZERO_POINT, \"{0}: NaN\", 0);\n",
      name, capital, name);
  if (!pixel.empty())
    text += fmt::format(
        "  for (int p = 0; p < 256; ++p) {{\n    const uint8_t pixel = (uint8_t)p;\n"
        "    {0}_value one;\n    {0}_quantize_pixels(&pixel, &one, 1);\n"
        "    check({0}_quantize_u8(pixel) == ({1}) && one == ({1}), \"{0}_quantize_u8\", p);\n  "
        "}}\n",
        name, pixel);
  return text + "}\n";
}

constexpr const char* kProgram =
    "#include <math.h>\n#include <stdio.h>\n"
    "static int faults;\n"
    "static void check(bool right, const char* what, int k) {\n"
    "  if (!right && ++faults < 9) printf(\"%s of %d\\n\", what, k);\n}\n";

/// Compiles the folder's main.c as C99 and as C++17, with warnings as errors, and runs it.
void expect_runs(const std::filesystem::path& folder) {
  std::filesystem::copy_file(folder / "main.c", folder / "main.cc");
  for (const std::string compiler : {"gcc -std=c99", "g++ -std=c++17"}) {
    const std::string main = compiler[1] == 'c' ? "main.c" : "main.cc";
    const ProcessResult result = run_process(
        {.arguments = {"sh", "-c",
                       compiler +
                           " -Wall -Wextra -Wpedantic -Wconversion -Werror -ffp-contract=off -c " +
                           main +
                           " -o main.o && for f in *_labels.cc; do [ ! -f $f ] || g++ -c $f; done "
                           "&& g++ *.o -lm && ./a.out"},
         .working_folder = folder});
    EXPECT_EQ(result.exit_status, 0) << compiler << ": " << result.out << result.err;
  }
}

// Several in one program, as a firmware of several models has them.
TEST(Header, HelpersRoundAsTheReference) {
  const TemporaryFolder folder;
  struct Case {
    const char* name;
    Port8 port;
    const char *least, *most, *type;
    std::string pixel;
  };
  const std::vector<Case> cases = {
      {"unit", {DType::kInt8, 1 / 255.0F, -128}, "-128", "127", "int8_t", "p - 128"},
      {"signed_unit", {DType::kInt8, 2 / 255.0F, -1}, "-128", "127", "int8_t", "p - 128"},
      {"bytes", {DType::kUInt8, 1 / 128.0F, 128}, "0", "255", "uint8_t", "p"},
      {"normal",
       {DType::kInt8, 0.0187F, -14, {1, 2, 3, 1}, {.mean = {127.5F}, .std = {57.0F}}},
       "-128",
       "127",
       "int8_t",
       "clamped(round(((float)p - 127.5f) / 57.0f / 0.0187f) - 14)"},
      {"said",
       {DType::kInt8, 1 / 128.0F, 0, {1, 2, 3, 1}, {.mean = {128}, .std = {128}}},
       "-128",
       "127",
       "int8_t",
       "p - 128"},
      {"unsaid", {DType::kInt8, 0.0187F, -14}, "-128", "127", "int8_t", ""},
      {"wide", {DType::kInt16, 1 / 32768.0F, 0}, "-32768", "32767", "int16_t", ""}};
  std::string includes, bodies = kProgram, calls;
  bodies += "static double clamped(double x) { return x < -128 ? -128 : x > 127 ? 127 : x; }\n";
  for (const Case& c : cases) {
    std::ofstream(folder.path() / fmt::format("{}.h", c.name))
        << text_of(emitted(c.port, c.name), fmt::format("{}.h", c.name));
    includes += fmt::format("#include \"{}.h\"\n", c.name);
    bodies += fmt::format("typedef {} {}_value;\n", c.type, c.name) + checks(c.name, c.pixel);
    calls += fmt::format("  check_{}({}, {});\n", c.name, c.least, c.most);
  }
  std::ofstream(folder.path() / "main.c") << includes << bodies << "int main(void) {\n"
                                          << calls << "  return faults != 0;\n}\n";
  expect_runs(folder.path());
}

TEST(Header, PixelsOfWhichNothingIsKnownAreTheApplications) {
  const std::string unsaid = text_of(emitted({DType::kInt8, 0.0187F, -14}, "net"), "net.h");
  EXPECT_THAT(unsaid, HasSubstr("The model does not say; nothing is assumed. */\n"
                                "#ifdef NET_INPUT_PIXEL_STD\n"));
  const std::string no_picture =
      text_of(emitted({DType::kInt8, 0.0187F, -14, {1, 10}}, "net"), "net.h");
  EXPECT_THAT(no_picture, AllOf(HasSubstr("net_quantize("), Not(HasSubstr("pixel"))));
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "net.h") << unsaid;
  std::ofstream(folder.path() / "main.c")
      << "#define NET_INPUT_PIXEL_MEAN 100.0f\n#define NET_INPUT_PIXEL_STD 50.0f\n"
         "#include \"net.h\"\n"
         "int main(void) { return net_quantize_u8(150) == 39 ? 0 : 1; }\n";  // 1 / 0.0187 - 14
  expect_runs(folder.path());
}

TEST(Header, PixelsAreNormalisedByChannel) {
  const TemporaryFolder folder;
  const std::vector<EmittedFile> files =
      emitted({DType::kFloat32, 1, 0, {1, 2, 2, 3}, {.mean = {1, 2, 3}, .std = {1, 2, 4}}}, "net");
  std::ofstream(folder.path() / "net.h") << text_of(files, "net.h");
  std::ofstream(folder.path() / "main.c")
      << "#include \"net.h\"\nint main(void) {\n  const uint8_t pixels[6] = {1, 2, 3, 2, 6, 11};\n"
         "  float values[6];\n  net_quantize_pixels(pixels, values, 6);\n"
         "  return values[0] == 0 && values[1] == 0 && values[2] == 0 && values[3] == 1 &&\n"
         "         values[4] == 2 && values[5] == 2 ? 0 : 1;\n}\n";
  expect_runs(folder.path());
}

TEST(Header, MacrosAreForThePreprocessor) {
  const TemporaryFolder folder;
  const std::vector<EmittedFile> files = emitted({DType::kUInt8, 0.5F, 3, {1, 4, 6, 2}}, "a_model");
  std::ofstream(folder.path() / "a_model.h") << text_of(files, "a_model.h");
  std::ofstream(folder.path() / "main.c")
      << "#include \"a_model.h\"\n"
         "#if A_MODEL_INPUT_HEIGHT != 4 || A_MODEL_INPUT_WIDTH != 6 || A_MODEL_INPUT_CHANNELS != "
         "2\n"
         "#error extents\n#endif\n"
         "#if A_MODEL_INPUT_RANK != 4 || A_MODEL_INPUT_DIM_2 != 6 || A_MODEL_OUTPUT_RANK != 2\n"
         "#error ranks\n#endif\n"
         "#if A_MODEL_INPUT_TYPE != THIMBLE_TYPE_UINT8 || A_MODEL_INPUT_TYPE == THIMBLE_TYPE_INT8\n"
         "#error types\n#endif\n"
         "#if A_MODEL_INPUT_ZERO_POINT != 3 || A_MODEL_INPUT_BYTES != 48\n#error sizes\n#endif\n"
         "#if A_MODEL_OUTPUT_CLASSES != 48 || A_MODEL_INPUTS != 1 || A_MODEL_OUTPUTS != 1\n"
         "#error ports\n#endif\n"
         "#if A_MODEL_ARENA_BYTES < A_MODEL_INPUT_OFFSET + 48 || A_MODEL_ARENA_ALIGNMENT < 16\n"
         "#error arena\n#endif\n"
         "int main(void) {\n  return A_MODEL_INPUT_SCALE == 0.5f && a_model_input_bytes == 48 ? 0 "
         ": 1;\n}\n";
  expect_runs(folder.path());
}

TEST(Header, TheBestClassesAreFoundAndNamed) {
  const TemporaryFolder folder;
  const std::vector<EmittedFile> files = emitted({DType::kInt8,
                                                  1,
                                                  0,
                                                  {1, 5},
                                                  {},
                                                  {"a \"cat\"",
                                                   "b\\n?"
                                                   "?/",
                                                   "Gr\xc3\xb6\xc3\x9f"
                                                   "e",
                                                   "", "e"}},
                                                 "net");
  for (const char* file : {"net.h", "net_labels.cc"})
    std::ofstream(folder.path() / file) << text_of(files, file);
  std::ofstream(folder.path() / "main.c")
      << "#include <string.h>\n#include \"net.h\"\nint main(void) {\n"
         "  const int8_t scores[5] = {3, 9, -128, 9, 4};\n  int32_t best[5] = {7, 7, 7, 7, 7};\n"
         "  if (net_top_k(scores, 0, best) != 0 || best[0] != 7) return 1;\n"
         "  if (net_top_k(scores, 3, best) != 3 || best[3] != 7) return 2;\n"
         "  if (best[0] != 1 || best[1] != 3 || best[2] != 4) return 3;\n"
         "  if (net_top_k(scores, 5, best) != 5 || best[3] != 0 || best[4] != 2) return 4;\n"
         "  if (net_top_k(scores, 1, best) != 1 || best[0] != 1) return 5;\n"
         "  if (NET_LABELS != 5 || strcmp(net_label(0), \"a \\\"cat\\\"\") != 0) return 6;\n"
         "  if (strcmp(net_label(1), \"b\\\\n?\\?/\") != 0) return 7;\n"
         "  if (strcmp(net_label(2), \"Gr\\303\\266\\303\\237\" \"e\") != 0) return 8;\n"
         "  return net_label(-1)[0] == 0 && net_label(5)[0] == 0 && net_label(3)[0] == 0 ? 0 : "
         "9;\n}\n";
  expect_runs(folder.path());
}

}  // namespace
}  // namespace thimble
