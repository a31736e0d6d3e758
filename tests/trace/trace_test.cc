// SPDX-License-Identifier: Apache-2.0
// The emitted code executes what was verified, call by call, argument by argument.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tests/import/audio_preprocessor.h"
#include "tests/support/golden.h"
#include "tests/support/hand_written.h"
#include "tests/support/random_network.h"
#include "tests/support/random_op.h"
#include "tests/support/shared.h"
#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "tests/trace/traced.h"
#include "thimble/driver/driver.h"
#include "thimble/emit/identifier.h"
#include "thimble/model/error.h"
#include "thimble/plan/reside.h"
#include "thimble/planners/registry.h"

namespace thimble {
namespace {

testing::HostBuild& build() {
  static testing::HostBuild build;
  return build;
}

// What differs between the code emitted for one program and another program.
std::string difference(const Compiled& emitted, const Program& program, const std::string& name,
                       size_t& lines) {
  const testing::EmittedProject project{
      &emitted.graph, &program, name, emitted_files(emitted, {.name = name, .command = "a test"})};
  return build().trace_differences({project}, lines).at(0);
}

Compiled by_hand(const testing::HandWritten& hand) {
  const Source source{hand.graph, "net", ""};
  const PlacedPlan plan{.planner = "by hand",
                        .schedule = hand.schedule,
                        .placement = place(hand.graph, hand.schedule, {}),
                        .accumulators = hand.graph.accumulators};
  return described(check_plan(source, {.rewrite = false}, plan, "net"));
}

TEST(Trace, OfTheAudioPreprocessorIsItsProgram) {
  const Compiled compiled = std::get<Compiled>(
      compile({.model = ModelBytes{"audio", testing::audio_preprocessor().bytes()}}));
  size_t lines = 0;
  EXPECT_EQ(difference(compiled, compiled.program, "audio", lines), "");
  EXPECT_GE(lines, 20U);
}

TEST(Trace, OfHandWrittenSchedulesIsTheirProgram) {
  for (const testing::HandWritten& hand :
       {testing::channel_loop(), testing::channel_loop(DType::kInt16),
        testing::channel_loop(DType::kInt8), testing::row_span(), testing::row_stream(),
        testing::row_span_of_user(), testing::residual_in_halves(true), testing::turned_input(),
        testing::several_memories(), testing::spilled_residual(), testing::spilled_residual(64)}) {
    const Compiled compiled = by_hand(hand);
    size_t lines = 0;
    EXPECT_EQ(difference(compiled, compiled.program, "net", lines), "");
    EXPECT_GT(lines, 2U);
  }
}

// Two thirds of the bytes in the arena, the rest in two banks.
TEST(Trace, OfSchedulesSpreadOverBanksIsTheirProgram) {
  int distributed = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const Graph graph = testing::random_network(seed);
    const auto planned = std::get<Planned>(choose_planner("stream").planner->plan(graph, {}, {}));
    const int64_t whole = place(graph, planned.schedule(), {}).arena_bytes();
    UsableMemories usable;
    usable.memories[kArena.index()].capacity_bytes = whole * 2 / 3;
    for (const char* name : {"bank", "psram"})
      usable.memories.push_back({.name = name, .capacity_bytes = whole / 2});
    for (const ScheduleMemory& memory : usable.memories)
      usable.usable_bytes.push_back(memory.capacity_bytes.value_or(INT64_MAX));
    const auto found = resident(graph, planned.best().realised, usable, {});
    if (!found) continue;
    ++distributed;
    const Compiled compiled = by_hand({graph, found->schedule, 0});
    size_t lines = 0;
    EXPECT_EQ(difference(compiled, compiled.program, "net", lines), "") << seed;
  }
  EXPECT_GT(distributed, 1);
}

// A trace that never differs would prove nothing.
TEST(Trace, ShowsWhatTheEmittedCodeDoesOtherwise) {
  const Compiled right = by_hand(testing::row_stream());
  const auto fault_of = [&](const std::function<void(Program&)>& change) {
    Compiled wrong = right;
    change(wrong.program);
    size_t lines = 0;
    return difference(wrong, right.program, "net", lines);
  };
  const auto call = [](Program& program, size_t k) -> Call& {
    return std::get<Call>(std::get<ProgramLoop>(program.nodes.at(0).what).body.at(k).what);
  };
  EXPECT_EQ(fault_of([](Program&) {}), "");
  EXPECT_NE(fault_of([](Program& p) { p.constants[0].content.data.own()[5] ^= 1; }), "");
  EXPECT_NE(fault_of([](Program& p) { std::swap(p.params[0].params, p.params[1].params); }), "");
  EXPECT_NE(fault_of([&](Program& p) { ++p.buffers[call(p, 1).out.buffer.index()].address; }), "");
  EXPECT_NE(fault_of([&](Program& p) { ++call(p, 0).axes[1].interval.begin.base; }), "");
  EXPECT_NE(fault_of([&](Program& p) { ++call(p, 1).axes[1].interval.end.base; }), "");
  EXPECT_NE(fault_of([&](Program& p) { ++call(p, 2).in[0].stride[2]; }), "");
  EXPECT_NE(fault_of([&](Program& p) { call(p, 4).in[0].bias.push_back({1, index(1)}); }), "");
  EXPECT_NE(fault_of([&](Program& p) { std::swap(call(p, 1), call(p, 2)); }), "");
}

// What a kernel needs is asked of its own function when the emitted code is compiled.
TEST(Trace, OfTooLittleScratchDoesNotCompile) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 5, 5, 2});
  g.output(g.depthwise(x, 3, 1));
  const Graph& graph = g.graph();
  Schedule s{.buffers = {whole_buffer(graph, x),
                         whole_buffer(graph, graph.ops[0].outputs[0]),
                         {.tensor = {}, .extents = {25}}},
             .inputs = {{0}},
             .outputs = {{1}}};
  s.nodes = {{Step{.op = {0},
                   .method = Method::kInPlace,
                   .region = region_expr(whole(graph.tensor(x).shape)),
                   .in = {BufferId{0}, {}, {}},
                   .out = {1},
                   .scratch = {2}}}};
  Compiled compiled = by_hand({graph, s, 0});
  size_t lines = 0;
  EXPECT_EQ(difference(compiled, compiled.program, "net", lines), "");
  --compiled.program.buffers[2].size_bytes;
  EXPECT_NE(difference(compiled, compiled.program, "net", lines).find("static assertion failed"),
            std::string::npos);
}

