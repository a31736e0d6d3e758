// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/tinyseg_spills.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace thimble::tinyseg {
namespace {

struct Victim {
  int tensor = 0;
  ColdRange range;
};

// Lines 2 and 3 of algorithm 3. A range of two operators in turn has nothing in it.
std::optional<Victim> victim_of(const OperatorList& list, const ListedArena& arena) {
  const std::vector<ColdRange> ranges = cold_ranges(list);
  const auto peak =
      static_cast<size_t>(std::ranges::max_element(arena.heights) - arena.heights.begin());
  std::optional<Victim> best;
  for (const int t : arena.live[peak]) {
    const ColdRange& range = ranges[static_cast<size_t>(t)];
    if (range.length() > (best ? best->range.length() : 1)) best = {t, range};
  }
  return best;
}

// The transformed list, written once: algorithm 3 from line 4 on.
class Transformation {
 public:
  Transformation(OperatorList list, const Victim& victim, const SpillOptions& options)
      : list_(std::move(list)), victim_(victim), options_(options) {
    const ListedTensor& tensor = list_.tensors[static_cast<size_t>(victim.tensor)];
    spill_ = {.tensor = tensor.of,
              .first_channel = tensor.first_channel,
              .channels = tensor.channels,
              .bytes = tensor.size_bytes,
              .behind = network_op(victim.range.start, -1),
              .before = network_op(victim.range.end, 1),
              .concat = {},
              .conv = {}};
  }

  void apply(int64_t excess_bytes) {
    const ListedTensor tensor = list_.tensors[static_cast<size_t>(victim_.tensor)];
    // Sizes of tensors of a network are whole channels; those of its shapes are one.
    const int64_t channel_bytes = tensor.size_bytes / std::max<int64_t>(tensor.channels, 1);
    const int64_t channels = excess_bytes < tensor.size_bytes
                                 ? (excess_bytes + channel_bytes - 1) / channel_bytes
                                 : tensor.channels;
    channels < tensor.channels ? insert_in_parts(tensor, channels) : insert_whole();
    while (fuse()) {
    }
  }

  OperatorList list_;
  Spill spill_;

 private:
  int add(const ListedTensor& tensor) {
    list_.tensors.push_back(tensor);
    return static_cast<int>(list_.tensors.size()) - 1;
  }

  void insert(int at, ListedOp op) { list_.ops.insert(list_.ops.begin() + at, std::move(op)); }

  // The next one from here in that direction.
  [[nodiscard]] OpId network_op(int at, int step) const {
    for (; at >= 0 && at < static_cast<int>(list_.ops.size()); at += step) {
      if (list_.ops[static_cast<size_t>(at)].of.valid())
        return list_.ops[static_cast<size_t>(at)].of;
    }
    return {};
  }

  // Whoever reads the tensor at the end of its cold range or later reads `again` from now on.
  void replace_reads(int again) {
    for (auto k = static_cast<size_t>(victim_.range.end); k < list_.ops.size(); ++k)
      std::ranges::replace(list_.ops[k].reads, victim_.tensor, again);
    std::ranges::replace(list_.outputs, victim_.tensor, again);
  }

  void insert_whole() {
    const int again = add(list_.tensors[static_cast<size_t>(victim_.tensor)]);
    replace_reads(again);
    insert(victim_.range.end,
           {.kind = Kind::kFetching, .writes = {again}, .of = {}, .fetched_bytes = spill_.bytes});
    insert(victim_.range.start + 1, {.kind = Kind::kSpill, .reads = {victim_.tensor}, .of = {}});
    fetching_ = victim_.range.end + 1;
  }

  // Figure 7: the last channels are spilled.
  void insert_in_parts(const ListedTensor& whole, int64_t channels) {
    const auto part = [&](int64_t first, int64_t count) {
      return ListedTensor{.size_bytes = whole.size_bytes / whole.channels * count,
                          .channels = count,
                          .of = whole.of,
                          .first_channel = whole.first_channel + first};
    };
    const int64_t kept = whole.channels - channels;
    const int first = add(part(0, kept)), last = add(part(kept, channels));
    const int again = add(whole), last_again = add(part(kept, channels));
    spill_.first_channel += kept;
    spill_.channels = channels;
    spill_.bytes = list_.tensors[static_cast<size_t>(last)].size_bytes;
    replace_reads(again);
    const int start = victim_.range.start, end = victim_.range.end;
    insert(end, {.kind = Kind::kConcat, .reads = {first, last_again}, .writes = {again}, .of = {}});
    insert(
        end,
        {.kind = Kind::kFetching, .writes = {last_again}, .of = {}, .fetched_bytes = spill_.bytes});
    insert(start + 1, {.kind = Kind::kSpill, .reads = {last}, .of = {}});
    insert(start + 1,
           {.kind = Kind::kSplit, .reads = {victim_.tensor}, .writes = {first, last}, .of = {}});
    fetching_ = end + 2;
  }

