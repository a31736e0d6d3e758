// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/renumber.h"

#include <algorithm>

namespace thimble {
namespace {

class Renumbering {
 public:
  Schedule run(Schedule schedule) {
    std::vector<bool> used(schedule.buffers.size());
    for_each_step(schedule, [&](const Step& step, Position) {
      for (BufferId id : read_buffers(step)) used[id.index()] = true;
      used[step.out.index()] = true;
      if (step.scratch.valid()) used[step.scratch.index()] = true;
    });
    for (BufferId id : schedule.inputs) used[id.index()] = true;
    for (BufferId id : schedule.outputs) used[id.index()] = true;
    loops_.resize(static_cast<size_t>(schedule.loop_count));
    collect(schedule.nodes);
    std::vector<Buffer> buffers;
    for (size_t b = 0; b < used.size(); ++b) {
      buffers_.push_back({used[b] ? static_cast<int32_t>(buffers.size()) : -1});
      if (!used[b]) continue;
      buffers.push_back(std::move(schedule.buffers[b]));
      for (IndexExpr& expr : buffers.back().origin) rename(expr);
    }
    schedule.buffers = std::move(buffers);
    schedule.loop_count = count_;
    for (BufferId& id : schedule.inputs) rename(id);
    for (BufferId& id : schedule.outputs) rename(id);
    std::erase_if(schedule.shares, [&](const Share& share) {
      return !buffers_[share.out.index()].valid() || !buffers_[share.in.index()].valid();
    });
    for (Share& share : schedule.shares) share = {renamed(share.out), renamed(share.in)};
    rename(schedule.nodes);
    return schedule;
  }

 private:
  void collect(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      const auto* loop = std::get_if<Loop>(&node.what);
      if (loop == nullptr) continue;
      loops_[loop->id.index()] = {count_++};
      collect(loop->body);
    }
  }
  BufferId renamed(BufferId id) const { return buffers_[id.index()]; }
  void rename(BufferId& id) const {
    if (id.valid()) id = renamed(id);
  }
  void rename(IndexExpr& expr) const {
    for (Term& term : expr.terms) term.loop = loops_[term.loop.index()];
    std::ranges::sort(expr.terms, {}, &Term::loop);
  }
  void rename(IntervalExpr& interval) const {
    rename(interval.begin);
    rename(interval.end);
  }
  void rename(std::vector<Node>& nodes) const {
    for (Node& node : nodes) {
      if (auto* loop = std::get_if<Loop>(&node.what)) {
        loop->id = loops_[loop->id.index()];
        rename(loop->body);
        continue;
      }
      Step& step = std::get<Step>(node.what);
      for (IntervalExpr& interval : step.region) rename(interval);
      if (step.chunk) rename(*step.chunk);
      for (Operand& operand : step.in) {
        for (BufferId& id : operand.from) rename(id);
      }
      rename(step.out);
      rename(step.scratch);
    }
  }

  std::vector<BufferId> buffers_;
  std::vector<LoopId> loops_;
  int32_t count_ = 0;
};

}  // namespace

Schedule renumbered(Schedule schedule) { return Renumbering().run(std::move(schedule)); }

}  // namespace thimble
