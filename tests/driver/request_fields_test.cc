// SPDX-License-Identifier: Apache-2.0
// What a request asks for goes to texts, JSON and a command line, and comes back the same.
#include "thimble/driver/request_fields.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <limits>
#include <random>
#include <set>

#include "tests/support/workload.h"
#include "thimble/cli/options.h"
#include "thimble/driver/driver.h"
#include "thimble/target/device.h"
#include "thimble/target/latency.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A further member does not compile before it is compared here.
auto members(const Request& request) {
  const auto& [model, import, graph, target, target_file, latency_file, sram_bytes, flash_bytes,
               beside_arena_bytes, weights, external_ram, storage, planner, max_recompute,
               max_latency, effort, jobs, pick, in_place, ports, align_ports, states_apart, layout,
               time_limit_seconds, calibration, labels, emission, progress] = request;
  Target named = target;  // what was measured is compared by its file's name
  named.core.measured = nullptr;
  EXPECT_EQ(target.core.measured != nullptr, !latency_file.empty());
  const auto& [until, shapes, quantised, port_layout, hop] = import;
  const auto& [rewrite, keep_channels, int8_io, max_bytes] = graph;
  std::vector<std::pair<std::string, Shape>> named_shapes;
  for (const auto& [input, shape] : shapes) named_shapes.emplace_back(input, shape);
  std::optional<
      std::tuple<std::string, std::set<std::string>, bool, bool, WeightsForm, std::string>>
      sources;
  if (emission)
    sources = {emission->name,  emission->also_used, emission->micro_interpreter,
               emission->trace, emission->weights,   emission->ecosystem};
  return std::tuple(std::get<std::string>(model), until, named_shapes, quantised, port_layout,
                    hop.rows, hop.axis, rewrite, keep_channels, int8_io, max_bytes, named,
                    target_file, latency_file, sram_bytes, flash_bytes, beside_arena_bytes, weights,
                    external_ram, storage, planner, max_recompute, max_latency, effort, jobs, pick,
                    in_place, ports, align_ports, states_apart, layout, time_limit_seconds,
                    calibration ? calibration->name : "", labels, sources);
}

