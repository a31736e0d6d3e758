// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/out_of_core.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>

#include "thimble/model/division.h"
#include "thimble/model/error.h"
#include "thimble/moves/spill.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/build.h"
#include "thimble/plan/evaluate.h"
#include "thimble/plan/order_plan.h"
#include "thimble/plan/order_problem.h"
#include "thimble/plan/packed_forms.h"
#include "thimble/plan/tile_shares.h"
#include "thimble/planners/streamed_piece.h"
#include "thimble/schedule/records.h"
namespace thimble {
namespace {

using Constants = StreamedConstants;

/// A part of the order with its copies, on its own.
struct Part {
  Part(const AxisGraph& axes, Instances some, const LatencyEstimate& known)
      : instances(std::move(some)), flow(axes, instances), latency(flow, known) {}
  Instances instances;
  Dataflow flow;
  LatencyEstimate latency;
};

class OutOfCore {
 public:
  OutOfCore(const AxisGraph& axes, const Limits& limits, const OutOfCoreOptions& options)
      : graph_(axes.graph()),
        axes_(axes),
        limits_(limits),
        options_(options),
        storage_(*limits.storage->storage),
        base_(instances_of(graph_, limits.ports)),
        flow_(axes, base_),
        problem_(order_problem(graph_, base_, false)),
        order_(original_order(problem_).ops),
        bytes_(problem_, order_),
        apart_(working_sets(problem_, order_)),
        model_(latency_model_for(limits.core)),
        known_(flow_, limits.core, model_),
        forms_(graph_) {}

  std::optional<Decision> decided() {
    find_cuts();
    if (cuts_.size() < 2) return std::nullopt;
    std::optional<std::vector<StreamedPiece>> path = cheapest();
    if (!path) return std::nullopt;
    if (options_.weight_bytes) {
      choose_kept(*path);
      if (!kept_.empty()) path = cheapest();
    }
    return path ? std::optional(plan_of(*path)) : std::nullopt;
  }

 private:
  std::optional<std::vector<StreamedPiece>> chain() const {
    return cheapest_chain(pieces_, cuts_.front(), cuts_.back(),
                          {.sram_bytes = *limits_.sram_bytes,
                           .most_in_flight = reads_early(0),
                           .cycles_per_byte = options_.cycles_per_byte});
  }

  std::optional<std::vector<StreamedPiece>> cheapest() {
    pieces_.clear();
    if (options_.buffer_bytes) {
      for (size_t c = 0; c + 1 < cuts_.size(); ++c) add_layer(cuts_[c], cuts_[c + 1]);
      return chain();
    }
    for (size_t b = 0; b + 1 < cuts_.size(); ++b) {
      for (size_t e = b + 1; e < cuts_.size(); ++e) {
        if (e > b + 1 && cuts_[e] - cuts_[b] > kMostInPiece) break;
        add_pieces(cuts_[b], cuts_[e]);
      }
    }
    return chain();
  }

  /// What flash has room for stays there: what is read most often in a plan without, and of what is
  /// read as often that with which the least is computed, for its bytes: it hides nothing of what
  /// is read meanwhile.
  void choose_kept(const std::vector<StreamedPiece>& path) {
    struct Weighed {
      OpId op;
      int64_t bytes = 0, reads = 0;
      double cycles = 0;
    };
    std::vector<Weighed> all;
    for (const StreamedPiece& piece : path) {
      for (int p = piece.begin; p < piece.end; ++p) {
        const Constants& constants = piece.constants[static_cast<size_t>(p - piece.begin)];
        if (constants.how == Constants::How::kInFlash) continue;
        const KernelTimes& times =
            known_.whole_times({.instance = {order_[static_cast<size_t>(p)]}});
        all.push_back({at(p).op, forms_.bytes(at(p).op, constants.kernel), constants.reads,
                       times.back().instructions});
      }
    }
    std::ranges::stable_sort(all, {}, [](const Weighed& each) {
      return std::pair(-each.reads,
                       each.cycles / static_cast<double>(std::max<int64_t>(each.bytes, 1)));
    });
    int64_t left = *options_.weight_bytes;
    for (const Weighed& each : all) {
      if (each.bytes > left) continue;
      left -= each.bytes;
      kept_.insert(each.op);
    }
  }

  static constexpr int kMostInPiece = 10;
  /// Bytes of a record of some channels, about: less where there is no room.
  static constexpr int64_t kRecordTargets[] = {65536, 32768, 16384, 8192, 4096, 2048, 1024};
  static constexpr int kMostTargets = 2;  ///< that fit, of a band

  const Instance& at(int position) const {
    return base_.instance({order_[static_cast<size_t>(position)]});
  }

