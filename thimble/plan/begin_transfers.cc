// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/begin_transfers.h"

#include <algorithm>
#include <map>
#include <optional>

#include "thimble/schedule/records.h"

namespace thimble {
namespace {

/// What it is in iteration `at` of the loop, or `by` iterations later in each.
IndexExpr in_iteration(IndexExpr expr, LoopId loop, int64_t at) {
  std::erase_if(expr.terms, [&](const Term& term) {
    if (term.loop != loop) return false;
    expr.base += at * term.coefficient;
    return true;
  });
  return expr;
}
IndexExpr later(IndexExpr expr, LoopId loop, int64_t by) {
  for (const Term& term : expr.terms) expr.base += term.loop == loop ? by * term.coefficient : 0;
  return expr;
}

bool follows(const IndexExpr& expr, LoopId loop) {
  return std::ranges::any_of(expr.terms, [&](const Term& term) { return term.loop == loop; });
}

bool touches(const Node& node, BufferId buffer) {
  return visit_node(
      node,
      [&](const Step& step) {
        const std::vector<BufferId> read = read_buffers(step);
        return step.out == buffer || std::ranges::find(read, buffer) != read.end();
      },
      [&](const Loop& loop) {
        return std::ranges::any_of(loop.body,
                                   [&](const Node& inner) { return touches(inner, buffer); });
      });
}

class Beginner {
 public:
  Beginner(Schedule schedule, const std::set<BufferId>& with_room)
      : schedule_(std::move(schedule)), with_room_(with_room) {}

  Schedule run() {
    const std::vector<Node> nodes = std::move(schedule_.nodes);
    schedule_.nodes.clear();
    std::vector<Erase> erases = this->erases();
    for (const Erase& erase : erases) schedule_.nodes.push_back({erase.begin});
    std::vector<Node> written;
    for (const Node& node : nodes) {
      visit_node(
          node, [&](const Step& step) { add(step, written); },
          [&](const Loop& loop) {
            std::map<MemoryId, int> beside;
            add(loop, beside, written);
          });
    }
    for (Node& node : with_late_waits(written)) {
      for (Erase& erase : erases) {
        if (erase.waited || !ends_erase(node, erase.memory)) continue;
        schedule_.nodes.push_back({erase.wait});
        erase.waited = true;
      }
      schedule_.nodes.push_back(std::move(node));
    }
    return std::move(schedule_);
  }

 private:
  struct Erase {
    MemoryId memory;
    Step begin, wait;
    bool waited = false;
  };

  TokenId next_token() { return {schedule_.token_count++}; }

  std::vector<Erase> erases() {
    std::map<MemoryId, std::vector<BufferId>> stored;
    for (size_t b = 0; b < schedule_.buffers.size(); ++b) {
      const BufferId id{static_cast<int32_t>(b)};
      if (schedule_.buffers[b].packed.valid()) continue;
      const MemoryId memory = schedule_.buffers[b].memory;
      const std::optional<BlockStorage>& storage = schedule_.memory(memory).storage;
      if (storage && storage->erase_bytes > 0) stored[memory].push_back(id);
    }
    std::vector<Erase> result;
    for (const auto& [memory, buffers] : stored) {
      Step erase{.region = {}, .chunk = {}};
      erase.in = {Operand(buffers)};
      erase.out = buffers.front();
      erase.region.assign(schedule_.buffer(erase.out).extents.size(), {index(0), index(0)});
      erase.transfer = TransferPart::kErase;
      erase.token = next_token();
      Step wait = erase;
      wait.transfer = TransferPart::kWait;
      result.push_back({memory, std::move(erase), std::move(wait)});
    }
    return result;
  }

