// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/bring_constants.h"

#include <algorithm>
#include <set>
#include <utility>

#include "thimble/schedule/records.h"

namespace thimble {
namespace {

bool follows_loop(const IndexExpr& expr, LoopId loop) {
  return std::ranges::any_of(expr.terms, [&](const Term& term) { return term.loop == loop; });
}

/// The record in the first iteration of the loop, or in the next one.
IndexExpr at_first(IndexExpr record, LoopId loop) {
  std::erase_if(record.terms, [&](const Term& term) { return term.loop == loop; });
  return record;
}
IndexExpr in_next(IndexExpr record, LoopId loop) {
  for (const Term& term : record.terms) record.base += term.loop == loop ? term.coefficient : 0;
  return record;
}

class Bringer {
 public:
  Bringer(Schedule schedule, const std::map<BufferId, BroughtBuffer>& brought, Reading earliest)
      : schedule_(std::move(schedule)), brought_(brought), earliest_(earliest) {}

  Schedule run() {
    const std::vector<Node> nodes = std::move(schedule_.nodes);
    schedule_.nodes.clear();
    Around none;
    schedule_.nodes = body(nodes, 0, nullptr, none);
    return std::move(schedule_);
  }

 private:
  struct Read {
    Step begin, wait;
  };

  /// What comes around a loop.
  struct Around {
    std::vector<Node> early, before, behind;
  };

  /// outside: around the loop that the nodes are the body of.
  std::vector<Node> body(const std::vector<Node>& nodes, int depth, const Loop* around,
                         Around& outside) {
    std::vector<Node> result;
    size_t previous = 0;  // where the node in front is in the result, behind what it waits for
    for (const Node& node : nodes) {
      std::vector<Step> users;
      users_of(node, depth, users);
      std::vector<Node> reads;
      Around inner;
      for (const Step& user : users) {
        const BroughtBuffer& of = brought_.at(user.constants);
        const bool ahead = earliest_ >= Reading::kAhead && of.ahead;
        const bool early = earliest_ >= Reading::kEarly && of.early;
        const bool tiles = around != nullptr && follows_loop(user.record, around->id);
        Read read = read_of(user);
        if (ahead && tiles) {
          Read first = read, next = read;
          for (IndexExpr* bound : {&first.begin.region[0].begin, &first.begin.region[0].end})
            *bound = at_first(*bound, around->id);
          for (IndexExpr* bound : {&next.begin.region[0].begin, &next.begin.region[0].end})
            *bound = in_next(*bound, around->id);
          (early ? outside.early : outside.before).push_back({std::move(first.begin)});
          reads.push_back({read.wait});
          reads.push_back({std::move(next.begin)});
          outside.behind.push_back({std::move(read.wait)});
        } else {
          (early ? inner.early : reads).push_back({std::move(read.begin)});
          reads.push_back({std::move(read.wait)});
        }
      }
      Node written = node;
      if (const auto* loop = std::get_if<Loop>(&node.what))
        written.what = Loop{loop->id, loop->count, body(loop->body, depth + 1, loop, inner)};
      const auto front = result.begin() + static_cast<std::ptrdiff_t>(previous);
      result.insert(front, inner.early.begin(), inner.early.end());
      for (std::vector<Node>* part : {&reads, &inner.before})
        std::ranges::move(*part, std::back_inserter(result));
      previous = result.size();
      result.push_back(std::move(written));
      std::ranges::move(inner.behind, std::back_inserter(result));
    }
    return result;
  }

  /// Steps of the node whose constants are read in front of it.
  void users_of(const Node& node, int depth, std::vector<Step>& users) const {
    visit_node(
        node,
        [&](const Step& step) {
          if (step.constants.valid() && brought_.at(step.constants).depth == depth)
            users.push_back(step);
        },
        [&](const Loop& loop) {
          for (const Node& inner : loop.body) users_of(inner, depth, users);
        });
  }

  Read read_of(const Step& user) {
    const BroughtBuffer& of = brought_.at(user.constants);
    const Shape& extents = schedule_.buffer(of.stored).extents;
    IntervalExpr records{index(0), index(extents[0])};
    if (of.by_record) {
      records = {user.record, user.record + 1, of.records};
    } else if (of.records) {
      records = {of.records->begin, of.records->end};
    }
    Step copy{.region = {std::move(records), {index(0), index(extents[1])}}, .chunk = {}};
    copy.in = {of.stored};
    copy.out = user.constants;
    auto [begin, wait] = as_transfer(std::move(copy), {}, {}, {schedule_.token_count++});
    return {std::move(begin), std::move(wait)};
  }

  Schedule schedule_;
  const std::map<BufferId, BroughtBuffer>& brought_;
  const Reading earliest_;
};

/// Walks as it executes, each loop twice: what is in flight from one iteration to the next, the
/// second one finds.
class InFlight {
 public:
  explicit InFlight(const Schedule& schedule) : schedule_(schedule) {}

  bool too_many() {
    walk(schedule_.nodes);
    return too_many_;
  }

 private:
  void walk(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      visit_node(
          node, [&](const Step& step) { visit(step); },
          [&](const Loop& loop) {
            walk(loop.body);
            walk(loop.body);
          });
    }
  }

  void visit(const Step& step) {
    if (step.transfer == TransferPart::kNone) return;
    const bool erases = step.transfer == TransferPart::kErase;
    const bool writes = is_stored(schedule_, step.out);
    const MemoryId memory =
        schedule_.buffer(erases || writes ? step.out : step.in[0].from[0]).memory;
    std::set<TokenId>& flying = flying_[memory];
    if (step.transfer == TransferPart::kWait) {
      flying.erase(step.token);
      return;
    }
    flying.insert(step.token);
    if (std::ssize(flying) > schedule_.memory(memory).storage->most_in_flight) too_many_ = true;
  }

  const Schedule& schedule_;
  std::map<MemoryId, std::set<TokenId>> flying_;
  bool too_many_ = false;
};

}  // namespace

Schedule with_brought(Schedule schedule, const std::map<BufferId, BroughtBuffer>& brought,
                      Reading earliest) {
  if (brought.empty()) return schedule;
  return Bringer(std::move(schedule), brought, earliest).run();
}

bool too_many_in_flight(const Schedule& schedule) { return InFlight(schedule).too_many(); }

}  // namespace thimble