  /// Positions where one value is live; the first and the last.
  void find_cuts() {
    const Lives& lives = bytes_.lives();
    const auto count = static_cast<int>(order_.size());
    for (int p = 0; p <= count; ++p) {
      std::vector<ValueId> live;
      for (size_t v = 0; v < base_.values.size(); ++v) {
        if (flow_.is_constant({static_cast<int32_t>(v)})) continue;
        if (lives.made[v] < p && lives.last_read[v] >= p) live.push_back({static_cast<int32_t>(v)});
      }
      if (p == 0 || p == count || live.size() == 1) {
        cuts_.push_back(p);
        values_.push_back(live.size() == 1 && p > 0 && p < count ? live[0] : ValueId{});
      }
    }
  }

  ValueId value_at(int cut) const {
    return values_[static_cast<size_t>(std::ranges::find(cuts_, cut) - cuts_.begin())];
  }

  /// Whether the value at a cut may lie in storage.
  bool can_store(int cut) const {
    const ValueId value = value_at(cut);
    return value.valid() && base_.value(value).memory == kArena && !flow_.is_output[value.index()];
  }

  Instances spilling(const std::vector<ValueId>& values) const {
    std::vector<Spill> spills;
    for (const ValueId value : values)
      spills.push_back(
          {.value = value, .fetched_for = {flow_.readers[value.index()]}, .axis_order = {}});
    return spills.empty() ? base_ : spill(base_, spills, kFirstFurtherMemory);
  }

  Part& part_of(int begin, int end) {
    std::vector<ValueId> values;
    for (const int cut : {begin, end}) {
      if (can_store(cut)) values.push_back(value_at(cut));
    }
    auto& part = parts_[{begin, end}];
    if (!part) part = std::make_unique<Part>(axes_, spilling(values), known_);
    return *part;
  }

  // --- instances of a part that stand for those of the order ---------------------------------

  static InstanceId same_as(const Instances& instances, const Instance& wanted,
                            const Instances& base) {
    for (size_t k = 0; k < instances.list.size(); ++k) {
      const Instance& each = instances.list[k];
      if (wanted.op.valid()
              ? each.op == wanted.op
              : !each.op.valid() &&
                    instances.value(each.makes).tensor == base.value(wanted.makes).tensor &&
                    instances.receives(each) == base.receives(wanted) &&
                    instances.delivers(each) == base.delivers(wanted) && !instances.stores(each) &&
                    !instances.fetches(each))
        return {static_cast<int32_t>(k)};
    }
    throw InternalError("an instance of an order is in no part of it");
  }

  static InstanceId copy_of(const Instances& instances, TensorId tensor, bool fetches) {
    for (size_t k = 0; k < instances.list.size(); ++k) {
      const Instance& each = instances.list[k];
      if (fetches ? instances.fetches(each) : instances.stores(each)) {
        if (instances.value(each.makes).tensor == tensor) return {static_cast<int32_t>(k)};
      }
    }
    throw InternalError("a value that is stored has no copy");
  }

  // --- members -------------------------------------------------------------------------------

  InstanceCall call_of(const Instances& instances, const StreamedPiece& piece, int position,
                       int loops) const {
    InstanceCall call{.instance = same_as(instances, at(position), base_)};
    const Constants& constants = piece.constants[static_cast<size_t>(position - piece.begin)];
    using enum Constants::How;
    if (constants.how == kInFlash) return call;
    call.constants = Brought{.from = kFirstFurtherMemory,
                             .kernel = constants.kernel,
                             .channels = constants.channels,
                             .records = constants.records,
                             .record_bytes = constants.record_bytes,
                             .depth = constants.how == kHeld    ? 0
                                      : constants.how == kAgain ? loops
                                                                : loops + 1,
                             .ahead = constants.how == kTiled,
                             .early = constants.early};
    return call;
  }

  Member member_of(const Dataflow& flow, const StreamedPiece& piece, int position,
                   int loops) const {
    const InstanceCall call = call_of(flow.instances, piece, position, loops);
    const Constants& constants = piece.constants[static_cast<size_t>(position - piece.begin)];
    if (constants.how != Constants::How::kTiled) return {call};
    const ValueId made = flow.instances.instance(call.instance).makes;
    const int channel = static_cast<int>(flow.shape(made).size()) - 1;
    return {Group{.loop = {.paced = made,
                           .axis = channel,
                           .step = constants.channels,
                           .border = Border::kSlice,
                           .others = {},
                           .alongside = {}},
                  .members = {{call}}}};
  }