  [[nodiscard]] int64_t bytes_of(const std::vector<int>& tensors) const {
    int64_t bytes = 0;
    for (const int t : tensors) bytes += list_.tensors[static_cast<size_t>(t)].size_bytes;
    return bytes;
  }

  [[nodiscard]] int64_t readers_of(int tensor) const {
    int64_t count = std::ranges::count(list_.outputs, tensor);
    for (const ListedOp& op : list_.ops) count += std::ranges::count(op.reads, tensor);
    return count;
  }

  // Lines 15 to 17, once.
  bool fuse() {
    const auto at = static_cast<size_t>(fetching_);
    if (at + 1 >= list_.ops.size()) return false;
    ListedOp& fetching = list_.ops[at];
    ListedOp& next = list_.ops[at + 1];
    const int interim = fetching.writes[0];
    if (std::ranges::count(next.reads, interim) != 1 || readers_of(interim) != 1) return false;
    if (next.kind == Kind::kConcat && options_.fuse_concat) {
      // Fetching has one axis to join along.
      if (!fetching.reads.empty() && fetching.along_channels != next.along_channels) return false;
      fetching.along_channels = next.along_channels;
      if (next.of.valid()) spill_.concat = next.of;
    } else if (next.kind == Kind::kConv && options_.fuse_conv) {
      const int64_t out_bytes = bytes_of(next.writes);
      const int64_t least = std::min(bytes_of(fetching.reads), out_bytes);
      if (fetching.kind != Kind::kFetching || bytes_of({interim}) < least) return false;
      fetching.kind = Kind::kFetchingConv;
      fetching.scratch_bytes = std::max<int64_t>(fetching.fetched_bytes - out_bytes, 0);
      spill_.conv = next.of;
    } else {
      return false;
    }
    for (const int t : next.reads) {
      if (t != interim) fetching.reads.push_back(t);
    }
    fetching.writes = next.writes;
    if (next.of.valid()) fetching.of = next.of;
    list_.ops.erase(list_.ops.begin() + fetching_ + 1);
    return true;
  }

  const Victim victim_;
  const SpillOptions options_;
  int fetching_ = 0;  // position of the operator that fetches
};

}  // namespace

std::vector<ColdRange> cold_ranges(const OperatorList& list) {
  std::vector<ColdRange> ranges(list.tensors.size());
  for (int id = 0; id < static_cast<int>(list.ops.size()); ++id) {
    const ListedOp& op = list.ops[static_cast<size_t>(id)];
    for (const int t : op.writes) ranges[static_cast<size_t>(t)] = {id, id, id};
    for (const int t : op.reads) {
      ColdRange& range = ranges[static_cast<size_t>(t)];
      if (range.length() < id - range.last) {
        range.start = range.last;
        range.end = id;
      }
      range.last = id;
    }
  }
  return ranges;
}

int64_t SpilledList::written_bytes() const {
  int64_t bytes = 0;
  for (const SpillStep& step : steps) bytes += step.spill.bytes;
  return bytes;
}

SpilledList spill(OperatorList list, const SpillOptions& options) {
  ListedArena arena = arena_of(list);
  SpilledList result{.list = std::move(list),
                     .original_bytes = arena.bytes,
                     .arena_bytes = arena.bytes,
                     .steps = {}};
  while (result.arena_bytes > options.target_bytes) {
    const std::optional<Victim> victim = victim_of(result.list, arena);
    if (!victim) break;
    Transformation transformed(result.list, *victim, options);
    transformed.apply(result.arena_bytes - options.target_bytes);
    arena = arena_of(transformed.list_);
    if (arena.bytes >= result.arena_bytes) break;
    result.list = std::move(transformed.list_);
    result.arena_bytes = arena.bytes;
    result.steps.push_back({transformed.spill_, arena.bytes});
  }
  return result;
}

}  // namespace thimble::tinyseg
