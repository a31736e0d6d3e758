// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/overlaps.h"

#include <algorithm>
#include <map>

#include "thimble/analysis/extremal_units.h"
#include "thimble/analysis/progress.h"
#include "thimble/model/error.h"
#include "thimble/schedule/gather.h"
#include "thimble/schedule/reads.h"
#include "thimble/schedule/records.h"

namespace thimble {
namespace {

// A box at a fixed origin in memory that is laid out and addressed, no ring.
bool plain(const Schedule& schedule, const Buffer& buffer) {
  return buffer.tensor.valid() && is_laid_out(buffer.memory) &&
         !schedule.memory(buffer.memory).storage && !buffer.wrap &&
         std::all_of(buffer.origin.begin(), buffer.origin.end(),
                     [](const IndexExpr& expr) { return expr.constant(); });
}

// By buffer. The caller writes inputs before the first step and reads outputs after the last.
std::vector<bool> are_ports(const Schedule& schedule, const std::vector<BufferId>& ports) {
  std::vector<bool> result(schedule.buffers.size(), false);
  for (const BufferId id : ports) result[id.index()] = true;
  return result;
}

// Byte offset in a plain buffer of the region's first element there, or of its last.
int64_t offset_bytes(const Buffer& buffer, const Region& region, bool last) {
  int64_t offset = 0;
  for (size_t k = 0; k < region.size(); ++k) {
    const size_t axis = buffer.order.empty() ? k : static_cast<size_t>(buffer.order[k]);
    const int64_t at = last ? region[axis].end - 1 : region[axis].begin;
    offset = offset * buffer.extents[axis] + at - buffer.origin[axis].base;
  }
  return offset * size_bytes(buffer.type);
}

class PairTimeline {
 public:
  PairTimeline(const Graph& graph, const Schedule& schedule, const std::vector<AccessMap>& maps,
               Share share)
      : graph_(graph),
        schedule_(schedule),
        maps_(maps),
        share_(share),
        lead_(-schedule.buffer(share.in).size_bytes()),
        row_major_(schedule.buffer(share.out).order.empty() &&
                   schedule.buffer(share.in).order.empty()) {
    const auto rank = static_cast<int>(schedule.buffer(share.in).extents.size());
    for (int axis = 0; axis < rank; ++axis) same_place_.axes.push_back(Affine{.out_axis = axis});
  }

  void visit(const Piece& piece, Progress progress, const Counters& counters) {
    const Step& step = piece.step;
    const bool writes = step.out == share_.out;
    if (step.out == share_.in && written_) possible_ = false;
    std::vector<size_t> operands;
    for (size_t k = 0; k < step.in.size(); ++k) {
      if (step.in[k].buffer() == share_.in) operands.push_back(k);
    }
    if (!writes && !operands.empty() && in_place_) possible_ = false;  // it needs what was there
    if (!possible_ || (!writes && operands.empty())) return;
    const Region region =
        piece_region(piece, counters, graph_.tensor(written_tensor(graph_, schedule_, step)).shape);
    if (empty(region)) return;
    if (!writes) {
      for (size_t k : operands) read(read_region(graph_, maps_, step, k, region, counters));
      return;
    }
    const bool in_place = step.method == Method::kInPlace && !operands.empty();
    if (written_ && in_place != in_place_) possible_ = false;
    written_ = true;
    in_place_ = in_place;
    if (in_place) {
      possible_ = possible_ && (row_major_ || !step.op.valid());
    } else if (operands.empty()) {
      write(region);
    } else if (!row_major_) {  // kernels go through both in an order that is not that of memory
      possible_ = false;
    } else {
      units(step, progress, operands, region, counters);
    }
  }

  std::optional<Overlap> result() const {
    if (!possible_ || !written_) return std::nullopt;
    if (in_place_) return Overlap{share_.out, share_.in, std::nullopt, true};
    if (lead_ >= schedule_.buffer(share_.out).size_bytes()) return std::nullopt;
    return Overlap{share_.out, share_.in, lead_, false};
  }

