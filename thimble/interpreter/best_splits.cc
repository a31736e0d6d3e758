// SPDX-License-Identifier: Apache-2.0
#include "thimble/interpreter/best_splits.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "thimble/import/tflite/interpreter_tensors.h"
#include "thimble/interpreter/structures.h"
#include "thimble/operators/operators.h"
#include "thimble/search/order.h"

namespace thimble {
namespace {

constexpr int kLongestRun = 16;
constexpr std::array kParts = {2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32};
/// Operators of split runs that are looked at; some ten seconds.
constexpr int64_t kWork = 5'000'000;

int64_t held_bytes_of(const Tensor& tensor) {
  return tensor.is_constant() ? 0 : interpreter_aligned(tensor.size_bytes());
}

int64_t scratch_of(const Op& op, const Tensor& output) {
  const bool transposed = std::holds_alternative<TransposeConv>(op.attributes);
  const bool sums = transposed || std::holds_alternative<Mean>(op.attributes) ||
                    std::holds_alternative<Sum>(op.attributes);
  if (!sums || (output.type != DType::kInt8 && output.type != DType::kInt16)) return 0;
  return interpreter_aligned(
      interpreter_scratch_bytes(transposed, size_bytes(output.type), elements(output.shape)));
}

OrderProblem order_problem(const Graph& graph) {
  OrderProblem problem{.size_bytes = {}, .inputs = {}, .outputs = {}, .ops = {}};
  for (const Tensor& tensor : graph.tensors) problem.size_bytes.push_back(held_bytes_of(tensor));
  for (const Port& port : graph.inputs) problem.inputs.push_back(port.tensor.value);
  for (const Port& port : graph.outputs) problem.outputs.push_back(port.tensor.value);
  for (const Op& op : graph.ops) {
    OrderProblem::Op& added = problem.ops.emplace_back();
    for (const TensorId t : op.inputs) {
      if (!graph.tensor(t).is_constant() &&
          std::ranges::find(added.inputs, t.value) == added.inputs.end())
        added.inputs.push_back(t.value);
    }
    for (const TensorId t : op.outputs) added.outputs.push_back(t.value);
    added.scratch_bytes = scratch_of(op, graph.tensor(op.outputs[0]));
  }
  return problem;
}

/// What a cut adds up to.
struct Price {
  int64_t structures_bytes = 0, macs = 0;
  bool operator==(const Price&) const = default;
};
Price operator+(const Price& a, const Price& b) {
  return {a.structures_bytes + b.structures_bytes, a.macs + b.macs};
}
constexpr Price kNever{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max()};

enum class Measure : uint8_t { kStructures, kMacs };
bool cheaper(const Price& a, const Price& b, Measure by) {
  const auto key = [by](const Price& p) {
    return by == Measure::kMacs ? std::pair(p.macs, p.structures_bytes)
                                : std::pair(p.structures_bytes, p.macs);
  };
  return key(a) < key(b);
}

/// What an operator makes, and the constants that the format wants of it.
int64_t structures_of(const Op& op, const Tensor& output) {
  const Attributes& a = op.attributes;
  const bool convolves = std::holds_alternative<Conv2D>(a) ||
                         std::holds_alternative<DepthwiseConv2D>(a) ||
                         std::holds_alternative<TransposeConv>(a);
  const int constants = std::holds_alternative<Slice>(a) ? 2
                        : std::holds_alternative<Pad>(a) ? 1
                                                         : 0;
  return interpreter_operator_bytes(convolves || std::holds_alternative<FullyConnected>(a),
                                    convolves ? output.shape.back() : 0) +
         kInterpreterBytesPerTensor * (1 + constants);
}

struct Candidate {
  Split split;
  int64_t peak_bytes = 0;
  Price price;
};

class Candidates {
 public:
  Candidates(const Graph& graph, std::vector<int64_t> single, int64_t max_macs)
      : graph_(graph), reach_(graph), single_(std::move(single)), max_macs_(max_macs) {}