  std::vector<Member> members_of(const Dataflow& flow, const StreamedPiece& piece) const {
    const Instances& instances = flow.instances;
    std::vector<Member> members;
    const auto copy = [&](int cut, bool fetches) {
      const TensorId tensor = base_.value(value_at(cut)).tensor;
      members.push_back({InstanceCall{.instance = copy_of(instances, tensor, fetches)}});
    };
    const int loops = piece.rows > 0 ? 1 : 0;
    if (piece.fetches) copy(piece.begin, true);
    if (piece.channels > 0) {
      members.push_back({channel_group(instances, piece)});
      if (piece.stores) copy(piece.end, false);
      return members;
    }
    for (int p = piece.begin; p < piece.end; ++p)
      members.push_back(member_of(flow, piece, p, loops));
    if (piece.stores) copy(piece.end, false);
    if (piece.rows == 0) return members;
    const InstanceId last = same_as(instances, at(piece.end - 1), base_);
    Group group{.loop = {.paced = instances.instance(last).makes,
                         .axis = kRows,
                         .step = piece.rows,
                         .border = Border::kRoll,
                         .others = {},
                         .alongside = {},
                         .transfers_beside = piece.beside},
                .members = std::move(members)};
    if (!piece.again.empty()) {
      const auto& fetch = std::get<InstanceCall>(group.members.front().what);
      group.loop.others.emplace_back(instances.instance(fetch.instance).makes, Border::kRecompute);
    }
    for (int p = piece.begin; p < piece.end; ++p) {
      if (piece.again.empty() || !piece.again[static_cast<size_t>(p - piece.begin)]) continue;
      const InstanceId made = same_as(instances, at(p), base_);
      group.loop.others.emplace_back(instances.instance(made).makes, Border::kSlice);
    }
    return {{std::move(group)}};
  }

  /// All instances of the piece in a loop over channels of the last value.
  Group channel_group(const Instances& instances, const StreamedPiece& piece) const {
    const InstanceId last = same_as(instances, at(piece.end - 1), base_);
    const ValueId made = instances.instance(last).makes;
    const Shape& shape = graph_.tensor(instances.value(made).tensor).shape;
    Group group{.loop = {.paced = made,
                         .axis = static_cast<int>(shape.size()) - 1,
                         .step = piece.channels,
                         .border = Border::kSlice,
                         .others = {},
                         .alongside = {}},
                .members = {}};
    for (int p = piece.begin; p < piece.end; ++p)
      group.members.push_back({call_of(instances, piece, p, 0)});
    return group;
  }

  // --- pieces --------------------------------------------------------------------------------

  static constexpr int kRows = 1;

  void add_pieces(int begin, int end) {
    for (const bool fetches : {false, true}) {
      for (const bool stores : {false, true}) {
        if ((fetches && !can_store(begin)) || (stores && !can_store(end))) continue;
        StreamedPiece piece{
            .begin = begin, .end = end, .fetches = fetches, .stores = stores, .constants = {}};
        if (next_cut(begin) == end) {
          for (const int64_t target : kRecordTargets) add_whole(piece, target);
        }
        for (const int64_t target : kRecordTargets) add_in_channels(piece, target);
        const Shape& last = flow_.shape(at(end - 1).makes);
        if (last.size() < 3 || last[kRows] < 2) continue;
        for (const bool beside : {false, true}) {
          piece.beside = beside;
          if (beside && !(fetches || stores)) continue;
          piece.again.clear();
          for (const int64_t rows : band_rows(last[kRows])) {
            piece.rows = rows;
            if (add_targets(piece)) continue;
            if (!fetches || !piece.again.empty()) break;
            piece.again = leave_nothing(piece);
            if (piece.again.empty() || !add_targets(piece)) break;
          }
        }
      }
    }
  }

  /// Per position, whether what it makes leaves nothing for the next band.
  std::vector<bool> leave_nothing(const StreamedPiece& piece) {
    const std::optional<Rolled> rolled = rolled_of(piece);
    if (!rolled) return {};
    std::vector<bool> result;
    for (int p = piece.begin; p < piece.end; ++p) {
      const auto call = static_cast<size_t>(p - piece.begin + (piece.fetches ? 1 : 0));
      const TiledCall* tiled = rolled->derived.tiled(0, call);
      result.push_back(tiled != nullptr && !tiled->reduces && tiled->held > 0 &&
                       tiled->held * tiled->beat.tiles <= tiled->beat.rows);
    }
    return result;
  }

  /// With records of some sizes. Whether that is all there is to try with so many rows: one fits,
  /// or the values cannot be cut so.
  bool add_targets(const StreamedPiece& piece) {
    const std::optional<Rolled> rolled = rolled_of(piece);
    int fit = 0;
    for (const int64_t target : kRecordTargets) {
      if (rolled && fit < kMostTargets) fit += add_rolled(piece, *rolled, target) ? 1 : 0;
    }
    return !rolled || fit > 0;
  }