  /// Whether it writes there, or reads where the erase is all that may be in flight.
  [[nodiscard]] bool ends_erase(const Node& node, MemoryId memory) const {
    return visit_node(
        node,
        [&](const Step& step) {
          if (step.transfer != TransferPart::kBegin) return false;
          const bool alone = schedule_.memory(memory).storage->most_in_flight == 1;
          return schedule_.buffer(step.out).memory == memory ||
                 (alone && schedule_.buffer(step.in[0].from[0]).memory == memory);
        },
        [&](const Loop& loop) {
          return std::ranges::any_of(loop.body,
                                     [&](const Node& inner) { return ends_erase(inner, memory); });
        });
  }

  [[nodiscard]] bool moves(const Step& step) const {
    return !step.op.valid() && step.transfer == TransferPart::kNone && step.in.size() == 1 &&
           step.in[0].from.size() == 1 &&
           (is_stored(schedule_, step.out) || is_stored(schedule_, step.in[0].from[0]));
  }

  void add(const Step& step, std::vector<Node>& result) {
    if (!moves(step)) {
      result.push_back({step});
      return;
    }
    const auto [begin, wait] = transfer_of(step);
    result.push_back({begin});
    result.push_back({wait});
  }

  /// beside: transfers in flight from one iteration to the next, in all loops of the nest.
  void add(const Loop& loop, std::map<MemoryId, int>& beside, std::vector<Node>& result) {
    Loop written{loop.id, loop.count, {}};
    std::vector<Step> before, behind, at_first;
    std::vector<std::pair<BufferId, Step>> behind_last;
    for (const Node& node : loop.body) {
      if (const auto* inner = std::get_if<Loop>(&node.what)) {
        add(*inner, beside, written.body);
        continue;
      }
      const Step& step = std::get<Step>(node.what);
      if (!moves(step) || !goes_on(step, loop, beside)) {
        add(step, written.body);
        continue;
      }
      const auto [begin, wait] = transfer_of(step);
      const TransferSides sides = sides_of(schedule_, step);
      const auto axis = static_cast<size_t>(record_form(schedule_.buffer(sides.stored), 1).axis);
      Step first = begin;
      if (sides.reads) {
        Step next = begin;
        IntervalExpr &now = first.region[axis], &then = next.region[axis];
        now = {in_iteration(now.begin, loop.id, 0), in_iteration(now.end, loop.id, 0)};
        then = {later(then.begin, loop.id, 1), later(then.end, loop.id, 1)};
        written.body.push_back({wait});
        if (with_room_.contains(sides.held)) {
          written.body.push_back({std::move(next)});
        } else {
          behind_last.emplace_back(sides.held, std::move(next));
        }
      } else {
        first.region[axis] = {index(0), index(0)};
        if (with_room_.contains(sides.held)) {
          written.body.push_back({wait});
        } else {
          at_first.push_back(wait);
        }
        written.body.push_back({begin});
      }
      before.push_back(std::move(first));
      behind.push_back(wait);
    }
    for (auto& [held, next] : behind_last) {
      size_t last = written.body.size();
      while (last > 0 && !touches(written.body[last - 1], held)) --last;
      written.body.insert(written.body.begin() + static_cast<std::ptrdiff_t>(last),
                          {std::move(next)});
    }
    // Rows that are received stay first.
    const auto* leads = std::get_if<Step>(&written.body.front().what);
    const bool receive = leads != nullptr && receives(schedule_, *leads);
    for (const Step& wait : at_first)
      written.body.insert(written.body.begin() + (receive ? 1 : 0), {wait});
    for (Step& step : before) result.push_back({std::move(step)});
    result.push_back({std::move(written)});
    for (Step& step : behind) result.push_back({std::move(step)});
  }

