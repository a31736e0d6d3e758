// SPDX-License-Identifier: Apache-2.0
// Emitted firmware on the emulated Cortex-M4: the golden outputs, within the plan's bytes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/hand_written.h"
#include "tests/support/random_network.h"
#include "tests/support/random_schedule.h"
#include "tests/support/shared.h"
#include "tests/support/short_plans.h"
#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/measure.h"
#include "thimble/emit/identifier.h"
#include "thimble/import/tflite.h"
#include "thimble/moves/relayout_inputs.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/reference/interpreter.h"
#include "thimble/report/tensor_text.h"
#include "thimble/target/target.h"

namespace thimble {
namespace {

constexpr const char* kCore = "cortex-m4";

// A model on its way into a firmware; its address must not change once it is there.
struct Entry {
  Compiled compiled;
  std::string name;
  std::vector<EmittedFile> files;
};

Entry entry_of(Compiled compiled, const std::string& name) {
  Entry entry{std::move(compiled), identifier(name), {}};
  entry.files = emitted_files(entry.compiled, {.name = entry.name, .command = "a test"});
  return entry;
}

Entry planned_entry(const std::filesystem::path& model, Request request = {}) {
  request.model = model.string();
  return entry_of(std::get<Compiled>(compile(request)), model.stem().string());
}

Entry hand_written_entry(const testing::HandWritten& hand, const std::string& name) {
  const Source source{hand.graph, name, ""};
  const PlacedPlan plan{.planner = "by hand",
                        .schedule = hand.schedule,
                        .placement = place(hand.graph, hand.schedule, {}),
                        .accumulators = hand.graph.accumulators};
  return entry_of(described(check_plan(source, {.rewrite = false}, plan, name)), name);
}

Measured run(const std::vector<Entry>& entries, const std::vector<InputSet>& sets) {
  std::vector<FirmwareModel> models;
  for (const Entry& entry : entries)
    models.push_back({entry.name, entry.files, &entry.compiled.program});
  return measure(models, kCore, sets);
}

int64_t weight_bytes_of(const std::vector<Entry>& entries) {
  std::vector<FirmwareModel> models;
  for (const Entry& entry : entries)
    models.push_back({entry.name, entry.files, &entry.compiled.program});
  return measure_sizes(models, kCore).weight_bytes;
}

void expect_kept_to_its_memory(const EmulatedRun& run) {
  EXPECT_TRUE(run.guards_intact()) << run.name << ": " << run.guards;
  EXPECT_TRUE(run.inputs_intact) << run.name;
}

TEST(Firmware, HandWrittenSchedulesAreIdenticalAtTheirPeaks) {
  const testing::HandWritten hands[] = {testing::channel_loop(),
                                        testing::channel_loop(DType::kInt16),
                                        testing::channel_loop(DType::kInt8),
                                        testing::row_span(),
                                        testing::row_stream(),
                                        testing::row_span_of_user(),
                                        testing::residual_in_halves(true),
                                        testing::turned_input()};
  std::vector<Entry> entries;
  InputSet inputs;
  for (const testing::HandWritten& hand : hands) {
    entries.push_back(hand_written_entry(hand, fmt::format("hand_written_{}", entries.size())));
    const Tensor& in = hand.graph.tensor(hand.graph.inputs[0].tensor);
    inputs.push_back({random_bytes(in.type, elements(in.shape), 5)});
  }
  const Measured measured = run(entries, {inputs});
  EXPECT_EQ(measured.size.static_ram_bytes, 0);
  for (size_t k = 0; k < entries.size(); ++k) {
    const EmulatedRun& run = measured.sets[0][k];
    expect_kept_to_its_memory(run);
    EXPECT_EQ(entries[k].compiled.program.arena_bytes(), hands[k].peak_bytes);
    const TensorValues values = interpret(hands[k].graph, inputs[k]);
    EXPECT_EQ(run.outputs[0], values[hands[k].graph.outputs[0].tensor.index()]);
    fmt::print("{}: {} instructions, {} B of stack\n", run.name, run.instructions, run.stack_bytes);
  }
}

// Two further memories are in the board's PSRAM, with the addresses that it has.
TEST(Firmware, SeveralMemoriesAreIdentical) {
  const testing::HandWritten hand = testing::several_memories();
  std::vector<Entry> entries;
  entries.push_back(hand_written_entry(hand, "several_memories"));
  const InputSet inputs{{random_bytes(DType::kInt8, 256, 5)}};
  const EmulatedRun run = thimble::run(entries, {inputs}).sets[0][0];
  expect_kept_to_its_memory(run);
  EXPECT_EQ(run.outputs, testing::expected_outputs(hand.graph, inputs[0]));
}

// A chunk [0, 0) behind each of the others: on the host it is not even a call.
TEST(Firmware, EmptyChunksLeaveTheSumsAsTheyAre) {
  std::vector<Entry> entries;
  InputSet inputs;
  for (const DType sums : {DType::kInt32, DType::kInt16, DType::kInt8}) {
    testing::HandWritten hand = testing::channel_loop(sums);
    auto& body = std::get<Loop>(hand.schedule.nodes.at(0).what).body;
    Step nothing = std::get<Step>(body.back().what);
    ASSERT_EQ(nothing.method, Method::kAccumulate);
    nothing.chunk = IntervalExpr{index(0), index(0)};
    body.push_back({nothing});
    entries.push_back(hand_written_entry(hand, fmt::format("sums_of_{}", 8 * size_bytes(sums))));
    inputs.push_back({random_bytes(DType::kInt8, 13 * 13 * 24, 5)});
  }
  const Measured measured = run(entries, {inputs});
  for (size_t k = 0; k < entries.size(); ++k) {
    EXPECT_EQ(measured.sets[0][k].outputs,
              testing::expected_outputs(entries[k].compiled.graph, inputs[k]))
        << entries[k].name;
  }
}

// Nothing but the copy in place: a reshape in place costs no instruction.
TEST(Firmware, PlanesOfAnImageAreTurnedInPlace) {
  testing::TestGraph g(1);
  const Shape shape{1, 224, 224, 3};
  g.output(g.reshape(g.input(shape), {1, elements(shape)}));
  g.graph().inputs[0].order = {0, 3, 1, 2};
  const Graph& graph = g.graph();
  const Instances relaid = relayout_inputs(graph, instances_of(graph, {})).value();
  const Schedule schedule = testing::whole_operators(graph, relaid, true);
  const std::vector<Entry> entries{hand_written_entry({graph, schedule, 0}, "planes")};
  const Bytes planes = random_bytes(DType::kInt8, elements(shape), 5);
  const EmulatedRun run = thimble::run(entries, {{{planes}}}).sets[0][0];
  expect_kept_to_its_memory(run);
  EXPECT_EQ(entries[0].compiled.program.arena_bytes(), elements(shape));
  const size_t pixels = 224 * 224;
  size_t wrong = 0;
  for (size_t k = 0; k < planes.size(); ++k) {
    wrong += run.outputs[0][k] != planes[k % 3 * pixels + k / 3] ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0U);
  fmt::print("{}: {} instructions, {} B of stack\n", run.name, run.instructions, run.stack_bytes);
}

// Slices, blocks, halos, accumulators, in loops in loops: many small programs in one firmware.
TEST(Firmware, RandomSchedulesEqualTheReference) {
  std::vector<Entry> entries;
  InputSet inputs;
  size_t calls = 0;
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    const Graph graph = testing::random_chain(seed);
    zoo::Random random(seed);
    const Schedule whole = testing::whole_operators(graph, seed % 2 == 0);
    const Schedule schedule = testing::random_schedule(graph, whole, 16, random).schedule;
    entries.push_back(hand_written_entry({graph, schedule, 0}, fmt::format("random_{}", seed)));
    inputs.push_back(testing::noise(graph, seed));
    calls += entries.back().compiled.verification.calls;
  }
  const Measured measured = run(entries, {inputs});
  for (size_t k = 0; k < entries.size(); ++k) {
    expect_kept_to_its_memory(measured.sets[0][k]);
    EXPECT_EQ(measured.sets[0][k].outputs,
              testing::expected_outputs(entries[k].compiled.graph, inputs[k]))
        << measured.sets[0][k].name;
  }
  fmt::print("{} random schedules, {} calls\n", entries.size(), calls);
}

/// Networks with one int8 input and one output, all in one firmware.
void expect_reference_outputs(const std::vector<Entry>& entries) {
  InputSet inputs;
  for (const Entry& entry : entries) {
    const Graph& graph = entry.compiled.graph;
    inputs.push_back(
        {random_bytes(DType::kInt8, elements(graph.tensor(graph.inputs[0].tensor).shape), 5)});
  }
  const Measured measured = run(entries, {inputs});
  for (size_t k = 0; k < entries.size(); ++k) {
    const EmulatedRun& run = measured.sets[0][k];
    expect_kept_to_its_memory(run);
    const Graph& graph = entries[k].compiled.graph;
    const TensorValues values = interpret(graph, inputs[k]);
    EXPECT_EQ(run.outputs[0], values[graph.outputs[0].tensor.index()]);
    fmt::print("{}: {} instructions, {} B of stack\n", run.name, run.instructions, run.stack_bytes);
  }
}

// 5 divides no extent: the last patches are smaller.
TEST(Firmware, InPatchesEqualsTheReference) {
  std::vector<Entry> entries;
  for (const char* model : {"zoo:demo", "zoo:micronet_vww_2"}) {
    entries.push_back(planned_entry(model, {.planner = "patch:patches=5"}));
    EXPECT_GT(entries.back().compiled.cost.recomputed_macs, 0);
  }
  expect_reference_outputs(entries);
}

// Rows that are upsampled, and others that wait for them.
TEST(Firmware, SpansWithUpsamplingEqualTheReference) {
  testing::TestGraph g(4);
  const TensorId e = g.conv(g.input({1, 13, 11, 3}), 4, 3, 1);
  const TensorId d = g.conv(e, 4, 3, 2);
  g.output(g.depthwise(g.concat(e, g.resize(d, ResizeBilinear{.half_pixel_centers = true}, 13, 11)),
                       3, 1));
  const Source odd{g.graph(), "odd", std::string(64, '0')};
  std::vector<Entry> entries;
  for (const Source& source : {load("zoo:unet:resolution=32"), odd}) {
    for (const Request& request :
         {Request{.model = source, .planner = "stream:granularity=row"},
          Request{.model = source, .planner = "stream:granularity=pixel"},
          Request{.model = source,
          .planner = "stream",
          .ports = {.input = Place::kStreamed, .output = Place::kStreamed}}}) {
      entries.push_back(entry_of(std::get<Compiled>(compile(request)),
                                 fmt::format("upsampled_{}", entries.size())));
    }
  }
  expect_reference_outputs(entries);
}

// Their bytes in a file of their own; equal ones are shared with those that are printed.
TEST(Firmware, ConstantsAsBytesEqualTheReference) {
  std::vector<Entry> entries;
  for (const auto& [name, most] : {std::pair{"bytes", int64_t{0}}, {"text", int64_t{1} << 20}}) {
    Entry entry{std::get<Compiled>(compile({.model = "zoo:demo", .target = generic_target(kCore)})),
                name,
                {}};
    entry.files = emitted_files(entry.compiled, {.name = name, .most_text_bytes = most});
    entries.push_back(std::move(entry));
  }
  const auto has_bytes = [](const Entry& entry) {
    return std::ranges::count(entry.files, entry.name + "_weights.cc.bin", &EmittedFile::path) == 1;
  };
  EXPECT_TRUE(has_bytes(entries[0]));
  EXPECT_FALSE(has_bytes(entries[1]));
  const int64_t both = weight_bytes_of(entries);
  expect_reference_outputs(entries);
  entries.pop_back();
  EXPECT_EQ(weight_bytes_of(entries), both) << "what is equal is there once";
  expect_reference_outputs(entries);
}

// The tokens of one head and of several, rings of them with the axes in another order.
TEST(Firmware, TokenByTokenEqualsTheReference) {
  std::vector<Entry> entries;
  for (const char* model : {"zoo:transformer", "zoo:transformer:tokens=30,heads=4,blocks=1"}) {
    entries.push_back(planned_entry(model, {.planner = "stream"}));
  }
  EXPECT_EQ(entries[0].compiled.program.arena_bytes(), 6'368);
  expect_reference_outputs(entries);
}

// Layer normalisation, GELU and attention, in whole tensors and token by token.
TEST(Firmware, BertTinyOfEveryPlannerEqualsTheReference) {
  std::vector<Entry> entries;
  for (const Planner& planner : planners()) {
    const std::string spec = "zoo:bert_tiny:tokens=12,hidden=64";
    entries.push_back(
        entry_of(std::get<Compiled>(compile({.model = spec, .planner = planner.name})),
                 fmt::format("bert_{}", planner.name)));
  }
  expect_reference_outputs(entries);
}

// Rows in a loop over channels, and rows that are collected before anything executes.
TEST(Firmware, RowsOfChannelsAndCollectedRowsEqualTheReference) {
  testing::TestGraph g(6);
  const TensorId d = g.depthwise(g.conv(g.input({1, 18, 15, 6}), 24, 3, 1), 3, 3);
  g.output(g.conv(d, 8, 1, 1));
  g.output(g.reshape(g.mean(d), {24}));
  const Source channels{g.graph(), "channels", std::string(64, '0')};
  std::vector<Entry> entries;
  for (const char* planner : {"stream:granularity=row", "stream:granularity=pixel"}) {
    entries.push_back(entry_of(
        std::get<Compiled>(
            compile({.model = channels, .planner = planner, .ports = {.input = Place::kUser}})),
        fmt::format("channels_{}", entries.size())));
    EXPECT_GT(std::get<note::Spans>(entries.back().compiled.notes.at(0)).ops_in_both, 0);
  }
  entries.push_back(planned_entry("zoo:transformer",
                                  {.planner = "stream", .ports = {.input = Place::kStreamed}}));
  EXPECT_TRUE(is_whole(entries.back().compiled.program, entries.back().compiled.program.inputs[0]));
  testing::TestGraph tokens(7);
  tokens.output(tokens.linear(tokens.linear(tokens.input({1, 30, 8}), 12), 5));
  const PortPlaces passing{.input = Place::kStreamed, .output = Place::kStreamed};
  entries.push_back(
      entry_of(std::get<Compiled>(compile({.model = source_of(tokens.graph()), .ports = passing})),
               "tokens"));
  EXPECT_EQ(entries.back().compiled.program.arena_bytes(), 8 + 12 + 5);
  testing::TestGraph row(8);  // whose loop has one iteration
  const TensorId x = row.input({1, 1, 4, 3});
  row.output(row.conv(row.concat(x, x), 2, 1, 1));
  entries.push_back(entry_of(
      std::get<Compiled>(compile({.model = source_of(row.graph()), .ports = passing})), "row"));
  expect_reference_outputs(entries);
}

TEST(Firmware, WithSumsOf16And8BitsEqualsTheReferenceWithThem) {
  std::vector<Entry> entries;
  for (const auto& [model, bits] :
       {std::pair{"zoo:demo", 8}, {"zoo:pex_figure1", 16}, {"zoo:resnet8", 8}}) {
    entries.push_back(planned_entry(model, {.planner = fmt::format("pex:accumulators={}", bits)}));
    EXPECT_FALSE(entries.back().compiled.graph.accumulators.empty()) << model;
  }
  expect_reference_outputs(entries);
}

TEST(Firmware, OfAModelWithSumsOf8BitsEqualsTheReferenceWithThem) {
  THIMBLE_NEEDS_SHARED();
  std::vector<Entry> entries;
  entries.push_back(planned_entry(testing::model_path("pretrainedResnet_quant"),
                                  {.planner = "pex:accumulators=8"}));
  EXPECT_LT(entries[0].compiled.program.arena_bytes(), 34'000);
  expect_reference_outputs(entries);
}

class FirmwareOfModels : public ::testing::TestWithParam<std::string> {};

TEST_P(FirmwareOfModels, GivesTheGoldenOutputs) {
  THIMBLE_NEEDS_SHARED();
  std::vector<Entry> entries;
  entries.push_back(planned_entry(testing::model_path(GetParam())));
  std::vector<InputSet> sets;
  std::vector<std::vector<NamedTensor>> expected;
  for (const auto& file : testing::golden_paths(GetParam())) {
    const testing::Golden golden = testing::load_golden(file);
    for (const testing::Golden::Inference& inference : golden.seeds) {
      sets.push_back({inference.input_bytes()});
      expected.push_back(inference.outputs);
      if (entries[0].compiled.cost.macs > 100'000'000) break;  // one inference of the largest
    }
  }
  const Measured measured = run(entries, sets);
  ASSERT_EQ(measured.sets.size(), expected.size());
  for (size_t s = 0; s < sets.size(); ++s) {
    expect_kept_to_its_memory(measured.sets[s][0]);
    for (size_t k = 0; k < expected[s].size(); ++k) {
      const NamedTensor& want = expected[s][k];
      EXPECT_EQ(first_difference(want.data, measured.sets[s][0].outputs[k], want.type, want.shape,
                                 kFloatTolerance),
                "");
    }
    EXPECT_EQ(measured.sets[s][0].outputs, execute(entries[0].compiled.program, sets[s][0]));
  }
  EXPECT_EQ(measured.size.static_ram_bytes, 0);
  EXPECT_EQ(measured.size.weight_bytes, entries[0].compiled.cost.weight_bytes);
  if (GetParam() == "person_detect") {
    EXPECT_LT(measured.size.code_bytes, 24 * 1024);
  }
  fmt::print("{}: {} inferences, {} instructions, {} B code, {} B weights, {} B stack\n",
             GetParam(), sets.size(), measured.sets[0][0].instructions, measured.size.code_bytes,
             measured.size.weight_bytes, measured.sets[0][0].stack_bytes);
}

INSTANTIATE_TEST_SUITE_P(Shared, FirmwareOfModels, ::testing::ValuesIn(testing::issue_models()),
                         [](const auto& model) { return model.param; });
INSTANTIATE_TEST_SUITE_P(Floats, FirmwareOfModels, ::testing::ValuesIn(testing::float_models()),
                         [](const auto& model) { return testing::test_name(model.param); });

// The photographs of the golden inputs, row by row as a camera has them, in the plan's bytes: the
// picture is never whole in the firmware's arena.
TEST(Firmware, PersonDetectorFedByRowsOfAPhotograph) {
  THIMBLE_NEEDS_SHARED();
  std::vector<Entry> entries;
  entries.push_back(
      planned_entry(testing::model_path("person_detect"), {.ports = {.input = Place::kStreamed}}));
  const Program& program = entries[0].compiled.program;
  EXPECT_LT(program.arena_bytes(), 24'000);
  std::vector<InputSet> sets;
  std::vector<Bytes> expected;
  for (const auto& file : testing::golden_paths("person_detect")) {
    const testing::Golden golden = testing::load_golden(file);
    sets.push_back({golden.seeds.at(0).input_bytes()});
    expected.push_back(golden.seeds.at(0).outputs.at(0).data);
  }
  ASSERT_GE(sets.size(), 3U) << "noise and two photographs";
  const Measured measured = run(entries, sets);
  for (size_t s = 0; s < sets.size(); ++s) {
    expect_kept_to_its_memory(measured.sets[s][0]);
    EXPECT_EQ(measured.sets[s][0].outputs[0], expected[s]);
  }
  EXPECT_EQ(measured.size.static_ram_bytes, 0);
  fmt::print("{} B of arena, {} instructions, {} B of stack\n", program.arena_bytes(),
             measured.sets[0][0].instructions, measured.sets[0][0].stack_bytes);
}

// A model that takes its channels first: rows come as columns x channels all the same.
TEST(Firmware, RowsAndTensorsOfTheCallersWhateverTheirAxes) {
  testing::TestGraph g(9);
  const TensorId x = g.input({1, 3, 20, 12});
  const TensorId image = g.transpose(x, {0, 2, 3, 1});
  const TensorId y = g.add(g.conv(image, 4, 3, 2), g.conv(image, 4, 1, 2));
  g.output(g.transpose(y, {0, 3, 1, 2}));
  const Source source{g.graph(), "channels_first", std::string(64, '0')};
  const Bytes input = random_bytes(DType::kInt8, 3 * 20 * 12, 5);
  const Bytes expected = interpret(g.graph(), {input})[g.graph().outputs[0].tensor.index()];
  std::vector<Entry> entries;
  for (const PortPlaces& ports : {PortPlaces{.input = Place::kStreamed, .output = Place::kStreamed},
                                  PortPlaces{.input = Place::kUser, .output = Place::kUser},
                                  PortPlaces{.input = Place::kStreamed, .output = Place::kUser}}) {
    entries.push_back(entry_of(
        std::get<Compiled>(compile({.model = source, .planner = "stream", .ports = ports})),
        fmt::format("places_{}", entries.size())));
    EXPECT_FALSE(entries.back().compiled.program.inputs[0].order.empty());
    EXPECT_EQ(execute(entries.back().compiled.program, {input})[0], expected);
  }
  const Measured measured = run(entries, {InputSet(entries.size(), {input})});
  for (const EmulatedRun& r : measured.sets[0]) {
    expect_kept_to_its_memory(r);
    EXPECT_EQ(r.outputs[0], expected) << r.name;
  }
}

/// Every eighth of the small models each, in one firmware.
class OperatorsInOneFirmware : public ::testing::TestWithParam<size_t> {};

TEST_P(OperatorsInOneFirmware, GiveTheGoldenOutputs) {
  THIMBLE_NEEDS_SHARED();
  std::vector<Entry> entries;
  InputSet inputs;
  std::vector<std::vector<NamedTensor>> expected;
  const std::vector<testing::OpsCase> cases = testing::ops_cases();
  for (size_t k = GetParam(); k < cases.size(); k += 8) {
    const testing::OpsCase& c = cases[k];
    entries.push_back(planned_entry(c.model()));
    const testing::Golden golden = testing::load_golden(c.golden());
    inputs.push_back(golden.seeds[0].input_bytes());
    expected.push_back(golden.seeds[0].outputs);
  }
  ASSERT_GT(cases.size(), 400U);
  ASSERT_GT(entries.size(), 50U);
  const Measured measured = run(entries, {inputs});
  ASSERT_EQ(measured.sets[0].size(), entries.size());
  for (size_t m = 0; m < entries.size(); ++m) {
    expect_kept_to_its_memory(measured.sets[0][m]);
    for (size_t k = 0; k < expected[m].size(); ++k) {
      const NamedTensor& want = expected[m][k];
      EXPECT_EQ(first_difference(want.data, measured.sets[0][m].outputs[k], want.type, want.shape,
                                 kFloatTolerance),
                "")
          << entries[m].name;
    }
    EXPECT_EQ(measured.sets[0][m].outputs, execute(entries[m].compiled.program, inputs[m]))
        << entries[m].name;
  }
  fmt::print("{} models in one firmware\n", entries.size());
}

// Each part has every eighth case: all kinds of operators.
INSTANTIATE_TEST_SUITE_P(Shared, OperatorsInOneFirmware,
                         ::testing::Range<size_t>(0, testing::workload().nightly ? 8 : 3));

}  // namespace
}  // namespace thimble