  /// A layer as SwapNN has it: what it reads and makes goes through storage, as many rows at a time
  /// as each buffer holds, and its weights come by the buffer, again for each of these tiles.
  void add_layer(int begin, int end) {
    StreamedPiece piece{.begin = begin,
                        .end = end,
                        .fetches = can_store(begin),
                        .stores = can_store(end),
                        .constants = {}};
    const Shape& last = flow_.shape(at(end - 1).makes);
    const bool has_bands = last.size() >= 3 && last[kRows] > 1;
    for (int64_t rows = has_bands ? last[kRows] : 0; rows >= 1; --rows) {
      piece.rows = ceil_div(last[kRows], ceil_div(last[kRows], rows));
      if (piece.rows != rows && rows != 1) continue;
      if (rows > 1 && !fits_buffers(piece)) continue;
      const size_t before = pieces_.size();
      if (const auto rolled = rolled_of(piece)) add_rolled(piece, *rolled, *options_.buffer_bytes);
      if (pieces_.size() > before) return;
    }
    piece.rows = 0;
    add_whole(piece, *options_.buffer_bytes);
  }

  /// Whether each of the values of a band fits a buffer.
  bool fits_buffers(StreamedPiece piece) {
    Part& part = part_of(piece.begin, piece.end);
    piece.constants.assign(static_cast<size_t>(piece.end - piece.begin), {});
    const std::vector<Member> members = members_of(part.flow, piece);
    const std::optional<Derived> derived =
        derive(part.flow, std::get<Group>(members[0].what), Regions::kNone);
    return derived && !derived->flat &&
           std::ranges::all_of(derived->storages, [&](const Storage& storage) {
             return storage.buffer.size_bytes() <= *options_.buffer_bytes;
           });
  }

  /// Every number of rows up to a few, then those that divide the image into one band less.
  static std::vector<int64_t> band_rows(int64_t all) {
    constexpr int64_t kEach = 8;
    std::set<int64_t> rows;
    for (int64_t r = 1; r <= std::min(all, kEach); ++r)
      rows.insert(ceil_div(all, ceil_div(all, r)));
    for (int64_t bands = all / kEach; bands >= 1; --bands) rows.insert(ceil_div(all, bands));
    return {rows.begin(), rows.end()};
  }

  int next_cut(int cut) const { return *std::ranges::upper_bound(cuts_, cut); }

  /// Live beside the piece: what it finds and what it leaves.
  int64_t around(const StreamedPiece& piece) const {
    int64_t sum = bytes_.held(piece.begin);
    if (piece.fetches) sum -= bytes_.size(value_at(piece.begin));
    const ValueId behind = value_at(piece.end);
    if (!piece.stores && behind.valid()) sum += bytes_.size(behind);
    if (piece.end == static_cast<int>(order_.size())) {
      for (const ValueId out : base_.outputs) sum += bytes_.size(out);
    }
    return sum;
  }

  double transfer_cycles(int64_t bytes, int64_t transfers, bool writes) const {
    const TransferCycles& cycles = limits_.storage_cycles;
    return static_cast<double>(transfers) * cycles.access +
           static_cast<double>(bytes) * (writes ? cycles.write_byte : cycles.read_byte);
  }

  /// Bytes and transfers of a value that goes to storage or comes back.
  std::pair<int64_t, int64_t> stored_value(int cut) const {
    Value value = base_.value(value_at(cut));
    value.memory = kFirstFurtherMemory;
    const RecordForm form = record_form(whole_buffer(graph_, value), storage_.write_bytes);
    return {form.stored_bytes(), form.count};
  }

  /// The kernel whose constants can come in records with which the call takes least, its reading
  /// once included: beside what it computes if they are tiled. Nothing: none takes constants.
  std::optional<KernelTime> kernel_for(OpId op, const KernelTimes& times, bool tiled) {
    std::optional<KernelTime> best;
    double least = 0;
    const std::vector<KernelUse>& uses = axes_.kernel_uses().uses_of(op, Method::kCompute);
    if (uses.size() != 1) return std::nullopt;
    for (const KernelTime& time : times) {
      KernelTime each = time;
      each.kernel = chosen(time.kernel, uses[0]);
      const std::vector<PackedSize>& sizes = forms_.sizes(op, each.kernel);
      if (sizes.empty() || (tiled && record_grain(sizes) == 0)) continue;
      const auto bytes = static_cast<double>(forms_.bytes(op, each.kernel));
      const double reads = bytes * limits_.storage_cycles.read_byte;
      const double takes =
          (tiled ? std::max(each.instructions, reads) : each.instructions + reads) +
          bytes * options_.cycles_per_byte;
      if (best && takes >= least) continue;
      best = each;
      least = takes;
    }
    return best;
  }

