// SPDX-License-Identifier: Apache-2.0
// How few bytes partition schemes can need, by trying all of them: orders cut into runs of at most
// L operators, each whole or in parts along any axis, in any number of parts (docs/planners.md).
//   motes_bound --ratio 0.8 zoo:nasnet_a_mobile zoo:darts_imagenet > bench/results/motes_bound.csv
// As CSV: the least peak below `ratio` of what `motes` needs, at any time and within its limit.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <optional>
#include <random>

#include "bench/command_line.h"
#include "bench/planned.h"
#include "thimble/moves/resident_first.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/motes_units.h"
#include "thimble/search/front_cut.h"
#include "thimble/search/narrow_early.h"
#include "thimble/search/order.h"

namespace {

using namespace thimble;

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr int kAllWays = 1 << 20;

struct Options {
  std::vector<std::string> models;
  double ratio = 0.8, max_latency = 1.05;
  int length = 64, shuffled = 20;
  int64_t blocks = 16;
};

struct NamedOrder {
  std::string name;
  std::vector<int> ops;
};

/// Readers of a tensor in another order, and what narrows early.
std::vector<int> shuffled_order(const OrderProblem& problem, uint64_t seed) {
  std::vector<int> ops(problem.ops.size());
  std::iota(ops.begin(), ops.end(), 0);
  std::ranges::shuffle(ops, std::mt19937_64(seed));
  OrderProblem shuffled = problem;
  for (size_t k = 0; k < ops.size(); ++k)
    shuffled.ops[k] = problem.ops[static_cast<size_t>(ops[k])];
  std::vector<int> result;
  for (const int k : reverse_post_order(shuffled).ops)
    result.push_back(ops[static_cast<size_t>(k)]);
  return narrow_early(problem, result).ops;
}

/// Orders that `motes` and `auto` know, and some more.
std::vector<NamedOrder> orders_of(const AxisGraph& axes, const Instances& instances,
                                  const OrderProblem& problem, int shuffled) {
  const std::vector<int> least = reorder(problem).ops;
  std::vector<NamedOrder> result = {{"narrow", narrow_early(problem, least).ops},
                                    {"least", least},
                                    {"post_order", reverse_post_order(problem).ops},
                                    {"resident_first", resident_first_order(axes, instances)}};
  for (int seed = 1; seed <= shuffled; ++seed)
    result.push_back(
        {fmt::format("shuffled_{}", seed), shuffled_order(problem, static_cast<uint64_t>(seed))});
  return result;
}

struct Found {
  int64_t floor_bytes = 0;  ///< less than this needs no cut into any loops of at most L operators
  int64_t windows = 0, schemes = 0;
  std::optional<FrontCut> least, in_time;
};

/// All cuts of one order that need less than `below`.
class Bound {
 public:
  Bound(const AxisGraph& axes, const Instances& instances, const OrderProblem& problem,
        const std::vector<int>& order, const Options& options)
      : options_(options),
        flow_(axes, instances),
        order_(order),
        rolls_(flow_, problem, order, {}),
        model_(*latency_model("cortex-m4")),
        latency_(flow_, core_, model_),
        units_(flow_, rolls_, order, latency_, true),
        partitions_(flow_, rolls_, order, PartCounts::kAll) {}

  Found below(int64_t bytes) {
    Found result;
    const std::vector<int64_t> rest = floors(true);  // of what is behind a position
    result.floor_bytes = floors(false)[0];
    std::vector<FrontPiece> pieces;
    double whole = model_.program;
    for (int at = 0; at < count(); ++at) {
      pieces.push_back(
          {at, at + 1, single(at), latency_.whole({.instance = {order_[index(at)]}}, false)});
      whole += pieces.back().time;
    }
    std::vector<bool> reached(order_.size() + 1);
    reached[0] = true;
    for (int begin = 0; begin < count(); ++begin) {
      if (!reached[index(begin)]) continue;
      if (single(begin) < bytes) reached[index(begin) + 1] = true;
      for (int end = begin + 1; end <= std::min(count(), begin + options_.length); ++end) {
        if (rest[index(end)] >= bytes || !needed(begin, end, rest[0])) continue;
        ++result.windows;
        for (GroupCandidate& part : schemes(begin, end, bytes)) {
          ++result.schemes;
          const std::optional<GroupCandidate> unit = units_.measured(std::move(part));
          if (!unit || unit->bytes >= bytes) continue;
          pieces.push_back({begin, end, unit->bytes, unit->instructions()});
          reached[index(end)] = true;
        }
      }
    }
    std::erase_if(pieces, [&](const FrontPiece& piece) { return piece.peak_bytes >= bytes; });
    const auto cut = [&](double most_time) -> std::optional<FrontCut> {
      const std::vector<FrontCut> cuts =
          front_cuts(count(), pieces, {.most_time = most_time, .most_labels = kAllWays});
      if (cuts.empty()) return std::nullopt;
      return cuts.front();
    };
    result.least = cut(std::numeric_limits<double>::infinity());
    result.in_time = cut(whole * options_.max_latency - model_.program);
    for (auto* found : {&result.least, &result.in_time})
      if (*found) (*found)->time = ((*found)->time + model_.program) / whole;
    return result;
  }

