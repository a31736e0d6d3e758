// SPDX-License-Identifier: Apache-2.0
// Saved plans damaged at random: each is refused, or computes what the reference computes, on the
// host and as emitted code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

#include "tests/support/hand_written.h"
#include "tests/support/random_network.h"
#include "tests/support/workload.h"
#include "tests/trace/plan_damage.h"
#include "tests/trace/traced.h"
#include "thimble/driver/driver.h"
#include "thimble/model/error.h"
#include "thimble/program/host.h"
#include "thimble/report/tensor_text.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

struct Base {
  Source source;
  Json plan;
};

void add_base(std::vector<Base>& bases, const Graph& graph, const PlacedPlan& plan) {
  bases.push_back({{graph, "net", ""}, Json::parse(to_json(plan, {.rewrite = false}))});
}

void add_planned(std::vector<Base>& bases, const Graph& graph) {
  for (const char* planner : {"reorder", "pex", "patch", "stream:granularity=row",
                              "stream:granularity=pixel", "pex:accumulators=8", "streamed"}) {
    const bool streamed = std::string(planner) == "streamed";
    Request request{.model = Source{graph, "net", ""},
                    .graph = {.rewrite = false},
                    .planner = streamed ? "stream" : planner};
    if (streamed) request.ports.input = Place::kStreamed;
    if (std::string(planner).starts_with("pex")) request.sram_bytes = 1;  // as small as it can
    try {
      const Answer answer = compile(request);
      if (const auto* compiled = std::get_if<Compiled>(&answer))
        add_base(bases, compiled->graph, compiled->plan);
    } catch (const CompileError&) {  // this network cannot be planned so
    }
  }
}

std::vector<Base> bases() {
  std::vector<Base> result;
  for (const testing::HandWritten& hand :
       {testing::channel_loop(), testing::channel_loop(DType::kInt8), testing::row_span(),
        testing::row_stream(), testing::row_span_of_user(), testing::residual_in_halves(true),
        testing::turned_input(), testing::several_memories(), testing::spilled_residual(),
        testing::spilled_residual(32)}) {
    add_base(result, hand.graph,
             {.planner = "by hand",
              .schedule = hand.schedule,
              .placement = place(hand.graph, hand.schedule, {}),
              .accumulators = hand.graph.accumulators});
  }
  for (uint64_t seed = 1; seed <= 8; ++seed) add_planned(result, testing::random_network(seed));
  for (uint64_t seed = 1; seed <= 4; ++seed) add_planned(result, testing::random_chain(seed));
  add_planned(result, testing::random_attention(1));
  return result;
}

/// What came of them, and the accepted ones that wait for the compiler.
struct Tally {
  int refused = 0, wrong = 0, accepted = 0, emitted = 0, traced = 0, ran = 0;
  size_t lines = 0;
};

/// Half of the plans each.
class DamagedPlans : public ::testing::TestWithParam<int> {
 protected:
  // Empty if it is refused, or computes the right thing; else what is wrong with it.
  std::string fault_of(const Base& base, const std::string& text) {
    std::optional<Compiled> compiled;
    try {
      const SavedPlan saved = plan_from_json(text, "plan");
      compiled = check_plan(base.source, {.rewrite = false}, saved.plan, "plan");
    } catch (const CompileError&) {
      ++tally_.refused;
      return "";
    } catch (const std::exception& error) {
      return fmt::format("an internal error: {}", error.what());
    }
    if (!compiled->verification.ok()) {
      ++tally_.wrong;
      return "";
    }
    ++tally_.accepted;
    for (const uint64_t seed : {11, 12}) {
      const std::vector<Bytes> inputs = testing::noise(compiled->graph, seed);
      if (execute(compiled->program, inputs) != testing::expected_outputs(compiled->graph, inputs))
        return "it is called right, but computes something else";
    }
    keep(described(std::move(*compiled)));
    return "";
  }