// Rows of an output go to the caller; none of the shared models has any.
TEST(Trace, OfNetworksWithRowsAtBothEnds) {
  for (const char* network : {"zoo:unet:resolution=32", "zoo:transformer:tokens=16,width=16"}) {
    SCOPED_TRACE(network);
    const Source source = load(network);
    for (const PortPlaces ports : {PortPlaces{Place::kResident, Place::kStreamed},
                                   PortPlaces{Place::kStreamed, Place::kStreamed}}) {
      const Answer answer = compile({.model = source, .planner = "stream", .ports = ports});
      ASSERT_TRUE(std::holds_alternative<Compiled>(answer));
      const Compiled& compiled = std::get<Compiled>(answer);
      size_t lines = 0;
      EXPECT_EQ(difference(compiled, compiled.program, "net", lines), "");
      fmt::print("{}: {} lines\n", network, lines);
    }
  }
}

/// Chains in float32, some with weights of int8, and recurrent layers; without operators what is
/// not taken so.
std::vector<Graph> float_networks() {
  constexpr uint64_t kKinds = std::variant_size_v<AnyOperator>, kNetworks = 8;
  std::vector<Graph> graphs;
  for (uint64_t seed = 1; seed <= kNetworks; ++seed) {
    graphs.push_back(testing::in_float32(testing::random_chain(seed), seed));
    for (const Attributes& kind : {Attributes(Lstm{}), Attributes(Recurrent{})})
      graphs.push_back(testing::random_op_graph(kind.index() + seed * kKinds));
  }
  return graphs;
}