  /// Whether it can end an iteration after it began: its records are others in each, none behind
  /// the last, what holds them stays where it is, and one more fits beside a synchronous one.
  bool goes_on(const Step& step, const Loop& loop, std::map<MemoryId, int>& beside) const {
    const TransferSides sides = sides_of(schedule_, step);
    const Buffer& stored = schedule_.buffer(sides.stored);
    const RecordForm form = record_form(stored, 1);
    if (form.axis < 0 || stored.chunk_bytes > 0) return false;
    const auto others = std::ranges::count_if(
        loop.body, [&](const Node& node) { return touches(node, sides.stored); });
    if (others > 1) return false;  // what is stored and fetched at once
    const IntervalExpr& records = step.region[static_cast<size_t>(form.axis)];
    const auto only = [&](const IndexExpr& expr) {
      return std::ranges::all_of(expr.terms, [&](const Term& t) { return t.loop == loop.id; });
    };
    if (records.within || !follows(records.begin, loop.id) || !only(records.begin) ||
        !only(records.end))
      return false;
    if (evaluate(in_iteration(records.begin, loop.id, loop.count), {}) < form.count) return false;
    for (const IndexExpr& origin : schedule_.buffer(sides.held).origin) {
      if (!origin.constant()) return false;
    }
    int& count = beside[stored.memory];
    if (count + 2 > schedule_.memory(stored.memory).storage->most_in_flight) return false;
    ++count;
    return true;
  }

  /// Waits for what is stored outside of loops come behind the last other step that has its source.
  [[nodiscard]] std::vector<Node> with_late_waits(const std::vector<Node>& nodes) const {
    std::vector<Node> result;
    std::map<size_t, std::vector<size_t>> behind;  // of a node: waits
    std::vector<bool> moved(nodes.size());
    for (size_t k = 0; k + 1 < nodes.size(); ++k) {
      const std::optional<size_t> last = last_beside(nodes, k);
      if (!last) continue;
      moved[k + 1] = true;
      behind[*last].push_back(k + 1);
    }
    for (size_t k = 0; k < nodes.size(); ++k) {
      if (!moved[k]) result.push_back(nodes[k]);
      if (const auto waits = behind.find(k); waits != behind.end()) {
        for (const size_t wait : waits->second) result.push_back(nodes[wait]);
      }
    }
    return result;
  }

  /// The last node that may go on beside a store that node k begins and the next one waits for.
  [[nodiscard]] std::optional<size_t> last_beside(const std::vector<Node>& nodes, size_t k) const {
    const auto* begin = std::get_if<Step>(&nodes[k].what);
    const auto* wait = std::get_if<Step>(&nodes[k + 1].what);
    if (begin == nullptr || begin->transfer != TransferPart::kBegin || wait == nullptr ||
        wait->transfer != TransferPart::kWait || wait->token != begin->token)
      return std::nullopt;
    const TransferSides sides = sides_of(schedule_, *begin);
    if (sides.reads || begin->passage.valid()) return std::nullopt;
    std::optional<size_t> last;
    for (size_t at = k + 2; at < nodes.size(); ++at) {
      if (touches(nodes[at], sides.stored) || transfers(nodes[at])) break;
      if (touches(nodes[at], sides.held)) last = at;
    }
    return last;
  }

  static bool transfers(const Node& node) {
    return visit_node(
        node, [](const Step& step) { return step.transfer != TransferPart::kNone; },
        [](const Loop& loop) { return std::ranges::any_of(loop.body, transfers); });
  }

  BegunAndEnded transfer_of(const Step& step) {
    const BufferId stored = sides_of(schedule_, step).stored;
    return as_transfer(step, tags_of(stored), add_passage(schedule_, stored), next_token());
  }

  BufferId tags_of(BufferId stored) {
    const auto [it, added] = tags_.try_emplace(stored);
    if (added) it->second = add_tags(schedule_, stored);
    return it->second;
  }

  Schedule schedule_;
  const std::set<BufferId>& with_room_;
  std::map<BufferId, BufferId> tags_;
};

}  // namespace

Schedule with_transfers(Schedule schedule, const std::set<BufferId>& with_room) {
  const bool any = std::ranges::any_of(schedule.buffers, [&](const Buffer& buffer) {
    return schedule.memory(buffer.memory).storage.has_value();
  });
  return any ? Beginner(std::move(schedule), with_room).run() : schedule;
}

}  // namespace thimble
