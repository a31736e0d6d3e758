// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/roll.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "thimble/schedule/renumber.h"

namespace thimble {
namespace {

/// What an expression may be replaced by: what has the same meaning at the border of its tensor.
enum class Bound : uint8_t { kExact, kBegin, kEnd };

struct Slot {
  IndexExpr* expr;
  Bound bound;
  int64_t extent;
};

/// A node (or several) as lists, in the order of a walk.
struct Listed {
  std::vector<int64_t> shape;  ///< all that must be equal
  std::vector<BufferId> buffers;
  std::vector<LoopId> loops;
  std::vector<Slot> slots;
};

class Lister {
 public:
  explicit Lister(const Graph& graph, const Schedule& schedule)
      : graph_(graph), schedule_(schedule) {}

  void add(Node& node, Listed& list) const {
    if (auto* step = std::get_if<Step>(&node.what)) {
      add(*step, list);
      return;
    }
    Loop& loop = std::get<Loop>(node.what);
    list.loops.push_back(loop.id);
    list.shape.insert(list.shape.end(), {-1, loop.count, static_cast<int64_t>(loop.body.size())});
    for (Node& inner : loop.body) add(inner, list);
  }

 private:
  void add(Step& step, Listed& list) const {
    const Shape& out = graph_.tensor(schedule_.buffer(step.out).tensor).shape;
    list.shape.insert(list.shape.end(),
                      {step.op.value, static_cast<int64_t>(step.method), step.chunk ? 1 : 0,
                       step.recomputes ? 1 : 0, step.scratch.valid() ? 1 : 0,
                       schedule_.buffer(step.out).tensor.value});
    for (const Operand& operand : step.in) {
      list.shape.push_back(static_cast<int64_t>(operand.from.size()));
    }
    for (BufferId id : read_buffers(step)) list.buffers.push_back(id);
    list.buffers.push_back(step.out);
    if (step.scratch.valid()) list.buffers.push_back(step.scratch);
    for (size_t axis = 0; axis < step.region.size(); ++axis)
      add(step.region[axis], out[axis], list);
    if (step.chunk) {
      const Op& op = graph_.op(step.op);
      add(*step.chunk, graph_.tensor(op.inputs[0]).shape[chunk_axis(graph_, op)], list);
    }
  }
  static void add(IntervalExpr& interval, int64_t extent, Listed& list) {
    list.slots.push_back({&interval.begin, Bound::kBegin, extent});
    list.slots.push_back({&interval.end, Bound::kEnd, extent});
  }

  const Graph& graph_;
  const Schedule& schedule_;
};

/// base + slope * repetition, through what has been seen so far.
class Line {
 public:
  /// Whether there still is one; if not, the slot is not added.
  bool add(const Slot& slot) {
    const int64_t base = base_, slope = slope_;
    points_.push_back({slot.expr->base, beyond(slot)});
    if (points_.size() > 1 && meets(points_.size() - 1)) return true;
    if (through(false) || through(true)) return true;
    points_.pop_back();
    base_ = base;
    slope_ = slope;
    return false;
  }
  void drop_last() { points_.pop_back(); }
  int64_t base() const { return base_; }
  int64_t slope() const { return slope_; }