  // For the compiler, unless the very same code waits there or was there.
  void keep(Compiled compiled) {
    const std::string name = fmt::format("net_{}", waiting_.size());
    std::vector<EmittedFile> files = emitted_files(compiled, {.name = name, .command = "a test"});
    const std::vector<EmittedFile> unnamed =
        emitted_files(compiled, {.name = "net", .command = "a test"});
    std::string code;
    for (const EmittedFile& file : unnamed) {
      if (!file.path.starts_with("thimble_runtime")) code += file.text;
    }
    // The banner has the peak and the like, which damage may change alone.
    code.erase(0, code.find("#include"));
    if (!known_.insert(std::hash<std::string>()(code)).second) return;
    ++tally_.emitted;
    waiting_.push_back(std::move(compiled));
    const Compiled& kept = waiting_.back();
    projects_.push_back({&kept.graph, &kept.program, name, std::move(files)});
  }

  void compile_waiting(int most_traced, int most_run) {
    if (projects_.empty()) return;
    if (tally_.traced < most_traced) {
      const auto differences = build_.trace_differences(projects_, tally_.lines);
      for (size_t k = 0; k < projects_.size(); ++k) EXPECT_EQ(differences[k], "");
      tally_.traced += static_cast<int>(projects_.size());
    }
    if (tally_.ran < most_run) run_waiting(static_cast<size_t>(most_run - tally_.ran));
    projects_.clear();
    waiting_.clear();
  }

  void run_waiting(size_t most) {
    projects_.resize(std::min(most, projects_.size()));
    std::vector<std::vector<Bytes>> inputs;
    for (const testing::EmittedProject& p : projects_)
      inputs.push_back(testing::noise(*p.graph, 13));
    const auto outputs = build_.outputs(projects_, inputs);
    EXPECT_EQ(build_.complaint(), "");
    for (size_t k = 0; k < projects_.size(); ++k) {
      EXPECT_EQ(outputs[k], testing::expected_outputs(*projects_[k].graph, inputs[k]))
          << projects_[k].name;
    }
    tally_.ran += static_cast<int>(projects_.size());
  }

  testing::HostBuild build_;
  Tally tally_;
  std::deque<Compiled> waiting_;
  std::vector<testing::EmittedProject> projects_;
  std::set<size_t> known_;
};

TEST_P(DamagedPlans, AreRefusedOrComputeWhatTheReferenceComputes) {
  const bool nightly = testing::workload().nightly;
  const int count = nightly ? 50'000 : 1'000, begin = GetParam() * count;
  const int most_traced = nightly ? count : 16, most_run = nightly ? 300 : 8;
  const size_t batch = nightly ? 64 : 16;
  const std::vector<Base> all = bases();
  for (int k = begin; k < begin + count; ++k) {
    zoo::Random random(static_cast<uint64_t>(k) + 1);
    const Base& base = all[static_cast<size_t>(k) % all.size()];
    const std::string text = testing::damaged(base.plan, random).dump();
    const std::string fault = fault_of(base, text);
    ASSERT_EQ(fault, "") << "plan " << k << " of base " << static_cast<size_t>(k) % all.size()
                         << ":\n"
                         << text;
    if (projects_.size() >= batch) compile_waiting(most_traced, most_run);
    if (HasFailure()) break;
  }
  compile_waiting(most_traced, most_run);
  fmt::print(
      "{} plans of {} bases: {} refused, {} found wrong, {} accepted; {} of these emit other code "
      "than one before: {} traced ({} lines), {} run under sanitizers\n",
      count, all.size(), tally_.refused, tally_.wrong, tally_.accepted, tally_.emitted,
      tally_.traced, tally_.lines, tally_.ran);
  EXPECT_GT(tally_.refused, count / 5);
  EXPECT_GT(tally_.wrong, count / 20);
  EXPECT_GT(tally_.accepted, count / 50);
  EXPECT_GE(tally_.traced, std::min(most_traced, tally_.emitted));
}

INSTANTIATE_TEST_SUITE_P(Halves, DamagedPlans, ::testing::Values(0, 1));

}  // namespace
}  // namespace thimble
