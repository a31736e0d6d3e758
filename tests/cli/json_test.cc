// SPDX-License-Identifier: Apache-2.0
// docs/json.md against what the commands write: every field is documented with its types, and every
// documented one occurs.
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/cli/command_line.h"
#include "tests/import/detector.h"
#include "tests/import/tflite_builder.h"
#include "tests/support/board_log_text.h"
#include "tests/support/shared.h"
#include "tests/support/test_graph.h"
#include "thimble/driver/driver.h"
#include "thimble/export/tflite.h"
#include "thimble/import/sha256.h"
#include "thimble/import/tensor_file.h"
#include "thimble/inputs/image.h"
#include "thimble/target/device.h"
#include "zoo/zoo.h"

namespace thimble::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// field -> its types, "integer or null".
using Fields = std::map<std::string, std::set<std::string>>;
/// By the report: "compile", "zoo list".
using Reports = std::map<std::string, Fields>;

const char* type_of(const json& value) {
  if (value.is_null()) return "null";
  if (value.is_boolean()) return "boolean";
  if (value.is_number_integer()) return "integer";
  return value.is_number() ? "number" : "text";
}

// "schedule[]" stands for the nodes of all depths, "accountings.*" for names that users choose.
std::string documented_path(std::string path) {
  for (size_t at = path.find(".body[]"); at != std::string::npos; at = path.find(".body[]"))
    path.erase(at, std::string(".body[]").size());
  return path.starts_with("accountings.") ? "accountings.*" : path;
}

void collect(const std::string& path, const json& value, Fields& fields) {
  // Lists that another row describes.
  static const std::set<std::string> kDescribed = {"before.buffers", "before.loops",
                                                   "before.steps"};
  if (kDescribed.contains(path)) {
    fields[path].insert("list");
  } else if (value.is_array()) {
    for (const json& element : value) collect(path + "[]", element, fields);
  } else if (value.is_object()) {
    if (!path.empty() && !path.ends_with("[]")) fields[path].insert("object");
    for (const auto& [key, member] : value.items())
      collect(path.empty() ? key : path + "." + key, member, fields);
  } else {
    fields[documented_path(path)].insert(type_of(value));
  }
}

std::set<std::string> split(const std::string& types) {
  std::set<std::string> result;
  std::istringstream words(types);
  for (std::string word; words >> word;) {
    if (word != "or") result.insert(word);
  }
  return result;
}

// Whether the page has the field once, before its sections.
bool of_all(const std::string& field) {
  return field == "thimble_report" || field.starts_with("made_by");
}

// What the page has: sections "## `compile`", rows "| `peak_bytes` | integer | B | ... |".
Reports documented() {
  Reports reports;
  std::ifstream page(THIMBLE_SOURCE_DIR "/docs/json.md");
  std::string report;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## `")) report = line.substr(4, line.find('`', 4) - 4);
    if (!line.starts_with("| `")) continue;
    const size_t name_end = line.find('`', 3), type = line.find("| ", name_end) + 2;
    const std::string field = line.substr(3, name_end - 3);
    EXPECT_FALSE(reports[report].contains(field)) << report << " has two rows of " << field;
    reports[report][field] = split(line.substr(type, line.find(" |", type) - type));
  }
  return reports;
}

std::string text_of(const std::set<std::string>& types) {
  return fmt::format("{}", fmt::join(types, " or "));
}