  Constants constants_of(OpId op, const KernelTime& kernel, Constants::How how,
                         int64_t record_target = 0) {
    const int64_t all = packed_channels(graph_, graph_.op(op));
    Constants result{.how = how, .kernel = kernel.kernel, .channels = all};
    if (how == Constants::How::kTiled) {
      const int64_t grain = record_grain(forms_.sizes(op, kernel.kernel));
      const int64_t bytes = std::max<int64_t>(forms_.bytes(op, kernel.kernel), 1);
      const int64_t wanted = all * record_target / bytes;
      result.channels = std::clamp(wanted / grain * grain, grain, std::max(all, grain));
      // Records alike: the last one is no smaller than it need be.
      const int64_t count = ceil_div(all, result.channels);
      result.channels = ceil_div(ceil_div(all, count), grain) * grain;
      if (result.channels >= all) {
        result.channels = all;
        result.how = Constants::How::kAgain;
      }
    }
    const PackedRecords records{op, kernel.kernel, result.channels};
    const RecordLayout layout = *forms_.layout(records);
    result.records = layout.count;
    result.record_bytes = layout.record_bytes;
    result.all_bytes = layout.count * layout.record_bytes;
    return result;
  }

  bool brings(OpId op) const { return op.valid() && options_.weight_bytes && !kept_.contains(op); }

  /// How many reads may begin before what is in front of a member, beside others.
  int reads_early(int in_flight) const {
    return limits_.storage_cycles.beside ? std::max(storage_.most_in_flight - in_flight, 0) : 0;
  }

  /// What may be read before the piece: of these the largest, as many as may be in flight.
  StreamedPiece::Head head_of(const StreamedPiece& piece, std::vector<size_t> positions) const {
    const auto first = [&](size_t position) { return piece.constants[position].first_bytes(); };
    std::erase_if(positions, [&](size_t position) { return first(position) == 0; });
    std::ranges::stable_sort(positions, std::ranges::greater{}, first);
    const auto most = static_cast<size_t>(reads_early(1));
    if (positions.size() > most) positions.resize(most);
    StreamedPiece::Head head{.positions = std::move(positions)};
    for (const size_t position : head.positions) {
      const Constants& constants = piece.constants[position];
      head.bytes += constants.first_bytes();
      head.cycles += first_reading_cycles(constants);
    }
    return head;
  }

  /// As much as there is, at most so much.
  static double taken_from(double& spare, double most) {
    const double taken = std::min(spare, most);
    spare -= taken;
    return taken;
  }

  /// Each instance by itself.
  bool add_whole(StreamedPiece piece, int64_t record_target) {
    StreamedPiece::Tail front;
    for (int p = piece.begin; p < piece.end; ++p) {
      if (base_.receives(at(p)) || base_.delivers(at(p))) return true;
      const OpId op = at(p).op;
      const KernelTimes& times = known_.whole_times({.instance = {order_[static_cast<size_t>(p)]}});
      Constants constants;
      double computes = times.back().instructions;
      const auto brought = [&](bool tiled) {
        return brings(op) ? kernel_for(op, times, tiled) : std::nullopt;
      };
      if (const auto kernel = brought(true)) {
        computes = kernel->instructions;
        constants = constants_of(op, *kernel, Constants::How::kTiled, record_target);
      } else if (const auto whole = brought(false)) {
        computes = whole->instructions;
        constants = constants_of(op, *whole, Constants::How::kHeld);
      }
      if (constants.how == Constants::How::kAgain) constants.how = Constants::How::kHeld;
      const double reads = reading_cycles(constants, 1);
      const bool tiles = constants.how == Constants::How::kTiled;
      const int64_t first = constants.first_bytes();
      const double beside = tiles ? reads - first_reading_cycles(constants) : 0;
      piece.cycles += std::max(computes, beside) + first_reading_cycles(constants);
      piece.moved += constants.all_bytes;
      constants.early = p > piece.begin && first > 0 && front.spare > 0 &&
                        reads_early(front.in_flight) > 0 &&
                        front.bytes + first <= *limits_.sram_bytes;
      if (constants.early) {
        piece.cycles -= std::min(first_reading_cycles(constants), front.spare);
        piece.bytes = std::max(piece.bytes, front.bytes + first);
      }
      front = {.bytes = apart_[static_cast<size_t>(p)] + constants.held_bytes(),
               .spare = std::max(computes - beside, 0.0) /
                        static_cast<double>(tiles ? constants.records : 1),
               .in_flight = tiles ? 1 : 0};
      piece.bytes = std::max(piece.bytes, front.bytes);
      piece.constants.push_back(constants);
    }
    if (!piece.fetches) piece.head = head_of(piece, {0});
    if (!piece.stores) piece.tail = front;
    const Copied copies = copied(piece);
    piece.cycles += copies.all();
    return keep(std::move(piece));
  }