 private:
  static size_t index(int at) { return static_cast<size_t>(at); }
  [[nodiscard]] int count() const { return static_cast<int>(order_.size()); }
  [[nodiscard]] int64_t single(int at) const { return rolls_.single_bytes()[index(at)]; }

  /// Per position, what no cut of the operators from there on needs less than, if at most one
  /// output of a loop lies over an input. An input of blocks may be gone before an output begins.
  [[nodiscard]] std::vector<int64_t> floors(bool with_blocks) const {
    std::vector<int64_t> result(order_.size() + 1, kNever);
    result.back() = 0;
    const OrderBytes& bytes = rolls_.bytes();
    for (int begin = count() - 1; begin >= 0; --begin) {
      int64_t& least = result[index(begin)];
      least = std::max(single(begin), result[index(begin) + 1]);
      for (int end = begin + 1; end <= std::min(count(), begin + options_.length); ++end) {
        const int64_t in_blocks = std::max(bytes.held(begin), bytes.held(end));
        const int64_t run = with_blocks ? in_blocks : units_.least_bytes(begin, end);
        least = std::min(least, std::max(run, result[index(end)]));
      }
    }
    return result;
  }

  /// A run none of whose operators needs more than a floor of all cuts may as well be whole.
  [[nodiscard]] bool needed(int begin, int end, int64_t floor) const {
    for (int at = begin; at < end; ++at)
      if (single(at) > floor) return true;
    return false;
  }

  [[nodiscard]] std::vector<GroupCandidate> schemes(int begin, int end, int64_t bytes) const {
    std::vector<GroupCandidate> result;
    if (rolls_.bytes().held(end) < bytes)
      result = partitions_.along_rows(begin, end, options_.blocks, Windows::kBlocks);
    if (units_.least_bytes(begin, end) >= bytes) return result;
    const auto add = [&](std::vector<GroupCandidate> more) {
      std::ranges::move(more, std::back_inserter(result));
    };
    add(partitions_.along_channels(begin, end));
    add(partitions_.along_rows(begin, end, kNever, Windows::kRings));
    add(partitions_.along_columns_of_rows(begin, end));
    return result;
  }

  const Options& options_;
  const Core core_;
  const Dataflow flow_;
  const std::vector<int>& order_;
  const RolledGroups rolls_;
  const LatencyModel model_;
  LatencyEstimate latency_;
  MotesUnits units_;
  const Partitions partitions_;
};

std::string text(const std::optional<FrontCut>& cut) {
  return cut ? fmt::format("{},{:.4f}", cut->peak_bytes, cut->time) : "none,";
}

void print(const std::string& model, const Options& options) {
  const Graph graph = prepare(load(model).graph, {});
  const AxisGraph axes(graph);
  const Instances instances = instances_of(graph, {});
  const OrderProblem problem = order_problem(graph, instances, true);
  const PlannedSize motes =
      planned_size(graph, fmt::format("motes:max_latency={}", options.max_latency), {}).value();
  const auto below = static_cast<int64_t>(options.ratio * static_cast<double>(motes.arena_bytes));
  for (const NamedOrder& order : orders_of(axes, instances, problem, options.shuffled)) {
    const auto begin = std::chrono::steady_clock::now();
    const Found found = Bound(axes, instances, problem, order.ops, options).below(below);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    fmt::print("{},{},{},{},{},{},{},{},{},{},{:.0f}\n", short_name(model), order.name,
               motes.arena_bytes, motes.peak_bytes, below, found.floor_bytes, found.windows,
               found.schemes, text(found.least), text(found.in_time), seconds.count());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CommandLine line{"motes_bound", "The fewest bytes of all partition schemes, as CSV"};
  line.add("MODELS", &options.models, "Models, or zoo:NETWORK", {.required = true});
  line.add("--ratio", &options.ratio, "Cuts that need less than this of motes' arena (0.8)");
  line.add("--max-latency", &options.max_latency, "As motes has it (1.05)");
  line.add("--length", &options.length, "Most operators of a run (64)");
  line.add("--shuffled", &options.shuffled, "Orders beyond those that motes and auto have (20)");
  line.add("--blocks", &options.blocks, "Most parts in blocks (16)");
  return line.run(argc, argv, [&] {
    fmt::print(
        "# {}\nmodel,order,motes_arena_bytes,motes_peak_bytes,below_bytes,"
        "floor_bytes,windows,"
        "schemes,least_peak_bytes,least_time_ratio,peak_bytes_in_time,time_ratio,seconds\n",
        line.command());
    for (const std::string& model : options.models) print(model, options);
    return 0;
  });
}