class JsonPage : public CommandLine {
 protected:
  /// A command with --json, whose exit status is expected.
  void run(std::vector<std::string> arguments, int exit_status = 0) {
    arguments.insert(arguments.end(), {"--json", "report.json", "--force"});
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, exit_status)
        << fmt::format("{}", fmt::join(arguments, " ")) << result.out << result.err;
    const json report = json_of(read("report.json"));
    EXPECT_TRUE(report.contains("made_by"));
    Fields all;
    collect("", report, all);
    for (const auto& [field, types] : all)
      written_[of_all(field) ? "" : report.at("thimble_report")][field].insert(types.begin(),
                                                                               types.end());
  }

  /// The demo network's golden data, with an output that is not so.
  void write_golden(const std::string& file) const {
    const Graph graph = build_zoo("demo");
    const Tensor& in = graph.tensor(graph.inputs[0].tensor);
    const Tensor& out = graph.tensor(graph.outputs[0].tensor);
    const Tensor& first = graph.tensor(graph.ops[0].outputs[0]);
    const auto zeros = [](const Tensor& t) {
      return NamedTensor{t.type, t.shape, Bytes(static_cast<size_t>(t.size_bytes()), 0)};
    };
    write_safetensors(
        folder() / file,
        {.tensors = {{"input.0", zeros(in)}, {"output.0", zeros(out)}, {"op.0.0", zeros(first)}},
         .metadata = {}});
  }

  /// The network's code in a folder, and logs of a board that runs it.
  void write_logs(const std::string& folder, Request request) {
    const Compiled compiled = std::get<Compiled>(compile(request));
    const std::string plan = sha256(read(folder + "/demo_plan.json"));
    const Tensor& in = compiled.graph.tensor(compiled.graph.inputs[0].tensor);
    write(folder + ".trace",
          traced_log(compiled, plan, {random_bytes(in.type, in.size_bytes(), 3)}));
    write(folder + ".profile", profile_log(compiled, plan));
  }

  Reports written_;
};

