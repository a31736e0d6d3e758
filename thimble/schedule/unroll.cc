// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <map>

#include "thimble/schedule/roll.h"

namespace thimble {
namespace {

/// Loops around every use of a buffer, outermost first.
class Surroundings {
 public:
  explicit Surroundings(const Schedule& schedule)
      : of_(schedule.buffers.size()), used_(schedule.buffers.size()) {
    visit(schedule.nodes);
  }
  const std::vector<LoopId>& of(BufferId id) const { return of_[id.index()]; }

 private:
  void visit(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      if (const auto* loop = std::get_if<Loop>(&node.what)) {
        around_.push_back(loop->id);
        visit(loop->body);
        around_.pop_back();
        continue;
      }
      const Step& step = std::get<Step>(node.what);
      for (BufferId id : read_buffers(step)) use(id);
      use(step.out);
      if (step.scratch.valid()) use(step.scratch);
    }
  }
  void use(BufferId id) {
    std::vector<LoopId>& common = of_[id.index()];
    if (!used_[id.index()]) common = around_;
    used_[id.index()] = true;
    const auto differ = std::ranges::mismatch(common, around_);
    common.erase(differ.in1, common.end());
  }

  std::vector<std::vector<LoopId>> of_;
  std::vector<bool> used_;
  std::vector<LoopId> around_;
};

bool renewed_by(const Buffer& buffer, LoopId loop) {
  return std::ranges::any_of(buffer.origin, [&](const IndexExpr& expr) {
    return std::ranges::any_of(expr.terms, [&](const Term& term) {
      return term.loop == loop && std::abs(term.coefficient) >= expr.divisor;
    });
  });
}

class Unroller {
 public:
  explicit Unroller(const Schedule& schedule) : schedule_(schedule), surroundings_(schedule) {
    for (size_t b = 0; b < schedule.buffers.size(); ++b) {
      const BufferId id{static_cast<int32_t>(b)};
      std::vector<LoopId> loops = surroundings_.of(id);
      while (!loops.empty() && !renewed_by(schedule.buffer(id), loops.back())) loops.pop_back();
      renewing_.push_back(std::move(loops));
    }
  }

  Schedule run() {
    const Counters none(static_cast<size_t>(schedule_.loop_count));
    for (BufferId id : schedule_.inputs) result_.inputs.push_back(instance(id, none));
    for (BufferId id : schedule_.outputs) result_.outputs.push_back(instance(id, none));
    execute_steps(schedule_, [&](const Step& step, Position, const Counters& counters) {
      result_.nodes.push_back({at(step, counters)});
    });
    for (const Share& share : schedule_.shares) add_shares(share);
    return std::move(result_);
  }

 private:
  Step at(Step step, const Counters& counters) {
    for (IntervalExpr& interval : step.region) fix(interval, counters);
    if (step.chunk) fix(*step.chunk, counters);
    for (Operand& operand : step.in) {
      for (BufferId& id : operand.from) id = instance(id, counters);
    }
    step.out = instance(step.out, counters);
    if (step.scratch.valid()) {  // dies with its step
      result_.buffers.push_back(schedule_.buffer(step.scratch));
      step.scratch = last();
    }
    return step;
  }
  static void fix(IntervalExpr& interval, const Counters& counters) {
    interval = {index(evaluate(interval.begin, counters)), index(evaluate(interval.end, counters))};
  }

  BufferId last() const { return {static_cast<int32_t>(result_.buffers.size()) - 1}; }

  BufferId instance(BufferId id, const Counters& counters) {
    Buffer buffer = schedule_.buffer(id);
    std::vector<int64_t> key;
    for (LoopId loop : renewing_[id.index()]) key.push_back(counters[loop.index()]);
    for (IndexExpr& expr : buffer.origin) {
      expr = index(evaluate(expr, counters));
      key.push_back(expr.base);
    }
    const auto [it, added] = instances_[id].try_emplace(key, BufferId{});
    if (added) {
      result_.buffers.push_back(std::move(buffer));
      it->second = last();
    }
    return it->second;
  }

  // Those of one iteration of the loops that renew both.
  void add_shares(const Share& share) {
    const std::vector<LoopId>& a = renewing_[share.out.index()];
    const std::vector<LoopId>& b = renewing_[share.in.index()];
    const auto common = std::ranges::mismatch(a, b).in1 - a.begin();
    for (const auto& [out_key, out] : instances_[share.out]) {
      for (const auto& [in_key, in] : instances_[share.in]) {
        if (std::equal(out_key.begin(), out_key.begin() + common, in_key.begin()))
          result_.shares.push_back({out, in});
      }
    }
  }

  const Schedule& schedule_;
  Surroundings surroundings_;
  std::vector<std::vector<LoopId>> renewing_;  ///< loops whose iterations have it anew
  std::map<BufferId, std::map<std::vector<int64_t>, BufferId>> instances_;
  Schedule result_;
};

}  // namespace

Schedule unroll(const Schedule& schedule) { return Unroller(schedule).run(); }

int64_t live_peak_bytes(const Schedule& schedule) {
  const std::vector<LiveRange> lives = live_ranges(schedule);
  std::map<Position, int64_t> changes;
  for (size_t b = 0; b < lives.size(); ++b) {
    const int64_t bytes = schedule.buffers[b].size_bytes();
    changes[lives[b].begin] += bytes;
    changes[lives[b].end] -= bytes;
  }
  int64_t live = 0, most = 0;
  for (const auto& [position, bytes] : changes) most = std::max(most, live += bytes);
  return most;
}

}  // namespace thimble
