// SPDX-License-Identifier: Apache-2.0
// docs/hostile_inputs.md: what files, options and places that are wrong get. THIMBLE_UPDATE=1
// writes it anew. Each is answered by one message and exit status 1 (2: does not fit), and leaves
// nothing behind.
#include <fmt/format.h>

#include <fstream>
#include <functional>

#include "tests/cli/command_line.h"
#include "tests/cli/hostile_onnx.h"
#include "tests/import/tflite_builder.h"

namespace thimble::testing {
namespace {

const char* const kPage = THIMBLE_SOURCE_DIR "/docs/hostile_inputs.md";
using Arguments = std::vector<std::string>;

struct Hostile {
  std::string what;
  Arguments arguments;
  std::vector<std::pair<std::string, std::string>> files = {};
};

Hostile model(const std::string& what, const std::string& bytes) {
  return {what, {"compile", "m.tflite", "-o", "out"}, {{"m.tflite", bytes}}};
}

Hostile damaged(const std::string& what, const std::function<void(TfliteBuilder&)>& damage) {
  TfliteBuilder net = small_network();
  damage(net);
  return model(what, text_of(net.bytes()));
}

std::string relu_of(TfliteBuilder::Dims shape) {
  TfliteBuilder net;
  const int32_t x = net.tensor(shape), y = net.tensor(shape);
  net.op(tflite::BuiltinOperator::RELU, {x}, {y});
  net.inputs({x});
  net.outputs({y});
  return text_of(net.bytes());
}

/// A window as high as wide over one long row.
std::string endless_window() {
  TfliteBuilder net;
  const int32_t x = net.tensor({1, 1, 65535, 1}), y = net.tensor({1, 1, 65535, 1});
  tflite::Pool2DOptionsT options;
  options.padding = tflite::Padding::SAME;
  options.stride_h = options.stride_w = 1;
  options.filter_height = options.filter_width = 65535;
  net.op(tflite::BuiltinOperator::MAX_POOL_2D, {x}, {y}, options);
  net.inputs({x});
  net.outputs({y});
  return text_of(net.bytes());
}

/// behind: before the closing brace; empty: without one.
std::string c_array(const std::string& bytes, const std::string& behind) {
  std::string text = "const unsigned char m[] = {";
  for (const char byte : bytes) text += fmt::format("{}, ", static_cast<unsigned char>(byte));
  return behind.empty() ? text : text + behind + "};";
}

void make_custom(TfliteBuilder& net, const std::string& name) {
  tflite::OperatorCodeT& code = *net.model.operator_codes[0];
  code.builtin_code = tflite::BuiltinOperator::CUSTOM;
  code.deprecated_builtin_code = static_cast<int8_t>(tflite::BuiltinOperator::CUSTOM);
  code.custom_code = name;
}

std::vector<Hostile> models() {
  const std::string whole = text_of(small_network().bytes());
  std::string broken = whole;
  for (size_t at = 8; at < broken.size(); at += 7) broken[at] = '\x7F';
  return {
      {"no file", {"compile", "none.tflite", "-o", "out"}},
      {"a folder", {"compile", ".", "-o", "out"}},
      {"an endless device", {"compile", "/dev/zero", "-o", "out"}},
      model("an empty file", ""),
      model("a picture", "\x89PNG\r\n\x1a\n" + std::string(100, 'x')),
      model("a Keras file", "\x89HDF\r\n\x1a\n" + std::string(100, 'x')),
      model("an archive", "PK\x03\x04" + std::string(100, 'x')),
      model("a pointer of git-lfs",
            "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 816\n"),
      model("a C array that is cut off", c_array(whole.substr(0, 200), "")),
      model("a C array with a number that is no byte", c_array(whole, "256, ")),
      damaged("what Vela compiled", [](TfliteBuilder& net) { make_custom(net, "ethos-u"); }),
      damaged("what the Edge TPU's compiler made",
              [](TfliteBuilder& net) { make_custom(net, "edgetpu-custom-op"); }),
      model("operators that are not supported", text_of(unsupported_network().bytes())),
      model("half a model", whole.substr(0, whole.size() / 2)),
      model("a model with every seventh byte changed", broken),
      damaged("an operator that reads a tensor that is none",
              [](TfliteBuilder& net) { net.op_at(1).inputs = {99}; }),
      damaged("a cycle", [](TfliteBuilder& net) { net.op_at(0).inputs[0] = 8; }),
      damaged("a tensor with two producers",
              [](TfliteBuilder& net) { net.op_at(3).outputs = net.op_at(2).outputs; }),
      damaged("weights with too few bytes",
              [](TfliteBuilder& net) { net.model.buffers[net.at(1).buffer]->data.resize(3); }),
      damaged("a scale of 0", [](TfliteBuilder& net) { net.at(0).quantization->scale = {0.0F}; }),
      damaged("a zero point outside of its type",
              [](TfliteBuilder& net) { net.at(0).quantization->zero_point = {4096}; }),
      damaged(
          "a stride of 0",
          [](TfliteBuilder& net) { net.op_at(0).builtin_options.AsConv2DOptions()->stride_h = 0; }),
      damaged("an operator without its options",
              [](TfliteBuilder& net) { net.op_at(0).builtin_options.Reset(); }),
      damaged("an operator of a later format",
              [](TfliteBuilder& net) {
                net.model.operator_codes[0]->builtin_code =
                    static_cast<tflite::BuiltinOperator>(4711);
              }),
      damaged("two subgraphs",
              [](TfliteBuilder& net) {
                net.model.subgraphs.push_back(std::make_unique<tflite::SubGraphT>());
              }),
      damaged(
          "a loop without an end",
          [](TfliteBuilder& net) {
            const int32_t x = net.tensor({1, 4}), y = net.tensor({1, 4});
            tflite::WhileOptionsT loop;
            for (int32_t* const subgraph : {&loop.cond_subgraph_index, &loop.body_subgraph_index}) {
              *subgraph = net.begin_subgraph();
              const int32_t value = net.tensor({1, 4});
              const int32_t yes = net.constant({}, tflite::TensorType::BOOL, {1});
              net.inputs({value});
              net.outputs({subgraph == &loop.cond_subgraph_index ? yes : value});
            }
            net.return_to(0);
            net.op(tflite::BuiltinOperator::WHILE, {x}, {y}, loop);
          }),
      damaged("an open axis",
              [](TfliteBuilder& net) {
                net.at(0).shape_signature = {1, -1, -1, 3};
              }),
      damaged("an empty tensor",
              [](TfliteBuilder& net) {
                net.at(0).shape = {1, 0, 8, 3};
              }),
      model("a window beyond 32 bits", endless_window()),
      model("4 GB of activations in 400 bytes", relu_of({1, 32768, 32768, 2})),
      model("256 MB of activations in 400 bytes", relu_of({1, 16384, 8192})),
  };
}

std::vector<Hostile> onnx_models() {
  std::vector<Hostile> all;
  for (const auto& [what, bytes] : hostile_onnx())
    all.push_back({what, {"compile", "m.onnx", "-o", "out"}, {{"m.onnx", bytes}}});
  const auto long_one = std::ranges::find(all, "100,001 operators", &Hostile::what);
  all.push_back({long_one->what, {"inspect", "m.onnx"}, long_one->files});
  return all;
}

std::vector<Hostile> other_files() {
  const Arguments device = {"plan", "zoo:demo", "--device", "d.json"};
  const Arguments verify = {"verify", "zoo:demo", "p.json"};
  const Arguments csv = {"layout", "l.csv", "--capacity", "1K"};
  const Arguments npy = {"run", "zoo:demo", "--on", "reference", "--input-file", "x.npy"};
  const Arguments tensors = {"run",       "zoo:demo",     "--on",
                             "reference", "--input-file", "x.safetensors"};
  const std::string length = {'\xff', '\xff', '\xff', '\xff', '\xff', '\xff', '\xff', '\x7f'};
  return {
      {"a folder that `compile -o` did not write", {"verify", "zoo:demo", "."}},
      {"an empty plan", verify, {{"p.json", ""}}},
      {"a plan of nothing", verify, {{"p.json", "{}"}}},
      {"a plan of ten million brackets",
       verify,
       {{"p.json", "{\"thimble_plan\": " + std::string(10'000'000, '[')}}},
      {"a device without memories", device, {{"d.json", "{}"}}},
      {"a device in another form", device, {{"d.json", "[1, 2"}}},
      {"no device of that name", {"plan", "zoo:demo", "--device", "toaster"}},
      {"a layout problem without its heading", csv, {{"l.csv", "1,2,3\n"}}},
      {"a life that ends before it begins", csv, {{"l.csv", "id,lower,upper,size\na,5,3,10\n"}}},
      {"a size that no number holds",
       csv,
       {{"l.csv", "id,lower,upper,size\na,0,1,99999999999999999999\n"}}},
      {"sizes whose sum no number holds",
       csv,
       {{"l.csv", "id,lower,upper,size\na,0,1,9223372036854775807\nb,0,1,9223372036854775807\n"}}},
      {"buffers that do not fit", csv, {{"l.csv", "id,lower,upper,size\na,0,1,4096\n"}}},
      {"half a .npy", npy, {{"x.npy", "\x93NUMPY"}}},
      {"a .safetensors whose header is endless", tensors, {{"x.safetensors", length + "{}"}}},
      {"a .safetensors with another tensor",
       tensors,
       {{"x.safetensors",
         std::string("\x3c\0\0\0\0\0\0\0", 8) +
             R"({"x": {"dtype": "I8", "shape": [2], "data_offsets": [0, 2]}}ab)"}}},
  };
}

std::vector<Hostile> options() {
  return {
      {"an impossible budget", {"compile", "zoo:demo", "--sram", "64", "-o", "out"}},
      {"no flash", {"compile", "zoo:demo", "--flash", "1K", "-o", "out"}},
      {"an option that is none", {"compile", "zoo:demo", "--ram", "64K"}},
      {"a size that is none", {"compile", "zoo:demo", "--sram", "lots", "-o", "out"}},
      {"a planner that is none", {"compile", "zoo:demo", "--planner", "magic", "-o", "out"}},
      {"an option of a planner that is none",
       {"compile", "zoo:demo", "--planner", "motes:beams=3", "-o", "out"}},
      {"no number", {"compile", "zoo:demo", "--time-limit", "nan", "-o", "out"}},
      {"a network that is none", {"compile", "zoo:palace", "-o", "out"}},
      {"no such tensor",
       {"compile", "m.tflite", "--until", "nowhere", "-o", "out"},
       {{"m.tflite", text_of(small_network().bytes())}}},
      {"a shape that does not fit",
       {"compile", "m.tflite", "--shape", "1x5x5x7", "-o", "out"},
       {{"m.tflite", text_of(small_network().bytes())}}},
  };
}

std::vector<Hostile> places() {
  const std::pair<std::string, std::string> mine = {"mine", "my notes"};
  return {
      {"a folder that is a file", {"compile", "zoo:demo", "-o", "mine"}, {mine}},
      {"a folder below a file", {"compile", "zoo:demo", "-o", "mine/out"}, {mine}},
      {"a report over a file of other content", {"compile", "zoo:demo", "--json", "mine"}, {mine}},
      {"a report over the model",
       {"compile", "m.tflite", "--json", "m.tflite"},
       {{"m.tflite", text_of(small_network().bytes())}}},
      {"one file for two things",
       {"compile", "zoo:demo", "--json", "r.json", "--save-plan", "r.json"}},
      {"a full disk", {"compile", "zoo:demo", "--json", "/dev/full"}},
  };
}

class HostileInputs : public CommandLine {
 protected:
  /// A row of the page.
  std::string answer(const Hostile& hostile) {
    for (const auto& [name, text] : hostile.files) write(name, text);
    const auto before = names();
    const ProcessResult result = thimble(hostile.arguments);
    EXPECT_FALSE(result.timed_out) << hostile.what;
    EXPECT_THAT(result.exit_status, ::testing::AnyOf(1, 2)) << hostile.what << result.err;
    EXPECT_EQ(names(), before) << hostile.what;
    std::string said = result.err;
    if (result.exit_status == 2) {
      const size_t line = result.out.find("does not fit");
      EXPECT_NE(line, std::string::npos) << hostile.what << result.out;
      said = line == std::string::npos ? "" : result.out.substr(line);
    } else {
      EXPECT_EQ(result.out, "") << hostile.what;
      const std::string help = "Run with --help for more information.\n";
      const size_t lines =
          1 + (said.ends_with(help) ? 1 : 0) + (said.find(" meant?\n") < 99 ? 1 : 0);
      EXPECT_EQ(static_cast<size_t>(std::ranges::count(said, '\n')), lines) << hostile.what << said;
    }
    for (const auto& [name, text] : hostile.files) {
      EXPECT_TRUE(read(name) == text) << hostile.what;
      std::filesystem::remove(folder() / name);
    }
    std::string command;
    for (const std::string& argument : hostile.arguments) command += " " + argument;
    return fmt::format("| {} | `{}` | {} | {} |\n", hostile.what, command.substr(1),
                       result.exit_status, cell(said.substr(0, said.find('\n'))));
  }