 private:
  struct Point {
    int64_t value;
    int side;  ///< 0: exactly this; -1: this or less; 1: this or more
  };
  static int beyond(const Slot& slot) {
    if (!slot.expr->constant() || slot.expr->divisor != 1) return 0;
    if (slot.bound == Bound::kBegin && slot.expr->base <= 0) return -1;
    if (slot.bound == Bound::kEnd && slot.expr->base >= slot.extent) return 1;
    return 0;
  }
  bool meets(size_t k) const {
    const int64_t at = base_ + slope_ * static_cast<int64_t>(k);
    const Point& p = points_[k];
    return at == p.value || (p.side < 0 && at < p.value) || (p.side > 0 && at > p.value);
  }
  // The line through the first two points, of those that are exact if the others give way.
  bool through(bool give_way) {
    std::vector<size_t> fixed;
    for (size_t k = 0; k < points_.size() && fixed.size() < 2; ++k) {
      if (!give_way || points_[k].side == 0) fixed.push_back(k);
    }
    for (size_t k = 0; k < points_.size() && fixed.size() < 2; ++k) {
      if (std::ranges::find(fixed, k) == fixed.end()) fixed.push_back(k);
    }
    slope_ = 0;
    if (fixed.size() == 2) {
      const int64_t rise = points_[fixed[1]].value - points_[fixed[0]].value;
      const auto run = static_cast<int64_t>(fixed[1]) - static_cast<int64_t>(fixed[0]);
      if (rise % run != 0) return false;
      slope_ = rise / run;
    }
    base_ = points_[fixed[0]].value - slope_ * static_cast<int64_t>(fixed[0]);
    for (size_t k = 0; k < points_.size(); ++k) {
      if (!meets(k)) return false;
    }
    return true;
  }

  std::vector<Point> points_;
  int64_t base_ = 0, slope_ = 0;
};

/// Repetitions of a group of nodes, one added after the other.
class Repetitions {
 public:
  Repetitions(Schedule& schedule, const std::vector<int>& uses, Listed first)
      : schedule_(schedule), uses_(uses), first_(std::move(first)) {
    add_origins(first_, own_in(first_));
    lines_.resize(first_.slots.size());
    for (size_t k = 0; k < lines_.size(); ++k) (void)lines_[k].add(first_.slots[k]);
    shares_ = shares_of(own_in(first_), {});
  }

  bool add(Listed next) {
    std::map<BufferId, BufferId> buffers;
    std::map<LoopId, LoopId> loops;
    if (!same_but_for(next, buffers, loops)) return false;
    add_origins(next, own_in(next));
    for (size_t k = 0; k < lines_.size(); ++k) {
      if (!alike(*first_.slots[k].expr, *next.slots[k].expr, loops) ||
          !lines_[k].add(next.slots[k])) {
        while (k-- > 0) lines_[k].drop_last();
        return false;
      }
    }
    for (const auto& [mine, its] : buffers) renamed_[its] = mine;
    ++count_;
    return true;
  }

  int64_t count() const { return count_; }
  /// Makes the first repetition, which was listed, that of all.
  void follow(LoopId loop) {
    for (size_t k = 0; k < lines_.size(); ++k) {
      IndexExpr& expr = *first_.slots[k].expr;
      expr.base = lines_[k].base();
      if (lines_[k].slope() != 0) expr.terms.push_back({loop, lines_[k].slope()});
    }
    for (Share& share : schedule_.shares) share = {name_of(share.out), name_of(share.in)};
    std::vector<Share> once;
    for (const Share& share : schedule_.shares) {
      if (std::ranges::find(once, share) == once.end()) once.push_back(share);
    }
    schedule_.shares = std::move(once);
  }

 private:
  using Shares = std::set<std::pair<BufferId, BufferId>>;

  BufferId name_of(BufferId id) const {
    const auto it = renamed_.find(id);
    return it == renamed_.end() ? id : it->second;
  }

  // Those used nowhere else, in the order of their first use.
  std::vector<BufferId> own_in(const Listed& list) const {
    std::map<BufferId, int> here;
    for (BufferId id : list.buffers) ++here[id];
    std::vector<BufferId> own;
    for (BufferId id : list.buffers) {
      int& times = here[id];
      if (times == uses_[id.index()]) own.push_back(id);
      times = 0;
    }
    return own;
  }

  void add_origins(Listed& list, const std::vector<BufferId>& own) {
    for (BufferId id : own) {
      for (IndexExpr& expr : schedule_.buffers[id.index()].origin)
        list.slots.push_back({&expr, Bound::kExact, 0});
    }
  }