  std::vector<Candidate> all() {
    for (const Op& op : graph_.ops) macs_.push_back(macs(graph_, op));
    const auto count = static_cast<int>(graph_.ops.size());
    // Short runs first: they are what work is best spent on.
    for (int length = 2; length <= std::min(count, kLongestRun); ++length) {
      for (int begin = 0; begin + length <= count; ++begin) {
        for (const int axis : {1, 2, 3}) try_parts({begin, begin + length, axis, 0});
      }
    }
    return std::move(found_);
  }

 private:
  /// Bytes that are live throughout the run and that it does not read.
  int64_t held_through(const Split& split) const {
    std::vector<bool> read(graph_.tensors.size());
    for (int k = split.begin; k < split.end; ++k) {
      for (const TensorId t : graph_.ops[static_cast<size_t>(k)].inputs) read[t.index()] = true;
    }
    int64_t bytes = 0;
    for (size_t t = 0; t < read.size(); ++t) {
      if (!read[t] && reach_.made[t] < split.begin && reach_.last[t] >= split.end)
        bytes += held_bytes_of(graph_.tensors[t]);
    }
    return bytes;
  }

  Price price_of(const SplitRun& run, const Split& split) const {
    const size_t own = graph_.tensors.size();
    Price price{.structures_bytes = 0, .macs = run.macs};
    for (const Op& op : run.ops) {
      const TensorId t = op.outputs[0];
      price.structures_bytes +=
          structures_of(op, t.index() < own ? graph_.tensor(t) : run.tensors[t.index() - own]);
    }
    for (int k = split.begin; k < split.end; ++k) {
      const Op& op = graph_.ops[static_cast<size_t>(k)];
      price.structures_bytes -= structures_of(op, graph_.tensor(op.outputs[0]));
      price.macs -= macs_[static_cast<size_t>(k)];
    }
    return price;
  }

  void try_parts(Split split) {
    if (work_ > kWork) return;
    const int64_t before =
        *std::max_element(single_.begin() + split.begin, single_.begin() + split.end);
    const int64_t through = held_through(split);
    const TensorId output = graph_.ops[static_cast<size_t>(split.end - 1)].outputs[0];
    // Parts and the whole stand side by side at the end.
    if (through + 2 * held_bytes_of(graph_.tensor(output)) >= before) return;
    int64_t least = before;
    for (const int parts : kParts) {
      split.parts = parts;
      const std::optional<SplitRun> run = split_run(graph_, reach_, split, false);
      if (!run) return;
      work_ += static_cast<int64_t>(run->ops.size());
      const Candidate candidate{split, through + peak_of(*run, split), price_of(*run, split)};
      if (candidate.price.macs > max_macs_) return;
      if (candidate.peak_bytes >= least) continue;
      least = candidate.peak_bytes;
      found_.push_back(candidate);
    }
  }

  /// The bytes of what the run's operators read and make.
  int64_t peak_of(const SplitRun& run, const Split& split) const {
    const size_t own = graph_.tensors.size();
    const auto tensor = [&](TensorId t) -> const Tensor& {
      return t.index() < own ? graph_.tensor(t) : run.tensors[t.index() - own];
    };
    std::map<int32_t, size_t> last;
    for (size_t k = 0; k < run.ops.size(); ++k) {
      for (const TensorId t : run.ops[k].inputs) last[t.value] = k;
    }
    int64_t live = 0;
    for (const auto& [t, at] : last) {
      const auto index = static_cast<size_t>(t);
      if (index < own && reach_.made[index] < split.begin) live += held_bytes_of(tensor({t}));
    }
    int64_t peak = live;
    for (size_t k = 0; k < run.ops.size(); ++k) {
      const Op& op = run.ops[k];
      const Tensor& made = tensor(op.outputs[0]);
      live += held_bytes_of(made);
      peak = std::max(peak, live + scratch_of(op, made));
      for (size_t i = 0; i < op.inputs.size(); ++i) {
        const TensorId t = op.inputs[i];
        const bool again = std::find(op.inputs.begin(), op.inputs.begin() + static_cast<long>(i),
                                     t) != op.inputs.begin() + static_cast<long>(i);
        const bool later = t.index() < own && reach_.last[t.index()] >= split.end;
        if (!again && !later && last[t.value] == k) live -= held_bytes_of(tensor(t));
      }
    }
    return peak;
  }