Compiled compiled_float_network(const Graph& graph, size_t k) {
  return std::get<Compiled>(compile({.model = Source{graph, "net", ""},
                                     .graph = {.rewrite = false},
                                     .planner = k % 4 < 2 ? "reorder" : "stream"}));
}

/// A quarter of them each.
class TraceOfFloat32 : public ::testing::TestWithParam<size_t> {};

// Their code also gives the reference's outputs.
TEST_P(TraceOfFloat32, WithWeightsOfInt8IsTheirProgram) {
  const std::vector<Graph> graphs = float_networks();
  const size_t end = graphs.size() * (GetParam() + 1) / 4;
  for (size_t k = graphs.size() * GetParam() / 4; k < end; ++k) {
    if (graphs[k].ops.empty()) continue;
    SCOPED_TRACE(k);
    const Compiled compiled = compiled_float_network(graphs[k], k);
    size_t lines = 0;
    EXPECT_EQ(difference(compiled, compiled.program, "net", lines), "");
    const std::vector<Bytes> inputs = testing::noise(graphs[k], static_cast<uint32_t>(k));
    const testing::EmittedProject project{
        &compiled.graph, &compiled.program, "net",
        emitted_files(compiled, {.name = "net", .command = "a test"})};
    EXPECT_EQ(build().outputs({project}, {inputs}).at(0),
              testing::expected_outputs(graphs[k], inputs))
        << build().complaint();
  }
}

INSTANTIATE_TEST_SUITE_P(Quarters, TraceOfFloat32,
                         ::testing::Range<size_t>(0, testing::workload().nightly ? 4 : 2));

TEST(Trace, OfFloat32HasEveryKindOfParameters) {
  const std::vector<Graph> graphs = float_networks();
  std::set<std::string> found;
  for (size_t k = 0; k < graphs.size(); ++k) {
    if (graphs[k].ops.empty()) continue;
    for (const ProgramParams& given : compiled_float_network(graphs[k], k).program.params)
      found.insert(type_name(given.params));
  }
  EXPECT_THAT(found,
              ::testing::IsSupersetOf({"FloatConv2DParams", "HybridConv2DParams", "FloatLstmParams",
                                       "HybridLstmParams", "FloatRecurrentParams"}));
}

struct Kind {
  const char* name;
  std::string planner;
  PortPlaces ports = {};
  const char* core = "";  ///< with its kernels, and room for their scratch
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"reorder", "reorder"},
      {"pex", "pex"},
      {"patch", "patch"},
      {"depthwise_tiling", "depthwise_tiling"},
      {"rows", "stream:granularity=row"},
      {"pixels", "stream:granularity=pixel"},
      {"input_streamed", "stream", {.input = Place::kStreamed}},
      {"output_streamed", "stream", {.output = Place::kStreamed}},
      {"users", "stream", {.input = Place::kUser, .output = Place::kUser}},
      {"dsp", "reorder", {}, "cortex-m4"}};
  return all;
}

// Every golden model under every kind of plan; what cannot be planned so (no rows to stream) is
// named.
void expect_traces_of(const std::string& model, const std::vector<Kind>& planned) {
  const std::string file = testing::model_path(model).string();
  const Source source = load(file);
  for (const Kind& kind : planned) {
    SCOPED_TRACE(model + " " + kind.name);
    try {
      Request request{.model = source, .planner = kind.planner, .ports = kind.ports};
      if (*kind.core != '\0') {
        request.target = generic_target(kind.core);
        request.sram_bytes = 16 << 20;
      }
      const Answer answer = compile(request);
      ASSERT_TRUE(std::holds_alternative<Compiled>(answer));
      const Compiled& compiled = std::get<Compiled>(answer);
      size_t lines = 0;
      EXPECT_EQ(difference(compiled, compiled.program, identifier(model), lines), "");
      EXPECT_GT(lines, 0U);
      fmt::print("{} {}: {} lines\n", model, kind.name, lines);
    } catch (const CompileError& error) {
      EXPECT_NE(std::string(error.what()).find("streamed"), std::string::npos) << error.what();
      fmt::print("{} {}: no plan: {}\n", model, kind.name, error.what());
    }
  }
}