  Shares shares_of(const std::vector<BufferId>& own,
                   const std::map<BufferId, BufferId>& names) const {
    Shares result;
    const auto named = [&](BufferId id) {
      const auto it = names.find(id);
      return it == names.end() ? id : it->second;
    };
    for (const Share& share : schedule_.shares) {
      if (std::ranges::find(own, share.out) != own.end() ||
          std::ranges::find(own, share.in) != own.end()) {
        result.emplace(named(share.out), named(share.in));
      }
    }
    return result;
  }

  bool same_but_for(const Listed& next, std::map<BufferId, BufferId>& buffers,
                    std::map<LoopId, LoopId>& loops) const {
    if (next.shape != first_.shape || next.buffers.size() != first_.buffers.size()) return false;
    for (size_t k = 0; k < first_.loops.size(); ++k) loops[next.loops[k]] = first_.loops[k];
    std::map<BufferId, BufferId> back;
    for (size_t k = 0; k < first_.buffers.size(); ++k) {
      const BufferId mine = first_.buffers[k], its = next.buffers[k];
      if (buffers.try_emplace(mine, its).first->second != its) return false;
      if (back.try_emplace(its, mine).first->second != mine) return false;
    }
    const std::vector<BufferId> own = own_in(first_), its_own = own_in(next);
    if (own.size() != its_own.size()) return false;
    std::erase_if(buffers, [&](const auto& pair) { return pair.first == pair.second; });
    if (buffers.size() != own.size()) return false;
    std::map<BufferId, BufferId> names;
    for (size_t k = 0; k < own.size(); ++k) {
      const auto it = buffers.find(own[k]);
      if (it == buffers.end() || it->second != its_own[k]) return false;
      Buffer a = schedule_.buffer(own[k]), b = schedule_.buffer(its_own[k]);
      a.origin.clear();
      b.origin.clear();
      if (a != b) return false;
      names[its_own[k]] = own[k];
    }
    return shares_of(its_own, names) == shares_;
  }

  static bool alike(const IndexExpr& a, const IndexExpr& b, const std::map<LoopId, LoopId>& loops) {
    std::vector<Term> terms = b.terms;
    for (Term& term : terms) {
      const auto it = loops.find(term.loop);
      if (it != loops.end()) term.loop = it->second;
    }
    std::ranges::sort(terms, {}, &Term::loop);
    return a.divisor == b.divisor && a.terms == terms;
  }

  Schedule& schedule_;
  const std::vector<int>& uses_;
  Listed first_;
  Shares shares_;
  std::vector<Line> lines_;  ///< per slot
  std::map<BufferId, BufferId> renamed_;
  int64_t count_ = 1;
};

struct Run {
  size_t start, period, count;
  size_t saved_nodes() const { return count < 2 ? 0 : (count - 1) * period - 1; }
};

class Roller {
 public:
  Roller(const Graph& graph, const Schedule& schedule)
      : graph_(graph), schedule_(schedule), most_bytes_(live_peak_bytes(schedule)) {}

  Schedule run() {
    roll({});
    return std::move(schedule_);
  }

 private:
  /// Where a list of nodes stands: positions of the loops around it, outermost first.
  using Path = std::vector<size_t>;
  using Refused = std::set<std::pair<size_t, size_t>>;  ///< starts and periods

  static std::vector<Node>& list_at(Schedule& schedule, const Path& path) {
    std::vector<Node>* nodes = &schedule.nodes;
    for (size_t k : path) nodes = &std::get<Loop>((*nodes)[k].what).body;
    return *nodes;
  }

  // The longest run first, then what it holds, and again until nothing repeats.
  void roll(const Path& path) {
    Refused refused;
    while (const std::optional<Run> run = best_run(list_at(schedule_, path), refused)) {
      if (accept(path, *run)) {
        refused.clear();  // positions are others now
      } else {
        refused.emplace(run->start, run->period);
      }
    }
    const size_t count = list_at(schedule_, path).size();
    for (size_t k = 0; k < count; ++k) {
      if (!std::holds_alternative<Loop>(list_at(schedule_, path)[k].what)) continue;
      Path inner = path;
      inner.push_back(k);
      roll(inner);
    }
  }