  /// A convolution and what follows each of its channels by itself, so that no more than a few of
  /// its channels are there at a time.
  bool add_in_channels(StreamedPiece piece, int64_t record_target) {
    const OpId first = at(piece.begin).op;
    if (piece.end - piece.begin < 2 || !brings(first)) return true;
    for (int p = piece.begin; p < piece.end; ++p) {
      if (!at(p).op.valid()) return true;
    }
    const KernelTimes& alone =
        known_.whole_times({.instance = {order_[static_cast<size_t>(piece.begin)]}});
    const std::optional<KernelTime> kernel = kernel_for(first, alone, true);
    if (!kernel) return true;
    Constants tiled = constants_of(first, *kernel, Constants::How::kTiled, record_target);
    if (tiled.how != Constants::How::kTiled) return true;
    Part& part = part_of(piece.begin, piece.end);
    piece.channels = tiled.channels;
    piece.constants.assign(static_cast<size_t>(piece.end - piece.begin), {});
    const std::optional<Derived> derived = derive(part.flow, channel_group(part.instances, piece));
    if (!derived || derived->flat || derived->loops[0].clock.tiles != tiled.records) return true;
    const IndexExpr& channel = derived->steps[0].region.back().begin;
    if (channel.terms.size() != 1 || channel.terms[0].coefficient != tiled.channels ||
        channel.base != 0)
      return true;
    piece.constants[0] = tiled;
    std::vector<int64_t> live = inner_bytes(part.flow, *derived);
    const std::vector<const KernelTimes*> times = part.latency.call_times(*derived);
    double computes = kernel->instructions, waits = first_reading_cycles(tiled);
    std::vector<size_t> heads{0};
    int64_t stays = tiled.held_bytes();
    for (size_t s = 0; s < derived->steps.size(); ++s) {
      const DerivedStep& step = derived->steps[s];
      if (step.kind != DerivedStep::Kind::kCall) return true;
      live[s] += part.flow.scratch_bytes(step.call);
      if (s == 0) continue;
      const OpId op = part.instances.instance(step.call.instance).op;
      const auto whole = brings(op) ? kernel_for(op, *times[s], false) : std::nullopt;
      computes += whole ? whole->instructions : times[s]->back().instructions;
      if (!whole) continue;
      Constants& held = piece.constants[s];
      held = constants_of(op, *whole, Constants::How::kHeld);
      stays += held.held_bytes();
      heads.push_back(s);
      waits += reading_cycles(held, 1);
      piece.moved += held.all_bytes;
    }
    int64_t around = bytes_.held(piece.begin);
    const InstanceId last{order_[static_cast<size_t>(piece.end - 1)]};
    around += bytes_.size(base_.instance(last).makes);
    piece.bytes = around + stays + std::ranges::max(live);
    piece.moved += tiled.all_bytes;
    const double beside = reading_cycles(tiled, 1) - first_reading_cycles(tiled);
    piece.cycles = std::max(computes, beside) + waits;
    if (!piece.fetches) piece.head = head_of(piece, std::move(heads));
    const double left = std::max(computes - beside, 0.0) / static_cast<double>(tiled.records);
    if (!piece.stores) piece.tail = {.bytes = piece.bytes, .spare = left, .in_flight = 1};
    const Copied copies = copied(piece);
    piece.cycles += copies.all();
    return keep(std::move(piece));
  }

  /// Cycles of its values that come from storage or go there, which count among what it moves.
  struct Copied {
    double fetched = 0, stored = 0, erased = 0;
    [[nodiscard]] double all() const { return fetched + stored + erased; }
  };
  /// fetches: how often each row comes, on average.
  Copied copied(StreamedPiece& piece, double fetches = 1) const {
    Copied cycles;
    if (piece.fetches) {
      const auto [bytes, transfers] = stored_value(piece.begin);
      piece.moved += static_cast<int64_t>(static_cast<double>(bytes) * fetches);
      cycles.fetched = transfer_cycles(bytes, transfers, false) * fetches;
    }
    if (piece.stores) {
      const auto [bytes, transfers] = stored_value(piece.end);
      piece.moved += bytes;
      cycles.stored = transfer_cycles(bytes, transfers, true);
      if (storage_.erase_bytes > 0)
        cycles.erased = static_cast<double>(ceil_div(bytes, storage_.erase_bytes)) *
                        limits_.storage_cycles.erase_block;
    }
    return cycles;
  }

  double reading_cycles(const Constants& constants, int64_t times) const {
    if (constants.how == Constants::How::kInFlash) return 0;
    return static_cast<double>(times) *
           transfer_cycles(constants.all_bytes, constants.records, false);
  }
  /// Of what is waited for before the first call.
  double first_reading_cycles(const Constants& constants) const {
    return constants.how == Constants::How::kInFlash
               ? 0
               : transfer_cycles(constants.record_bytes, 1, false);
  }

