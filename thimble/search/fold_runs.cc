// SPDX-License-Identifier: Apache-2.0
// Segments of linear runs, merged on a stack.
#include "thimble/search/fold_runs.h"

#include <algorithm>

#include "thimble/search/execution.h"

namespace thimble {
namespace {

/// Consecutive operators of a run.
struct Segment {
  std::vector<int> ops;
  int64_t begin_bytes = 0;  ///< the valley before it
  int64_t hill_bytes = 0;
  int64_t end_bytes = 0;  ///< the valley behind it
};

class Runs {
 public:
  explicit Runs(const OrderProblem& problem) : problem_(problem), links_(problem) {}

  FoldedRuns fold() {
    FoldedRuns result{.problem = problem_, .runs = {}};
    result.problem.ops.clear();
    std::vector<bool> done(problem_.ops.size(), false);
    for (int op = 0; op < static_cast<int>(problem_.ops.size()); ++op) {
      if (done[index(op)]) continue;
      if (!linear(op)) {
        result.problem.ops.push_back(problem_.ops[index(op)]);
        result.runs.push_back({op});
        continue;
      }
      if (continues_a_run(op)) continue;  // comes with the first of its run
      for (const Segment& segment : segments(op)) {
        for (const int member : segment.ops) done[index(member)] = true;
        result.problem.ops.push_back(folded(segment));
        result.runs.push_back(segment.ops);
      }
    }
    return result;
  }

 private:
  /// One input that nobody else needs, one output.
  [[nodiscard]] bool linear(int op) const {
    const OrderProblem::Op& o = problem_.ops[index(op)];
    if (o.inputs.size() != 1 || o.outputs.size() != 1) return false;
    const size_t input = index(o.inputs[0]);
    return links_.readers[input].size() == 1 && !links_.is_output[input] &&
           (links_.producer[input] >= 0 || links_.is_input[input]);
  }
  [[nodiscard]] bool continues_a_run(int op) const {
    const int producer = links_.producer[index(problem_.ops[index(op)].inputs[0])];
    return producer >= 0 && producer != op && linear(producer);
  }

  [[nodiscard]] Segment segment_of(int op) const {
    const OrderProblem::Op& o = problem_.ops[index(op)];
    const int64_t in = problem_.size_bytes[index(o.inputs[0])];
    const size_t output = index(o.outputs[0]);
    const int64_t out = problem_.size_bytes[output];
    int64_t hill = in + out + o.scratch_bytes;
    for (const OrderProblem::Op::InPlace& in_place : o.in_place) {
      hill = std::min(hill, std::max(in, out) + in_place.scratch_bytes);
    }
    const bool needed = links_.is_output[output] || !links_.readers[output].empty();
    return {.ops = {op}, .begin_bytes = in, .hill_bytes = hill, .end_bytes = needed ? out : 0};
  }

  static bool no_reason_to_stop_between(const Segment& a, const Segment& b) {
    const bool go_on = b.end_bytes <= a.end_bytes && b.hill_bytes <= a.hill_bytes;
    const bool wait = a.end_bytes >= a.begin_bytes && a.hill_bytes <= b.hill_bytes;
    return go_on || wait;
  }

  [[nodiscard]] std::vector<Segment> segments(int first) const {
    std::vector<Segment> result;
    for (int op = first; op >= 0; op = next_in_run(op)) {
      result.push_back(segment_of(op));
      while (result.size() > 1) {
        Segment& a = result[result.size() - 2];
        const Segment& b = result.back();
        if (!no_reason_to_stop_between(a, b)) break;
        a.ops.insert(a.ops.end(), b.ops.begin(), b.ops.end());
        a.hill_bytes = std::max(a.hill_bytes, b.hill_bytes);
        a.end_bytes = b.end_bytes;
        result.pop_back();
      }
    }
    return result;
  }

  [[nodiscard]] int next_in_run(int op) const {
    const std::vector<int>& readers = links_.readers[index(problem_.ops[index(op)].outputs[0])];
    return readers.size() == 1 && linear(readers[0]) ? readers[0] : -1;
  }

  [[nodiscard]] OrderProblem::Op folded(const Segment& segment) const {
    OrderProblem::Op result{.inputs = problem_.ops[index(segment.ops.front())].inputs,
                            .outputs = problem_.ops[index(segment.ops.back())].outputs,
                            .scratch_bytes = 0,
                            .in_place = {}};
    // Nobody else needs the input, so that working in place is in the hill already.
    result.scratch_bytes = segment.hill_bytes - problem_.size_bytes[index(result.inputs[0])] -
                           problem_.size_bytes[index(result.outputs[0])];
    return result;
  }

  const OrderProblem& problem_;
  const OrderLinks links_;
};

}  // namespace

FoldedRuns fold_runs(const OrderProblem& problem) { return Runs(problem).fold(); }

}  // namespace thimble