  const Graph& graph_;
  const Reach reach_;
  const std::vector<int64_t> single_;
  const int64_t max_macs_;
  std::vector<int64_t> macs_;
  std::vector<Candidate> found_;
  int64_t work_ = 0;
};

/// The cheapest cut of the order within a peak.
class Cut {
 public:
  Cut(const std::vector<int64_t>& single, const std::vector<Candidate>& candidates)
      : single_(single), ending_(single.size() + 1) {
    for (const Candidate& candidate : candidates)
      ending_[static_cast<size_t>(candidate.split.end)].push_back(&candidate);
  }

  /// The cost of the cheapest cut within a peak; kNever: there is none.
  Price within(int64_t peak_bytes, Measure by) {
    best_.assign(single_.size() + 1, {});
    best_[0].price = {};
    for (size_t end = 1; end < best_.size(); ++end) {
      if (single_[end - 1] <= peak_bytes) best_[end] = {best_[end - 1].price, nullptr};
      for (const Candidate* candidate : ending_[end]) {
        const Price& before = best_[static_cast<size_t>(candidate->split.begin)].price;
        if (candidate->peak_bytes > peak_bytes || before == kNever) continue;
        const Price price = before + candidate->price;
        if (cheaper(price, best_[end].price, by)) best_[end] = {price, candidate};
      }
    }
    return best_.back().price;
  }

  BestSplits read(int64_t peak_bytes) const {
    const Price& price = best_.back().price;
    BestSplits result{.splits = {},
                      .peak_bytes = peak_bytes,
                      .more_bytes = price.structures_bytes,
                      .more_macs = price.macs};
    for (size_t end = best_.size() - 1; end > 0;) {
      const Candidate* candidate = best_[end].by;
      if (candidate != nullptr) result.splits.push_back(candidate->split);
      end = candidate == nullptr ? end - 1 : static_cast<size_t>(candidate->split.begin);
    }
    std::ranges::reverse(result.splits);
    return result;
  }

 private:
  struct Best {
    Price price = kNever;
    const Candidate* by = nullptr;
  };
  const std::vector<int64_t>& single_;
  std::vector<std::vector<const Candidate*>> ending_;
  std::vector<Best> best_;
};

}  // namespace

BestSplits best_splits(const Graph& graph, int64_t max_macs) {
  const OrderProblem problem = order_problem(graph);
  const std::vector<int64_t> single = working_sets(problem, original_order(problem).ops);
  const std::vector<Candidate> candidates = Candidates(graph, single, max_macs).all();
  std::vector<int64_t> peaks = single;
  for (const Candidate& candidate : candidates) peaks.push_back(candidate.peak_bytes);
  std::ranges::sort(peaks);
  peaks.erase(std::unique(peaks.begin(), peaks.end()), peaks.end());
  Cut cut(single, candidates);
  BestSplits best{.splits = {}, .peak_bytes = *std::ranges::max_element(single)};
  for (const int64_t peak : peaks) {
    if (peak >= best.peak_bytes + best.more_bytes) break;
    for (const Measure by : {Measure::kStructures, Measure::kMacs}) {
      const Price price = cut.within(peak, by);
      if (price == kNever || price.macs > max_macs) continue;
      if (peak + price.structures_bytes < best.peak_bytes + best.more_bytes) best = cut.read(peak);
    }
  }
  return best;
}

Graph reordered(const Graph& graph) {
  const OrderProblem problem = order_problem(graph);
  const Order order = reorder(problem);
  if (order.peak_bytes >= original_order(problem).peak_bytes) return graph;
  Graph result = graph;
  for (size_t k = 0; k < order.ops.size(); ++k)
    result.ops[k] = graph.ops[static_cast<size_t>(order.ops[k])];
  return result;
}

}  // namespace thimble