 private:
  void read(int64_t byte) {
    if (reached_) lead_ = std::max(lead_, *reached_ - byte);
  }
  // Reads this buffer's part of a chunk that may lie in several buffers.
  void read(Region region) {
    const Buffer& in = schedule_.buffer(share_.in);
    for (size_t axis = 0; axis < region.size(); ++axis) {
      region[axis].begin = std::max(region[axis].begin, in.origin[axis].base);
    }
    if (!empty(region)) read(offset_bytes(in, region, false));
  }
  void write(const Region& region) {
    const Buffer& out = schedule_.buffer(share_.out);
    const int64_t end = offset_bytes(out, region, true) + size_bytes(out.type);
    reached_ = std::max(reached_.value_or(end), end);
  }

  // The step both reads `in` and writes `out`: unit by unit, in the order of its kernel.
  void units(const Step& step, Progress progress, const std::vector<size_t>& operands,
             const Region& region, const Counters& counters) {
    const auto visit = [&](const Region& unit) {
      if (progress == Progress::kElement) {
        run_of_elements(step, operands, unit, counters);
        return;
      }
      write(unit);  // within a unit, writes may come before reads
      for (size_t k : operands) read(read_region(graph_, maps_, step, k, unit, counters));
    };
    if (const auto reads = whole_reads(step, progress, operands); reads) {
      for_each_extremal_unit(progress, region, *reads, visit);
    } else {
      for_each_unit(progress, region, visit);
    }
  }

  // How the step reads `in`; nothing if `in` is a block, or read in boxes around linear indices.
  std::optional<std::vector<WholeRead>> whole_reads(const Step& step, Progress progress,
                                                    const std::vector<size_t>& operands) const {
    const Buffer& in = schedule_.buffer(share_.in);
    const Shape& shape = graph_.tensor(in.tensor).shape;
    const auto at_0 = [](const IndexExpr& origin) { return origin.base == 0; };
    if (in.extents != shape || !std::ranges::all_of(in.origin, at_0)) return std::nullopt;
    if (!step.op.valid() || step.method == Method::kFinalise)
      return std::vector<WholeRead>{{same_place_, shape}};
    std::vector<WholeRead> reads;
    for (const size_t k : operands) {
      const InputMap& map = maps_[step.op.index()][k];
      if (!map.linear) {
        reads.push_back({map, shape});
      } else if (progress != Progress::kElement || step.method != Method::kCompute) {
        return std::nullopt;
      }  // else element by element at the output's linear indices, which is even
    }
    return reads;
  }

  // A run along the last axis. How far writes are ahead changes evenly along it: the first two and
  // the last two elements bound all between.
  void run_of_elements(const Step& step, const std::vector<size_t>& operands, const Region& run,
                       const Counters& counters) {
    const auto visit = [&](const Region& part) {
      if (empty(part)) return;
      for (const size_t k : operands) read_elements(step, k, part, counters);
      write(part);
    };
    if (run.empty()) return visit(run);  // a scalar
    const Interval all = run.back();
    const int64_t second = std::min(all.begin + 1, all.end), last = std::max(second, all.end - 1);
    Region part = run;
    for (const Interval& cut :
         {Interval{all.begin, second}, Interval{second, last}, Interval{last, all.end}}) {
      part.back() = cut;
      visit(part);
    }
  }

  // Row-major operands (reshape) have the output's linear indices; a box around them would be too
  // much.
  void read_elements(const Step& step, size_t operand, const Region& run,
                     const Counters& counters) {
    const Buffer& in = schedule_.buffer(share_.in);
    const bool linear = step.op.valid() && step.method == Method::kCompute &&
                        maps_[step.op.index()][operand].linear &&
                        in.extents == graph_.tensor(in.tensor).shape;
    if (!linear) {
      read(read_region(graph_, maps_, step, operand, run, counters));
      return;
    }
    const Buffer out = whole_buffer(graph_, written_tensor(graph_, schedule_, step));
    read(offset_bytes(out, run, false) / size_bytes(out.type) * size_bytes(in.type));
  }