class RequestFields : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(board()) << R"({"name": "mine", "chip": "one bank", "core": "cortex-m4",
        "clock_hz": 1000000, "flash": "4M", "memories": [{"name": "sram", "kind": "sram", "banks":
        [{"base": "0x20000000", "size": "64K"}]}]})";
    write_npy(inputs(), {DType::kInt8, {1, 2}, Bytes(2, 7)});
    std::ofstream(labels()) << "no\nyes\n";
    std::ofstream(cycles()) << latency_json(
        measured_model(*latency_model("cortex-m4"), "cortex-m4", {}, 1.5));
  }
  [[nodiscard]] std::string board() const { return (folder_.path() / "board.json").string(); }
  [[nodiscard]] std::string labels() const { return (folder_.path() / "labels.txt").string(); }
  [[nodiscard]] std::string cycles() const { return (folder_.path() / "cycles.json").string(); }
  [[nodiscard]] std::string inputs() const { return (folder_.path() / "inputs.npy").string(); }

  bool one_in(uint64_t n) { return random_() % n == 0; }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[random_() % all.size()];
  }
  int64_t size() {
    const auto bytes = static_cast<int64_t>(random_() % 5000);
    return bytes << one_of({0, 0, 3, 10, 20, 30});
  }
  double ratio() { return static_cast<double>(random_() % 100'000) / one_of({1.0, 7.0, 1000.0}); }

  Request drawn() {
    Request request{.model = one_of<std::string>({"kws.tflite", "zoo:demo", "a model.tflite"})};
    if (one_in(3)) request.import.until = one_of<Texts>({{"conv 1"}, {"7", "second"}});
    request.import.quantised =
        one_of({QuantisedAs::kOnnx, QuantisedAs::kTflite, QuantisedAs::kFloat});
    request.import.port_layout = one_of({PortLayout::kOfTheFile, PortLayout::kChannelsLast});
    if (one_in(3)) request.import.shapes = {{"", {1, 96, 96, 3}}};
    if (one_in(3)) request.import.shapes = {{"a", {1, 8}}, {"b/c", {3}}};
    if (one_in(3))
      request.import.hop = {.rows = 1 + size() % 1000,
                            .axis = one_of<std::optional<int64_t>>({{}, 2})};
    request.graph = {.rewrite = !one_in(4), .keep_channels = one_in(4), .int8_io = one_in(4)};
    if (one_in(3)) request.graph.max_bytes = size();
    request.target_file = one_in(4) ? board() : "";
    if (!one_in(3)) {
      request.target = find_target(request.target_file.empty()
                                       ? one_of({"nucleo-f446re", "rp2040", "stm32f746g-disco"})
                                       : request.target_file);
    } else {
      request.target_file.clear();
    }
    if (one_in(3)) request.target.core = core_named(one_of({"cortex-m4", "rv32imc"}));
    if (one_in(2) && request.target.core.name == "cortex-m4") {
      request.latency_file = cycles();
      request.target.core.measured =
          std::make_shared<const LatencyModel>(*latency_model("cortex-m4"));
    }
    if (one_in(3)) request.sram_bytes = size();
    if (one_in(3)) request.flash_bytes = size();
    if (one_in(3)) request.beside_arena_bytes = size();
    if (one_in(2)) {
      request.weights =
          one_of({Weights::kWide, Weights::kFast, Weights::kCompact, Weights::kLeast});
    }
    request.external_ram = one_in(3);
    request.storage = one_of<std::string>({"", "card,compress=1K", "card:write=512,size=1M"});
    if (one_in(3)) request.max_recompute = ratio();
    if (one_in(2)) {
      request.planner = one_of({"", "auto"});
      if (one_in(3))
        request.max_latency = one_in(3) ? std::numeric_limits<double>::infinity() : 1 + ratio();
      if (one_in(3)) request.align_ports = one_of({16, 32, 4096});
      if (one_in(3)) request.effort = static_cast<int64_t>(random_() % 1'000'000);
      if (one_in(3)) request.pick = 1 + static_cast<int64_t>(random_() % 20);
    } else {
      request.planner = one_of({"reorder:states=100", "pex:accumulators=8"});
    }
    request.jobs = one_of({0, 1, 2, 1024});
    request.in_place = !one_in(3);
    request.ports.input = one_of({Place::kResident, Place::kUser, Place::kStreamed});
    request.ports.output = one_of({Place::kResident, Place::kUser, Place::kStreamed});
    request.states_apart = one_in(3);
    request.layout = one_of({LayoutMethod::kExact, LayoutMethod::kGreedyBySize});
    if (one_in(3)) request.time_limit_seconds = 0.001 + ratio() / 2;
    if (one_in(3)) request.calibration = {inputs(), {}};
    if (one_in(3)) request.labels = {labels(), {"no", "yes"}};
    if (one_in(2)) {
      request.emission = Emission{.name = one_of({"", "kws"}), .also_used = {}};
      if (one_in(2)) request.emission->also_used = all_parts();
      request.emission->micro_interpreter = one_in(2);
      request.emission->trace = one_in(2);
      if (one_in(2)) request.emission->weights = WeightsForm::kBinary;
      if (one_in(2)) request.emission->ecosystem = "zephyr";
    }
    return request;
  }

  /// As `thimble compile` reads a command.
  static Request typed(const std::string& command) {
    const std::string start = "thimble compile ";
    EXPECT_TRUE(command.starts_with(start)) << command;
    RequestOptions options;
    CLI::App app{"", "compile"};
    add_model_options(app, options);
    add_plan_options(app, options);
    add_fields(app, FieldGroup::kSources, options);
    app.parse(command.substr(start.size()));
    return request(options);
  }

  static std::string fault_of(const std::string& json) {
    try {
      (void)request_from_json(json);
    } catch (const CompileError& error) {
      return error.what();
    }
    return "";
  }

 private:
  TemporaryFolder folder_;
  std::mt19937_64 random_{38};
};

TEST_F(RequestFields, JsonAndTextsAreTheRequest) {
  std::set<std::string> seen;
  for (uint64_t n = 0; n < testing::random_cases(300, 10'000); ++n) {
    const Request request = drawn();
    const std::string json = to_json(request);
    ASSERT_EQ(members(request_from_json(json)), members(request)) << json;
    const FieldTexts texts = texts_of(request);
    ASSERT_EQ(members(request_of(texts)), members(request)) << json;
    for (const auto& [name, none] : texts) seen.insert(name);
  }
  for (const RequestField& field : request_fields())
    EXPECT_TRUE(seen.contains(field.name)) << field.name;
}

TEST_F(RequestFields, TheCommandAsksForTheSame) {
  for (uint64_t n = 0; n < testing::random_cases(300, 10'000); ++n) {
    Request request = drawn();
    // No options.
    request.beside_arena_bytes = 0;
    if (request.emission && request.emission->name.empty() && request.emission->also_used.empty() &&
        !request.emission->micro_interpreter && !request.emission->trace &&
        request.emission->weights == WeightsForm::kAuto &&
        request.emission->ecosystem == Emission().ecosystem)
      request.emission.reset();
    const std::string command = command_of(request);
    ASSERT_EQ(members(typed(command)), members(request)) << command;
  }
}

TEST_F(RequestFields, WhatIsLeftOutIsNotWritten) {
  EXPECT_THAT(texts_of(request_of({})), IsEmpty());
  EXPECT_EQ(to_json(request_of({})), "{}");
  EXPECT_EQ(to_json(request_from_json(R"({"sram": null, "rewrite": true, "io_type": "model"})")),
            "{}");
  EXPECT_EQ(command_of({.model = "kws.tflite", .sram_bytes = 65'536, .jobs = 0, .in_place = false}),
            "thimble compile kws.tflite --sram 64K --no-in-place");
  EXPECT_EQ(to_json({.model = "kws.tflite", .sram_bytes = 65'536, .jobs = 0, .in_place = false}),
            R"({"model":"kws.tflite","sram":65536,"in_place":false})");
}

TEST_F(RequestFields, SizesAreNumbersOrTexts) {
  EXPECT_EQ(request_from_json(R"({"sram": "64K"})").sram_bytes, 65'536);
  EXPECT_EQ(request_from_json(R"({"sram": 65536})").sram_bytes, 65'536);
}

TEST_F(RequestFields, AFaultNamesTheFieldWhatItHasAndWhatWouldWork) {
  const std::pair<const char*, const char*> faults[] = {
      {"[", "request: is not JSON: "},
      {"[]", "request: must be an object {...}"},
      {R"({"srma": 1})", "request: has no field 'srma'; the nearest are sram, "},
      {R"({"sram": true})", "sram: true is not bytes, as a number or a text: 65536, \"64K\""},
      {R"({"sram": "64Q"})",
       "sram: size '64Q': has an unknown unit; write bytes (65536), binary units "},
      {R"({"sram": -5})", "sram: size '-5': is negative; write bytes"},
      {R"({"planner": 3})", "planner: 3 is not a text"},
      {R"({"planner": ""})", "planner: is empty"},
      {R"({"until": "a"})", "until: \"a\" is not a list of texts"},
      {R"({"shape": ["a=b"]})", "shape: 'a=b' is no shape; one is 1x96x96x3 or NAME=1x96x96x3"},
      {R"({"in_place": "no"})", "in_place: \"no\" is not true or false"},
      {R"({"layout": "best"})", "layout: 'best' is none of exact, greedy_by_size"},
      {R"({"input": "disk"})", "input: 'disk' is none of resident, user, streamed"},
      {R"({"input": 1})", "input: 1 is not one of the texts resident, user, streamed"},
      {R"({"effort": -1})", "effort: '-1' is no whole number from 0 to 1"},
      {R"({"effort": 1.5})", "effort: '1.5' is no whole number"},
      {R"({"jobs": -1})", "jobs: '-1' is no whole number from 1 to 1024"},
      {R"({"max_latency": 0.5})", "max_latency: '0.5' is no number from 1 to inf"},
      {R"({"time_limit": []})", "time_limit: [] is not a number"},
      {R"({"core": "a b"})", "core: 'a b' is not the name of a core, such as cortex-m4"},
      {R"({"device": "nucleo-f446rf"})", "device 'nucleo-f446rf': is not known; the nearest are "},
      {R"({"planner": "reorder", "effort": 2})", "--effort: is for the planner auto"},
  };
  for (const auto& [json, message] : faults)
    EXPECT_THAT(fault_of(json), HasSubstr(message)) << json;
}

TEST_F(RequestFields, ASavedPlanSaysHowItsGraphWasPrepared) {
  const Source source{.graph = {}, .where = "kws.tflite", .sha256 = "1f3a"};
  for (int n = 0; n < 30; ++n) {
    const Request request = drawn();
    Request again = request;
    again.graph = options_of(plan_origin(source, request.graph), request.graph.max_bytes);
    EXPECT_EQ(members(again), members(request));
  }
}

}  // namespace
}  // namespace thimble