TEST_F(JsonPage, HasEveryFieldThatCommandsWriteAndNoOther) {
  const std::string lossy = "pex:accumulators=8", device = "nucleo-f446re";
  TestGraph planes(1);
  planes.output(planes.conv(planes.transpose(planes.input({1, 3, 8, 8}), {0, 2, 3, 1}), 4, 3, 1));
  write_tflite(planes.graph(), folder() / "planes.tflite");
  TestGraph floats(2);
  floats.output(floats.conv(floats.float_input({1, 8, 8, 3}), 4, 3, 1));
  write_tflite(floats.graph(), folder() / "floats.tflite");
  TestGraph constant(3);  // its first channel is
  constant.output(constant.conv(constant.conv(constant.input({1, 8, 8, 3}), 5, 3, 1), 2, 1, 1));
  Tensor& weights = constant.graph().tensor(constant.graph().ops[0].inputs[1]);
  Bytes bytes = *weights.data;
  std::fill_n(bytes.begin(), bytes.size() / 5, uint8_t{0});
  weights.data = std::make_shared<const Bytes>(std::move(bytes));
  write_tflite(constant.graph(), folder() / "constant.tflite");
  TestGraph silent(4);  // its output is the same for every input
  silent.output(silent.conv(silent.input({1, 8, 8, 3}), 4, 1, 1));
  Tensor& zeros = silent.graph().tensor(silent.graph().ops[0].inputs[1]);
  zeros.data = std::make_shared<const Bytes>(Bytes(zeros.data->size(), 0));
  write_tflite(silent.graph(), folder() / "silent.tflite");
  TestGraph wide(5);  // its input is most of the memory
  TensorId narrow = wide.conv(wide.input({1, 64, 64, 3}), 2, 3, 4);
  for (int k = 0; k < 3; ++k) narrow = wide.conv(narrow, 2, 3, 1);
  wide.output(narrow);
  write_tflite(wide.graph(), folder() / "wide.tflite");
  write_golden("wrong.safetensors");
  write_tflite(build_zoo("demo"), folder() / "memories.tflite");
  write("memories.json", R"({"name": "memories", "chip": "two banks", "core": "cortex-m4",
      "clock_hz": 1000000, "flash": "4M", "memories": [{"name": "sram", "kind": "sram", "banks":
      [{"base": "0x20000000", "size": "24K"}, {"base": "0x10000000", "size": "16K"}]}]})");
  run({"inspect", "zoo:demo"});
  run({"inspect", "constant.tflite", "--rewritten"});
  run({"inspect", "silent.tflite", "--device", device});
  run({"inspect", "wide.tflite", "--core", "cortex-m23"});
  run({"inspect", "zoo:audio_preprocessor"});  // kernels without coefficients
  TfliteBuilder unsupported = unsupported_network();
  unsupported.at(5).shape_signature = {1, -1};  // without a size
  write("unsupported.tflite", ::thimble::testing::text_of(unsupported.bytes()));
  run({"inspect", "unsupported.tflite"});
  TfliteBuilder partly = small_network();
  partly.model.operator_codes[3]->builtin_code = tflite::BuiltinOperator::TOPK_V2;
  partly.model.operator_codes[3]->deprecated_builtin_code = 48;
  partly.op_at(3).builtin_options.Reset();
  write("partly.tflite", ::thimble::testing::text_of(partly.bytes()));
  run({"inspect", "partly.tflite"});
  for (const std::string command : {"plan", "compile"}) {
    run({command, "zoo:demo", "--input", "user"});
    run({command, "zoo:demo", "--planner", lossy});
    run({command, "zoo:demo", "--planner", "pex", "--device", device});
    run({command, "zoo:transformer", "--input", "streamed"});
    run({command, "planes.tflite", "--planner", "stream"});
    run({command, "constant.tflite", "--planner", "reorder"});
    run({command, "zoo:demo", "--planner", "reorder", "--core", "cortex-m4", "--sram", "64K"});
    run({command, "zoo:demo", "--core", "cortex-m23"});  // without estimates, as below
    run({command, "zoo:demo", "--planner", "original", "--sram", "9K", "--core", "cortex-m23"}, 2);
    run({command, "zoo:demo", "--planner", "patch", "--sram", "1K", "--core", "cortex-m23"}, 2);
    run({command, "zoo:demo", "--device", device});
    run({command, "memories.tflite", "--planner", "reorder", "--device", "memories.json"});
    run({command, "zoo:demo", "--planner", "patch", "--sram", "1K"}, 2);
    run({command, "zoo:demo", "--planner", "stream", "--input", "streamed"});  // peak at a copy
    run({command, "zoo:unet", "--planner", "tinyseg", "--storage", "card:write=32,compress"});
    run({command, "floats.tflite"});
    run({command, "floats.tflite", "--sram", "1100"}, 2);
    run({command, "zoo:demo", "--flash", "1K"}, 2);  // before anything is planned
  }
  const std::string measured = shared_folder() / "models" / "ad01_int8.tflite";
  const bool has_measured = has_shared();
  for (const std::string command : {"plan", "compile"}) {
    if (!has_measured) break;  // its rows are not looked at, below
    run({command, measured, "--planner", "original", "--device", device});
    run({command, measured, "--planner", "original", "--core", "cortex-m4"});
  }
  run({"compile", "silent.tflite"});
  run({"compile", "wide.tflite"});
  run({"compile", "zoo:demo", "--core", "cortex-m4", "--explain"});
  run({"compile", "floats.tflite", "--core", "cortex-m4", "--explain"});  // no other kernels
  run({"compile", "silent.tflite", "wide.tflite", "--core", "cortex-m23"});
  run({"compile", "zoo:demo", "floats.tflite", "--core", "cortex-m4", "--sram", "9K", "--flash",
       "1M", "--planner", "stream"},
      2);
  run({"compile", "zoo:demo", "zoo:ds_cnn_s", "--device", "arduino-zero", "--planner", "original"},
      2);
  run({"compile", "zoo:demo", "zoo:ds_cnn_s", "--core", "cortex-m23", "--planner", "original",
       "--sram", "34K"},
      2);
  run({"compile", "zoo:demo", "--measure", "--device", device, "--sram", "64K"});
  run({"run", "zoo:demo", "--on", "qemu"});
  run({"run", "zoo:demo", "--planner", lossy});
  run({"run", "zoo:demo", "--device", device});
  run({"run", "zoo:unet", "--planner", "tinyseg", "--storage", "card:write=32,compress"});
  run({"run", "zoo:demo", "--core", "cortex-m33"});
  run({"run", "planes.tflite", "--planner", "stream"});
  write("labels.txt", "a\nb\nc\nd\ne\nf\ng\nh\n");
  write("detector.tflite", ::thimble::testing::text_of(picture_detector()));
  write_png(folder() / "picture.png",
            {.width = 48, .height = 48, .channels = 1, .pixels = Bytes(2304, 9)});
  run({"run", "zoo:demo", "--input-file", "picture.png", "--scale", "0"});
  run({"run", "zoo:demo", "--input-file", "picture.png", "--labels", "labels.txt"});
  run({"run", "detector.tflite", "--input-file", "picture.png", "--std", "1e6", "--labels",
       "labels.txt"});
  run({"run", "zoo:demo", "--planner", "original", "--sram", "1K"}, 2);
  write("demo.csv", "picture.png,0\npicture.png,3\n");
  run({"eval", "zoo:demo", "demo.csv", "--planner", "original", "--scale", "0"});
  run({"eval", "zoo:demo", "demo.csv", "--on", "qemu", "--planner", "original"});
  write("small.tflite", ::thimble::testing::text_of(small_network().bytes()));
  write_npy(folder() / "small.npy", {DType::kInt8, {3, 8, 8, 3}, Bytes(576, 9)});
  write("small.csv", "label\n0\n1\n1\n");
  run({"eval", "small.tflite", "small.npy", "--on", "reference"});
  TestGraph one(6), same(7);
  one.output(one.fully_connected(one.input({1, 4}), 1));
  same.output(same.fully_connected(same.input({1, 4}), 4));
  write_tflite(one.graph(), folder() / "one.tflite");
  write_tflite(same.graph(), folder() / "same.tflite");
  write_npy(folder() / "four.npy", {DType::kInt8, {3, 4}, Bytes(12, 9)});
  write("four.csv", "label\n0.5\n1\n2\n");
  run({"eval", "one.tflite", "four.npy"});
  write("two.csv", "label\nnormal\nnormal\nanomaly\n");
  run({"eval", "same.tflite", "four.npy", "--truth", "two.csv", "--task", "anomaly"});
  run({"run", "zoo:demo", "--on", "reference", "--check", "wrong.safetensors"}, 4);
  ASSERT_EQ(
      thimble({"compile", "zoo:demo", "--planner", lossy, "--save-plan", "p.json"}).exit_status, 0);
  run({"verify", "zoo:demo", "p.json"});
  json plan = json_of(read("p.json"));
  for (json& buffer : plan.at("buffers")) buffer["address"] = 0;
  write("p.json", plan.dump());
  run({"verify", "zoo:demo", "p.json"}, 4);
  run({"compile", "zoo:demo", "--trace", "-o", "any"});
  write_logs("any", {.model = "zoo:demo", .emission = Emission{}});
  run({"diagnose", "zoo:demo", "any.trace", "--code", "any"});
  run({"profile", "zoo:demo", "any.profile", "--code", "any"});
  run({"compile", "zoo:demo", "--device", device, "-o", "board"});
  write_logs("board", {.model = "zoo:demo", .target = find_target(device), .emission = Emission{}});
  run({"profile", "zoo:demo", "board.profile", "--code", "board"});
  run({"compare", "zoo:demo", "--planners", "original,patch:split=999"}, 1);
  run({"compare", "none.tflite", "--sram", "64K", "--flash", "1M"}, 1);
  run({"compare", "zoo:demo", "--planners", "original,stream", "--device", device});
  run({"compare", "--paper", "operator_reordering"});
  run({"compare", "--paper", "pex"});
  write("drawn.json", R"({"title": "t", "citation": "c", "units": {"B": 1},
      "accountings": {"a": "all"}, "figures": [{"source": "s", "what": "w", "metric": "arena_bytes",
      "relation": "drawn", "unit": "B", "accounting": "a", "model": "zoo:demo"}]})");
  run({"compare", "--paper", "drawn.json"});
  write("timed.json", R"({"title": "t", "citation": "c", "units": {"ms": 0.001},
      "accountings": {"a": "all"}, "devices": {"d": {"says": "s", "nanoseconds_per_mac": 1}},
      "figures": [{"source": "s", "what": "w", "metric": "latency_seconds", "value": 1,
      "unit": "ms", "accounting": "a", "model": "zoo:demo", "device": "d"}]})");
  run({"compare", "--paper", "timed.json"});
  run({"simulate", "zoo:demo", "--planner", "reorder", "--device", device});
  run({"simulate", "zoo:unet", "--planner", "tinyseg", "--ns-per-mac", "1", "--storage",
       "card:erase=4K,write_speed=1M,endurance=1000"});
  write("card.json", R"({"name": "card", "chip": "with a card", "core": "cortex-m4",
      "clock_hz": 1000000, "flash": "1M", "memories": [
        {"name": "sram", "kind": "sram", "banks": [{"base": "0x20000000", "size": "512K"}]},
        {"name": "card", "kind": "block_storage", "size": "1M", "storage": {
          "write_granule_bytes": 4, "erase_block_bytes": 0, "read_bytes_per_second": 1000000,
          "write_bytes_per_second": 1000000, "read_nanojoules_per_byte": 1,
          "write_nanojoules_per_byte": 1}}]})");
  run({"simulate", "zoo:unet", "--planner", "tinyseg:target=0", "--device", "card.json",
       "--storage", "card"});
  run({"export", "zoo:demo", "--tflite", "smaller.tflite"});
  run({"export", "zoo:tiny_unet", "--tflite", "unet.tflite", "--no-rewrite"});
  run({"export", "zoo:micronet_vww_2", "--tflite", "vww.tflite"});  // laid out before it is split
  run({"export", "smaller.tflite", "--until",
       build_zoo("demo").tensor(build_zoo("demo").ops.back().outputs[0]).name, "--tflite",
       "same.tflite"});
  run({"inspect", "unet.tflite"});
  // A network whose integers are exact; a classifier with an operator that stays in float32.
  Graph real;
  real.name = "real";
  const auto tensor = [&](const std::string& name) {
    real.tensors.push_back({name, {1, 2, 2, 1}, DType::kFloat32, {}, nullptr});
    return TensorId{static_cast<int32_t>(std::ssize(real.tensors) - 1)};
  };
  const TensorId x = tensor("x"), y = tensor("y"), z = tensor("z");
  real.inputs = {{x}};
  real.ops = {{Relu{}, {x}, {y}, 0}};
  real.outputs = {{y}};
  write_tflite(real, folder() / "exact.tflite");
  for (Tensor& each : real.tensors) each.shape = {1, 4};
  real.ops.push_back({Elementwise{Function::kExp}, {y}, {z}, 1});
  real.outputs = {{z}};
  write_tflite(real, folder() / "exp.tflite");
  write("whole.csv", "0,255,3,4\n");
  write("parts.csv", "0.1,0.2,0.3,0.77\n0.5,0.3,0.9,0.1\n");
  run({"quantize", "exact.tflite", "--data", "whole.csv", "-o", "exact_int8.tflite"});
  run({"quantize", "exact.tflite", "--data", "whole.csv", "-o", "exact_int8.tflite", "--front",
       "--force"});
  run({"quantize", "exp.tflite", "--data", "parts.csv", "-o", "exp_int8.tflite"});
  run({"quantize", "exp.tflite", "--data", "parts.csv", "--check", "exp_int8.tflite"});
  Bytes numbers;
  for (const float number : {0.1F, 0.2F, 0.3F, 0.77F, 0.5F, 0.3F, 0.9F, 0.1F}) {
    const auto* parts = reinterpret_cast<const uint8_t*>(&number);
    numbers.insert(numbers.end(), parts, parts + sizeof number);
  }
  write_npy(folder() / "labelled.npy", {DType::kFloat32, {2, 4}, numbers});
  write("labelled.csv", "label\n3\n2\n");
  run({"quantize", "exp.tflite", "--data", "labelled.npy", "-o", "exp_int8.tflite", "--force",
       "--front", "--core", "cortex-m4"});
  run({"zoo", "list"});
  run({"zoo", "build", "demo", "-o", "demo.tflite"});
  write("p.csv", "id,lower,upper,size\na,0,3,4\nb,2,5,8\n");
  run({"layout", "p.csv"});
  run({"layout", "p.csv", "--capacity", "12"});
  run({"devices"});
  write("storage.json", R"({"name": "storage", "chip": "all figures", "core": "cortex-m4",
      "clock_hz": 1000000, "flash": "1M", "memories": [
        {"name": "sram", "kind": "sram", "banks": [{"base": "0x20000000", "size": "24K"}]},
        {"name": "card", "kind": "block_storage", "size": "1M", "storage": {
          "write_granule_bytes": 4, "erase_block_bytes": "4K", "read_bytes_per_second": 1000,
          "write_bytes_per_second": 1000, "access_seconds": 0.1, "erase_seconds": 0.1,
          "endurance_cycles": 100, "read_nanojoules_per_byte": 1, "write_nanojoules_per_byte": 1,
          "erase_nanojoules_per_block": 1, "transfers_in_flight": 1, "stalls_core": true}},
        {"name": "unknown", "kind": "block_storage", "size": "1M", "storage": {}}]})");
  run({"devices", "storage.json"});
  const Reports page = documented();
  for (const auto& [report, fields] : written_) {
    const Fields& rows = page.contains(report) ? page.at(report) : Fields();
    for (const auto& [field, types] : fields) {
      const auto row = rows.find(field);
      EXPECT_TRUE(row != rows.end())
          << "| " << report << " | `" << field << "` | " << text_of(types) << " | is undocumented";
      if (row != rows.end()) {
        if (has_measured || field != "interpreter.measured") {
          EXPECT_EQ(text_of(row->second), text_of(types)) << report << ": " << field;
        }
      }
    }
  }
  for (const auto& [report, fields] : page) {
    ASSERT_TRUE(written_.contains(report)) << report << " is of no command";
    for (const auto& [field, types] : fields) {
      if (!has_measured && field.starts_with("interpreter.measured")) continue;
      EXPECT_TRUE(written_[report].contains(field)) << report << ": nobody writes " << field;
    }
  }
}

