// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/sweep_end.h"

#include <algorithm>
#include <tuple>

namespace thimble {

bool is_image_by(int axis, const Dataflow& flow, ValueId value) {
  return is_image(flow.shape(value)) && flow.shape(value)[0] == 1 &&
         flow.lies_outermost(value, axis);
}

SweepEnd::SweepEnd(const SweepOrder& order, int end, const std::vector<int64_t>& incumbent_bytes)
    : order_(order), end_(end), first_(std::max(0, end - order.options.most_instances)) {
  const auto count = static_cast<size_t>(end - first_);
  most_.resize(count);
  budget_bytes_.resize(count);
  consumed_.resize(count);
  found_.resize(count);
  const Lives& lives = order.bytes.lives();
  std::vector<ValueId> consumed;
  int64_t most = 0;
  for (int p = end - 1; p >= first_; --p) {
    const auto k = static_cast<size_t>(p - first_);
    std::erase_if(consumed, [&](ValueId v) { return lives.made[v.index()] == p; });
    for (const ValueId v : order.bytes.consumed(p, p + 1)) consumed.push_back(v);
    std::ranges::sort(consumed);
    most = std::max(most, incumbent_bytes[static_cast<size_t>(p)]);
    most_[k] = most;
    budget_bytes_[k] = most - order.bytes.held(p);
    if (!order.options.in_place) continue;
    int64_t largest = 0;
    for (const ValueId v : consumed) {
      if (!is_image_by(kRowAxis, order.flow, v) && !is_image_by(kColumnAxis, order.flow, v))
        continue;
      consumed_[k].push_back(v);
      largest = std::max(largest, order.bytes.size(v));
    }
    budget_bytes_[k] += largest;
  }
  for (size_t k = 1; k < count; ++k)
    budget_bytes_[k] = std::max(budget_bytes_[k], budget_bytes_[k - 1]);
}

void SweepEnd::find(int begin, const SweepFound& found) {
  std::vector<SweepFound>& best = found_[static_cast<size_t>(begin - first_)];
  const bool by_macs = order_.options.most_recomputed_macs < kAnyMacs;
  const auto as_good_as = [&](const SweepFound& a, const SweepFound& b) {
    return a.bytes <= b.bytes && a.instructions <= b.instructions && (!by_macs || a.macs <= b.macs);
  };
  if (std::ranges::any_of(best, [&](const SweepFound& b) { return as_good_as(b, found); })) return;
  std::erase_if(best, [&](const SweepFound& b) { return as_good_as(found, b); });
  best.push_back(found);
}

std::vector<Sweep> SweepEnd::sweeps() const {
  std::vector<Sweep> result;
  for (int begin = first_; begin < end_; ++begin) {
    std::vector<SweepFound> found = at(found_, begin);
    std::ranges::stable_sort(
        found, {}, [](const SweepFound& f) { return std::tuple(f.bytes, f.instructions, f.macs); });
    for (const SweepFound& f : found) {
      Sweep sweep{.begin = begin,
                  .end = end_,
                  .tile = f.tile,
                  .recomputed = {},
                  .recomputed_columns = {},
                  .overlap = f.overlap,
                  .lead_bytes = f.lead_bytes,
                  .bytes = f.bytes,
                  .macs = f.macs,
                  .instructions = f.instructions};
      int p = begin;
      for (int c = f.choice; c >= 0; ++p) {
        const Choice& choice = choices_[static_cast<size_t>(c)];
        if (choice.kind != SweepChoice::Kind::kKept) sweep.recomputed.push_back(order_.at(p).makes);
        if (choice.kind == SweepChoice::Kind::kRecomputeAll)
          sweep.recomputed_columns.push_back(order_.at(p).makes);
        c = choice.before;
      }
      result.push_back(std::move(sweep));
    }
  }
  return result;
}

}  // namespace thimble