class TraceOfModels : public ::testing::TestWithParam<std::string> {};

// In CI small models under all kinds and the others under one; nightly all.
TEST_P(TraceOfModels, IsTheirProgram) {
  THIMBLE_NEEDS_SHARED();
  const std::string& model = GetParam();
  const auto bytes = std::filesystem::file_size(testing::model_path(model));
  if (testing::workload().nightly || bytes < 120'000) {
    expect_traces_of(model, kinds());
  } else if (bytes < 2'000'000) {
    expect_traces_of(model, {kinds()[4]});
  } else {
    GTEST_SKIP() << "THIMBLE_NIGHTLY=1 compiles its weights for the host, too";
  }
}

/// Golden data of models beyond those above, as far as Thimble takes them: single operators,
/// mostly.
const std::vector<std::string>& other_golden_models() {
  static const std::vector<std::string> taken = [] {
    const std::vector<std::string> above = testing::issue_models();
    std::set<std::string> others;
    for (const auto& entry :
         std::filesystem::directory_iterator(testing::shared_folder() / "golden")) {
      const std::string file = entry.path().filename().string();
      const std::string model = file.substr(0, file.find('.'));
      if (std::ranges::find(above, model) == above.end()) others.insert(model);
    }
    std::vector<std::string> models;
    for (const std::string& model : others) {
      try {
        (void)prepare(load(testing::model_path(model).string()).graph, {});
        models.push_back(model);
      } catch (const CompileError&) {  // an operator or a type that is not supported
      }
    }
    return models;
  }();
  return taken;
}

/// Every sixth of them each.
class TraceOfOtherGoldenModels : public ::testing::TestWithParam<size_t> {};

TEST_P(TraceOfOtherGoldenModels, IsTheirProgram) {
  THIMBLE_NEEDS_SHARED();
  const std::vector<std::string>& models = other_golden_models();
  for (size_t k = GetParam(); k < models.size(); k += 6)
    expect_traces_of(models[k], testing::workload().nightly ? kinds() : std::vector{kinds()[0]});
  EXPECT_GT(models.size(), 10U);
}

INSTANTIATE_TEST_SUITE_P(Shared, TraceOfOtherGoldenModels,
                         ::testing::Range<size_t>(0, testing::workload().nightly ? 6 : 2));

// Emitted code on the host, with sanitizers: what is reset once is kept from call to call.
TEST(Trace, EmittedCodeKeepsItsState) {
  THIMBLE_NEEDS_SHARED();
  for (const std::string& model : testing::recurrent_models()) {
    SCOPED_TRACE(model);
    const Compiled compiled =
        std::get<Compiled>(compile({.model = testing::model_path(model).string()}));
    const testing::EmittedProject project{
        &compiled.graph, &compiled.program, model,
        emitted_files(compiled, {.name = model, .command = "a test"})};
    const testing::Golden golden = testing::load_golden(testing::golden_paths(model)[0]);
    std::vector<Bytes> inputs, expected;
    for (const testing::Golden::Inference& seed : golden.seeds)
      inputs.push_back(seed.input_bytes().at(0));
    for (const std::vector<NamedTensor>& turn : golden.sequence)
      expected.push_back(turn.at(0).data);
    EXPECT_EQ(build().outputs({project}, {inputs}).at(0), expected) << build().complaint();
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, TraceOfModels, ::testing::ValuesIn(testing::issue_models()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace thimble