// The options that were formats before there was --json FILE.
TEST_F(JsonPage, FormatsPrintTheSameText) {
  for (const std::string command : {"inspect", "plan"}) {
    EXPECT_EQ(thimble({command, "zoo:demo", "--json", "r.json"}).exit_status, 0);
    EXPECT_EQ(thimble({command, "zoo:demo", "--format", "json"}).out, read("r.json"));
    EXPECT_EQ(thimble({command, "zoo:demo", "--json", "/dev/stdout"}).out, read("r.json"));
    EXPECT_EQ(thimble({command, "zoo:demo", "--json", "r.json"}).exit_status, 0) << "its own kind";
    const ProcessResult other = thimble({"devices", "--json", "r.json"});
    EXPECT_EQ(other.exit_status, 1);
    EXPECT_THAT(other.err, HasSubstr("r.json exists and is not a report of Thimble's (devices)"));
    std::filesystem::remove(folder() / "r.json");
  }
}

TEST_F(JsonPage, CompareTakesModelsBehindAFlagThatHasNoFile) {
  const ProcessResult before = thimble({"compare", "--planners", "original", "--json", "zoo:demo"});
  EXPECT_EQ(before.exit_status, 0) << before.err;
  EXPECT_EQ(json_of(before.out).at("models").size(), 1U);
  const ProcessResult file =
      thimble({"compare", "zoo:demo", "--planners", "original", "--csv", "--json", "r.json"});
  EXPECT_THAT(file.out, HasSubstr("model,planner,outcome"));
  EXPECT_EQ(json_of(read("r.json")).at("models").at(0).at("model"), "zoo:demo");
  const ProcessResult appended =
      redirected(">> log", {"compare", "zoo:demo", "--planners", "original", "--json"});
  EXPECT_EQ(appended.exit_status, 0);
  EXPECT_THAT(read("log"), HasSubstr("zoo:demo"));
}

}  // namespace
}  // namespace thimble::testing