  /// The piece as a loop over bands, whatever its records are.
  struct Rolled {
    /// What brings its constants; kernels: in records, where it can, and all at once.
    struct Bringing {
      size_t number = 0, step = 0;
      OpId op;
      std::optional<KernelTime> tiled;
      KernelTime whole;
    };
    Derived derived;
    std::vector<int64_t> live;      ///< bytes per step, with scratch
    std::vector<double> computing;  ///< cycles per step
    std::vector<Bringing> bringing;
  };
  /// Nothing if the values cannot be cut so.
  std::optional<Rolled> rolled_of(StreamedPiece piece) {
    Part& part = part_of(piece.begin, piece.end);
    piece.constants.assign(static_cast<size_t>(piece.end - piece.begin), {});
    const std::vector<Member> members = members_of(part.flow, piece);
    std::optional<Derived> derived =
        derive(part.flow, std::get<Group>(members[0].what), Regions::kAll);
    if (!derived || derived->flat) return std::nullopt;
    Rolled result{.derived = *std::move(derived), .live = {}, .computing = {}, .bringing = {}};
    result.live = inner_bytes(part.flow, result.derived);
    result.computing.assign(result.live.size(), 0);
    const std::vector<const KernelTimes*> times = part.latency.call_times(result.derived);
    size_t number = 0;
    for (size_t s = 0; s < result.derived.steps.size(); ++s) {
      const DerivedStep& step = result.derived.steps[s];
      if (step.kind != DerivedStep::Kind::kCall) {
        result.computing[s] = times[s]->back().instructions;
        continue;
      }
      const Instance& instance = part.instances.instance(step.call.instance);
      if (part.instances.stores(instance) || part.instances.fetches(instance)) continue;
      result.live[s] += part.flow.scratch_bytes(step.call);
      std::optional<KernelTime> whole;
      if (brings(instance.op)) whole = kernel_for(instance.op, *times[s], false);
      result.computing[s] = whole ? whole->instructions : times[s]->back().instructions;
      if (whole)
        result.bringing.push_back(
            {number, s, instance.op, kernel_for(instance.op, *times[s], true), *whole});
      ++number;
    }
    return result;
  }