  const Graph& graph_;
  const Schedule& schedule_;
  const std::vector<AccessMap>& maps_;
  Share share_;
  int64_t lead_;                    // so far: bytes written, less the first byte read after that
  std::optional<int64_t> reached_;  // end of the bytes written
  bool row_major_;                  // both
  InputMap same_place_;             // of a copy
  bool possible_ = true;
  bool written_ = false;
  bool in_place_ = false;  // by a kernel that wants the very same address
};

}  // namespace

std::vector<Overlap> overlaps(const Graph& graph, const Schedule& schedule) {
  return overlaps(graph, schedule, KernelUses(graph));
}

std::vector<Overlap> overlaps(const Graph& graph, const Schedule& schedule,
                              const KernelUses& uses) {
  if (schedule.shares.empty()) return {};
  const std::vector<AccessMap> maps = access_maps(graph);
  StepProgress progress(graph, maps, uses);
  std::vector<PairTimeline> pairs;
  std::multimap<BufferId, size_t> pairs_of;
  std::vector<bool> is_input = are_ports(schedule, schedule.inputs);
  std::vector<bool> is_output = are_ports(schedule, schedule.outputs);
  for (const StateBuffers& state : schedule.states)
    is_input[state.in.index()] = is_output[state.out.index()] = true;
  for (const Share& share : schedule.shares) {
    if (!plain(schedule, schedule.buffer(share.out)) || !plain(schedule, schedule.buffer(share.in)))
      continue;
    if (schedule.buffer(share.out).memory != schedule.buffer(share.in).memory) continue;
    if (is_input[share.out.index()] || is_output[share.in.index()]) continue;
    pairs_of.emplace(share.out, pairs.size());
    pairs_of.emplace(share.in, pairs.size());
    pairs.emplace_back(graph, schedule, maps, share);
  }
  const Gathers gathers(graph, schedule);
  std::map<const Step*, std::vector<Piece>> pieces_of;
  const auto visit = [&](const Step& step, const Counters& counters) {
    std::vector<size_t> touched;
    auto touch = [&](BufferId id) {
      const auto [begin, end] = pairs_of.equal_range(id);
      for (auto it = begin; it != end; ++it) touched.push_back(it->second);
    };
    for (BufferId id : read_buffers(step)) touch(id);
    touch(step.out);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    if (touched.empty()) return;
    const auto [known, added] = pieces_of.try_emplace(&step);
    if (added) {
      auto pieces = gathers.pieces(step);
      check(std::holds_alternative<std::vector<Piece>>(pieces), "shares of a malformed schedule");
      known->second = std::get<std::vector<Piece>>(std::move(pieces));
    }
    for (const Piece& piece : known->second) {
      for (size_t pair : touched) pairs[pair].visit(piece, progress.progress_of(step), counters);
    }
  };
  // What is stored is read until it is waited for.
  std::map<TokenId, std::pair<const Step*, Counters>> stored;
  execute_steps(schedule, [&](const Step& step, Position, const Counters& counters) {
    if (step.transfer == TransferPart::kErase) return;
    if (step.transfer != TransferPart::kWait) {
      visit(step, counters);
      if (step.transfer == TransferPart::kBegin && is_stored(schedule, step.out))
        stored[step.token] = {&step, counters};
    } else if (const auto begun = stored.find(step.token); begun != stored.end()) {
      visit(*begun->second.first, begun->second.second);
    }
  });
  std::vector<Overlap> result;
  for (const PairTimeline& pair : pairs) {
    if (const auto shared = pair.result()) result.push_back(*shared);
  }
  return result;
}

}  // namespace thimble