  std::vector<int> uses() const {
    std::vector<int> uses(schedule_.buffers.size());
    for_each_step(schedule_, [&](const Step& step, Position) {
      for (BufferId id : read_buffers(step)) ++uses[id.index()];
      ++uses[step.out.index()];
      if (step.scratch.valid()) ++uses[step.scratch.index()];
    });
    for (BufferId id : schedule_.inputs) ++uses[id.index()];
    for (BufferId id : schedule_.outputs) ++uses[id.index()];
    return uses;
  }

  static Listed listed(const Lister& lister, std::vector<Node>& nodes, size_t begin, size_t end) {
    Listed list;
    for (size_t k = begin; k < end; ++k) lister.add(nodes[k], list);
    return list;
  }

  static Repetitions repetitions(const Graph& graph, Schedule& schedule,
                                 const std::vector<int>& uses, std::vector<Node>& nodes,
                                 size_t start, size_t period, size_t most) {
    const Lister lister(graph, schedule);
    Repetitions group(schedule, uses, listed(lister, nodes, start, start + period));
    for (size_t k = 1; k < most; ++k) {
      const size_t begin = start + k * period;
      if (!group.add(listed(lister, nodes, begin, begin + period))) break;
    }
    return group;
  }

  /// The one that saves the most nodes; of those the shortest group.
  std::optional<Run> best_run(std::vector<Node>& nodes, const Refused& refused) {
    const std::vector<int> shape = shapes(nodes);
    const std::vector<int> uses = this->uses();
    std::optional<Run> best;
    for (size_t period = 1; 2 * period <= nodes.size(); ++period) {
      // No longer group can save more.
      if (best && nodes.size() - period <= best->saved_nodes() + 1) break;
      size_t end = 0;  // of the nodes known to be followed by their like
      for (size_t start = 0; start + 2 * period <= nodes.size();) {
        end = std::max(end, start);
        while (end + period < nodes.size() && shape[end] == shape[end + period]) ++end;
        const size_t most = (end - start) / period + 1;
        if (most < 2) {
          start = end + 1;
          continue;
        }
        const auto count = static_cast<size_t>(
            repetitions(graph_, schedule_, uses, nodes, start, period, most).count());
        const Run run{start, period, count};
        const bool better = !best || run.saved_nodes() > best->saved_nodes();
        if (run.saved_nodes() > 0 && better && !refused.contains({start, period})) best = run;
        start += (count - 1) * period + 1;
      }
    }
    return best;
  }

  // Equal numbers for nodes that differ in places only.
  std::vector<int> shapes(std::vector<Node>& nodes) const {
    const Lister lister(graph_, schedule_);
    std::map<std::vector<int64_t>, int> known;
    std::vector<int> result;
    for (Node& node : nodes) {
      Listed list;
      lister.add(node, list);
      result.push_back(known.try_emplace(list.shape, static_cast<int>(known.size())).first->second);
    }
    return result;
  }

  bool accept(const Path& path, const Run& run) {
    Schedule trial = schedule_;
    std::vector<Node>& nodes = list_at(trial, path);
    const std::vector<int> uses = this->uses();
    Repetitions group = repetitions(graph_, trial, uses, nodes, run.start, run.period, run.count);
    const LoopId id{trial.loop_count++};
    group.follow(id);
    const auto first = nodes.begin() + static_cast<std::ptrdiff_t>(run.start);
    const auto period = static_cast<std::ptrdiff_t>(run.period);
    Loop loop{id, group.count(), {first, first + period}};
    *first = {std::move(loop)};
    nodes.erase(first + 1, first + period * static_cast<std::ptrdiff_t>(run.count));
    if (live_peak_bytes(trial) > most_bytes_) return false;
    schedule_ = std::move(trial);
    return true;
  }

  const Graph& graph_;
  Schedule schedule_;
  int64_t most_bytes_;
};

}  // namespace

Schedule roll(const Graph& graph, const Schedule& schedule) {
  return renumbered(Roller(graph, schedule).run());
}

}  // namespace thimble