  /// Whether it fits with records of that size.
  bool add_rolled(StreamedPiece piece, const Rolled& rolled, int64_t record_target) {
    Part& part = part_of(piece.begin, piece.end);
    piece.constants.assign(static_cast<size_t>(piece.end - piece.begin), {});
    const Derived& derived = rolled.derived;
    const std::vector<int64_t>& live = rolled.live;
    const std::vector<double>& computing = rolled.computing;
    const int64_t tiles = derived.loops[0].clock.tiles;
    const int64_t outside = around(piece);
    struct Bringing {
      size_t number = 0, step = 0;
      Constants tiled, whole;
    };
    std::vector<Bringing> bringing;
    for (const Rolled::Bringing& of : rolled.bringing) {
      using enum Constants::How;
      Bringing each{.number = of.number,
                    .step = of.step,
                    .tiled = {},
                    .whole = constants_of(of.op, of.whole, kAgain)};
      each.tiled = of.tiled ? constants_of(of.op, *of.tiled, kTiled, record_target) : each.whole;
      bringing.push_back(each);
    }
    // Least room first: tile by tile, or all of it again in each tile. Then what fits stays.
    std::vector<int64_t> own(live.size(), 0);
    for (const Bringing& each : bringing) {
      const bool smaller = each.whole.held_bytes() <= each.tiled.held_bytes();
      Constants& constants = piece.constants[each.number];
      constants = smaller ? each.whole : each.tiled;
      own[each.step] = constants.held_bytes();
    }
    int64_t stays = 0;
    const auto peak = [&] {
      int64_t most = 0;
      for (size_t s = 0; s < live.size(); ++s) most = std::max(most, live[s] + own[s]);
      return outside + stays + most;
    };
    if (peak() > *limits_.sram_bytes) return false;
    std::ranges::stable_sort(bringing, std::ranges::greater{},
                             [](const Bringing& each) { return each.whole.all_bytes; });
    for (const Bringing& each : bringing) {
      if (options_.buffer_bytes) break;  // read again for every tile
      const int64_t before = own[each.step];
      own[each.step] = 0;
      stays += each.whole.record_bytes;
      if (peak() <= *limits_.sram_bytes) {
        piece.constants[each.number] = each.whole;
        piece.constants[each.number].how = Constants::How::kHeld;
      } else {
        stays -= each.whole.record_bytes;
        own[each.step] = before;
      }
    }
    const bool beside = piece.beside && limits_.storage_cycles.beside && tiles > 1;
    const int copying =
        beside ? (piece.fetches && piece.again.empty() ? 1 : 0) + (piece.stores ? 1 : 0) : 0;
    // Cycles of each step beside which the storage does nothing yet. A ring of records is one
    // ahead: it makes up for what comes between by no more than that one.
    std::vector<double> spare = computing;
    double waits = 0;
    std::vector<size_t> held;
    bool tiled = false, early = false;
    std::ranges::sort(bringing, {}, &Bringing::step);
    for (const Bringing& each : bringing) {
      Constants& constants = piece.constants[each.number];
      const ValueId made = part.instances.instance(derived.steps[each.step].call.instance).makes;
      const Shape& extents = part.flow.shape(made);
      const ComputingTiles computes_in =
          computing_tiles(derived, derived.steps[each.step].region, extents, 1);
      const int64_t again = computes_in.loop < 0 ? tiles : computes_in.tiles.size();
      constants.reads = constants.how == Constants::How::kHeld ? 1 : again;
      const auto reads = static_cast<double>(constants.reads);
      piece.moved += constants.all_bytes * constants.reads;
      const double first = reads * first_reading_cycles(constants);
      if (constants.how == Constants::How::kTiled) {
        const double reading = reading_cycles(constants, constants.reads) - first;
        const double wait =
            wait_beside(tile_shares(derived, each.step, extents), computing[each.step], reading);
        waits += wait;
        spare[each.step] = std::max(computing[each.step] + wait - reading, 0.0) /
                           static_cast<double>(constants.records);
        tiled = true;
      }
      if (constants.how == Constants::How::kHeld) held.push_back(each.number);
      // The first one while what is in front in the band is.
      if (constants.reads > 1 && each.step > 0 && computing[each.step - 1] > 0 &&
          reads_early(copying + 1) > 0) {
        own[each.step - 1] += constants.record_bytes;
        constants.early = peak() <= *limits_.sram_bytes;
        if (!constants.early) own[each.step - 1] -= constants.record_bytes;
      }
      early |= constants.early;
      waits += first;
      if (constants.early) waits -= taken_from(spare[each.step - 1], first);
    }
    piece.bytes = peak();
    const Copied copies = copied(
        piece,
        !piece.again.empty() ? times_made(derived, 0, part.flow.shape(value_at(piece.begin))) : 1);
    double left = std::accumulate(spare.begin(), spare.end(), 0.0);
    // Of what goes on beside, the first band or the last is waited for.
    waits += copies.all();
    const double goes_on = copies.stored + (piece.again.empty() ? copies.fetched : 0);
    if (beside) waits -= taken_from(left, goes_on - goes_on / static_cast<double>(tiles));
    piece.cycles = std::accumulate(computing.begin(), computing.end(), waits);
    piece.head = head_of(piece, std::move(held));
    const bool moves = tiled || beside;  // in each band: the first one is what others go beside
    piece.tail = {.bytes = piece.bytes,
                  .spare = moves ? left / static_cast<double>(tiles) : left,
                  .in_flight = copying + (tiled ? 1 : 0) + (early ? 1 : 0)};
    return keep(std::move(piece));
  }

  bool keep(StreamedPiece piece) {
    if (piece.bytes > *limits_.sram_bytes) return false;
    pieces_.push_back(std::move(piece));
    return true;
  }

  Decision plan_of(const std::vector<StreamedPiece>& path) const {
    std::vector<ValueId> stored;
    for (const StreamedPiece& piece : path) {
      if (piece.stores) stored.push_back(value_at(piece.end));
    }
    Decision result{.plan = {.instances = spilling(stored)}, .notes = {}};
    const Dataflow flow(axes_, result.plan.instances);
    for (const StreamedPiece& piece : path)
      std::ranges::move(members_of(flow, piece), std::back_inserter(result.plan.members));
    result.plan.memories.push_back(*limits_.storage);
    if (!stored.empty())
      result.notes.emplace_back(spilled(graph_, result.plan.instances, limits_.storage->name));
    return result;
  }

  const Graph& graph_;
  const AxisGraph& axes_;
  const Limits& limits_;
  const OutOfCoreOptions options_;
  const BlockStorage storage_;
  const Instances base_;
  const Dataflow flow_;
  const OrderProblem problem_;
  const std::vector<int> order_;
  const OrderBytes bytes_;
  const std::vector<int64_t> apart_;
  const LatencyModel model_;
  LatencyEstimate known_;
  PackedForms forms_;
  std::set<OpId> kept_;  ///< whose constants stay in flash
  std::vector<int> cuts_;
  std::vector<ValueId> values_;  ///< per cut
  std::map<std::pair<int, int>, std::unique_ptr<Part>> parts_;
  std::vector<StreamedPiece> pieces_;
};

}  // namespace

std::optional<Decision> out_of_core(const Graph& graph, const Limits& limits,
                                    const OutOfCoreOptions& options) {
  const AxisGraph axes(graph);
  return OutOfCore(axes, limits, options).decided();
}

}  // namespace thimble