  std::string section(const char* title, const std::vector<Hostile>& all) {
    std::string text = fmt::format(
        "\n## {}\n\n| what | `thimble ...` | status | answer |\n|---|---|--:|---|\n", title);
    for (const Hostile& hostile : all) text += answer(hostile);
    return text;
  }

 private:
  /// Lists of all that there is grow.
  static std::string cell(const std::string& whole) {
    constexpr size_t kMostShown = 120;
    const std::string text =
        whole.size() > kMostShown ? whole.substr(0, kMostShown) + " ..." : whole;
    std::string result;
    for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
    return result;
  }
};

TEST_F(HostileInputs, GetWhatThePageSays) {
  const std::string page =
      "# What hostile and malformed inputs get\n\n"
      "Made by `tests/cli/hostile_inputs_test.cc` from what the tool answers (THIMBLE_UPDATE=1); "
      "do "
      "not edit.\n"
      "Status 1: refused; 2: does not fit. Long lists are cut off here. No case leaves a file "
      "behind or "
      "changes one.\n" +
      section("Models", models()) + section("ONNX models", onnx_models()) +
      section("Other files", other_files()) + section("Options", options()) +
      section("Places", places());
  if (std::getenv("THIMBLE_UPDATE") != nullptr) {
    std::ofstream(kPage, std::ios::binary) << page;
    return;
  }
  std::ifstream in(kPage, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), page)
      << "THIMBLE_UPDATE=1 writes it anew";
}

}  // namespace
}  // namespace thimble::testing
