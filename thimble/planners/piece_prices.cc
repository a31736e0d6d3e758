// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/piece_prices.h"

#include <algorithm>
#include <numeric>

#include "thimble/model/division.h"
#include "thimble/plan/derive.h"
#include "thimble/plan/evaluate.h"
#include "thimble/plan/tile_shares.h"
#include "thimble/plan/transfer_wait.h"
#include "thimble/planners/piece_members.h"
#include "thimble/schedule/records.h"

namespace thimble {
/// A part of the order with its copies, on its own.
struct PiecePrices::Part {
  Part(const AxisGraph& axes, Instances some, const LatencyEstimate& known)
      : instances(std::move(some)), flow(axes, instances), latency(flow, known) {}
  Instances instances;
  Dataflow flow;
  LatencyEstimate latency;
};

/// Cycles of its values that come from storage or go there, which count among what it moves.
struct PiecePrices::Copied {
  double fetched = 0, stored = 0, erased = 0;
  [[nodiscard]] double all() const { return fetched + stored + erased; }
};
PiecePrices::PiecePrices(const CutOrder& order, const Limits& limits, const PriceOptions& options)
    : order_(order),
      limits_(limits),
      options_(options),
      storage_(*limits.storage->storage),
      apart_(working_sets(order.problem, order.order)),
      model_(latency_model_for(limits.core)),
      known_(order.flow, limits.core, model_),
      forms_(order.graph) {}
PiecePrices::~PiecePrices() = default;

const KernelTimes& PiecePrices::whole_times(int position) {
  return known_.whole_times({.instance = {order_.order[static_cast<size_t>(position)]}});
}

PiecePrices::Part& PiecePrices::part_of(int begin, int end) {
  std::vector<ValueId> values;
  for (const int cut : {begin, end}) {
    if (order_.can_store(cut)) values.push_back(order_.value_at(cut));
  }
  auto& part = parts_[{begin, end}];
  if (!part) part = std::make_unique<Part>(order_.axes, order_.spilling(values), known_);
  return *part;
}

double PiecePrices::transfer_cycles(int64_t bytes, int64_t transfers, bool writes) const {
  const TransferCycles& cycles = limits_.storage_cycles;
  return static_cast<double>(transfers) * cycles.access +
         static_cast<double>(bytes) * (writes ? cycles.write_byte : cycles.read_byte);
}

/// Bytes and transfers of a value that goes to storage or comes back.
std::pair<int64_t, int64_t> PiecePrices::stored_value(int cut) const {
  Value value = order_.base.value(order_.value_at(cut));
  value.memory = kFirstFurtherMemory;
  const RecordForm form = record_form(whole_buffer(order_.graph, value), storage_.write_bytes);
  return {form.stored_bytes(), form.count};
}

/// The kernel whose constants can come in records with which the call takes least, its reading so
/// often included: beside what it computes if they are tiled. Nothing: none takes constants.
std::optional<KernelTime> PiecePrices::kernel_for(OpId op, const KernelTimes& times, bool tiled,
                                                  int64_t often) {
  std::optional<KernelTime> best;
  double least = 0;
  const std::vector<KernelUse>& uses = order_.axes.kernel_uses().uses_of(op, Method::kCompute);
  if (uses.size() != 1) return std::nullopt;
  for (const KernelTime& time : times) {
    KernelTime each = time;
    each.kernel = chosen(time.kernel, uses[0]);
    const std::vector<PackedSize>& sizes = forms_.sizes(op, each.kernel);
    if (sizes.empty() || (tiled && record_grain(sizes) == 0)) continue;
    const auto bytes = static_cast<double>(forms_.bytes(op, each.kernel) * often);
    const double reads = bytes * limits_.storage_cycles.read_byte;
    const double takes = (tiled ? std::max(each.instructions, reads) : each.instructions + reads) +
                         bytes * options_.cycles_per_byte;
    if (best && takes >= least) continue;
    best = each;
    least = takes;
  }
  return best;
}

StreamedConstants PiecePrices::constants_of(OpId op, const KernelTime& kernel,
                                            StreamedConstants::How how, int64_t record_target) {
  const int64_t all = packed_channels(order_.graph, order_.graph.op(op));
  StreamedConstants result{.how = how, .kernel = kernel.kernel, .channels = all};
  if (how == StreamedConstants::How::kTiled) {
    const int64_t grain = record_grain(forms_.sizes(op, kernel.kernel));
    const int64_t bytes = std::max<int64_t>(forms_.bytes(op, kernel.kernel), 1);
    const int64_t wanted = all * record_target / bytes;
    result.channels = std::clamp(wanted / grain * grain, grain, std::max(all, grain));
    // Records alike: the last one is no smaller than it need be.
    const int64_t count = ceil_div(all, result.channels);
    result.channels = ceil_div(ceil_div(all, count), grain) * grain;
    if (result.channels >= all) {
      result.channels = all;
      result.how = StreamedConstants::How::kAgain;
    }
  }
  const PackedRecords records{op, kernel.kernel, result.channels};
  const RecordLayout layout = *forms_.layout(records);
  result.records = layout.count;
  result.record_bytes = layout.record_bytes;
  result.all_bytes = layout.count * layout.record_bytes;
  return result;
}

bool PiecePrices::brings(OpId op) const {
  return op.valid() && options_.brings_weights && !kept_.contains(op);
}

int PiecePrices::reads_early(int in_flight) const {
  return limits_.storage_cycles.beside ? std::max(storage_.most_in_flight - in_flight, 0) : 0;
}

/// What may be read before the piece: of these the largest, as many as may be in flight.
StreamedPiece::Head PiecePrices::head_of(const StreamedPiece& piece,
                                         std::vector<size_t> positions) const {
  const auto first = [&](size_t position) { return piece.constants[position].first_bytes(); };
  std::erase_if(positions, [&](size_t position) { return first(position) == 0; });
  std::ranges::stable_sort(positions, std::ranges::greater{}, first);
  const auto most = static_cast<size_t>(reads_early(1));
  if (positions.size() > most) positions.resize(most);
  StreamedPiece::Head head{.positions = std::move(positions)};
  for (const size_t position : head.positions) {
    const StreamedConstants& constants = piece.constants[position];
    head.bytes += constants.held_bytes();
    head.cycles += first_reading_cycles(constants);
  }
  return head;
}

/// fetches: how often each row comes, on average.
PiecePrices::Copied PiecePrices::copied(StreamedPiece& piece, double fetches) const {
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

double PiecePrices::reading_cycles(const StreamedConstants& constants, int64_t times) const {
  if (constants.how == StreamedConstants::How::kInFlash) return 0;
  return static_cast<double>(times) *
         transfer_cycles(constants.all_bytes, constants.records, false);
}
/// The first record is waited for before the first call: cycles of its reading.
double PiecePrices::first_reading_cycles(const StreamedConstants& constants) const {
  return constants.how == StreamedConstants::How::kInFlash
             ? 0
             : transfer_cycles(constants.record_bytes, 1, false);
}

std::optional<StreamedPiece> PiecePrices::whole(StreamedPiece piece, int64_t record_target) {
  StreamedPiece::Tail front;
  for (int p = piece.begin; p < piece.end; ++p) {
    if (order_.base.receives(order_.at(p)) || order_.base.delivers(order_.at(p)))
      return std::nullopt;
    const OpId op = order_.at(p).op;
    const KernelTimes& times = whole_times(p);
    StreamedConstants constants;
    double computes = times.back().instructions;
    const auto brought = [&](bool tiled) {
      return brings(op) ? kernel_for(op, times, tiled) : std::nullopt;
    };
    if (const auto kernel = brought(true)) {
      computes = kernel->instructions;
      constants = constants_of(op, *kernel, StreamedConstants::How::kTiled, record_target);
    } else if (const auto whole = brought(false)) {
      computes = whole->instructions;
      constants = constants_of(op, *whole, StreamedConstants::How::kHeld);
    }
    if (constants.how == StreamedConstants::How::kAgain)
      constants.how = StreamedConstants::How::kHeld;
    const double reads = reading_cycles(constants, 1);
    const bool tiles = constants.how == StreamedConstants::How::kTiled;
    const int64_t first = constants.first_bytes();
    const double beside = tiles ? reads - first_reading_cycles(constants) : 0;
    piece.cycles += std::max(computes, beside) + first_reading_cycles(constants);
    piece.moved += constants.all_bytes;
    constants.early = p > piece.begin && first > 0 && front.spare > 0 &&
                      reads_early(front.in_flight) > 0 &&
                      front.bytes + constants.held_bytes() <= *limits_.sram_bytes;
    if (constants.early) {
      piece.cycles -= std::min(first_reading_cycles(constants), front.spare);
      piece.bytes = std::max(piece.bytes, front.bytes + constants.held_bytes());
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
  return within(std::move(piece));
}

std::optional<StreamedPiece> PiecePrices::in_channels(StreamedPiece piece, int64_t record_target) {
  const OpId first = order_.at(piece.begin).op;
  if (piece.end - piece.begin < 2 || !brings(first)) return std::nullopt;
  for (int p = piece.begin; p < piece.end; ++p) {
    if (!order_.at(p).op.valid()) return std::nullopt;
  }
  const KernelTimes& alone = whole_times(piece.begin);
  const std::optional<KernelTime> kernel = kernel_for(first, alone, true);
  if (!kernel) return std::nullopt;
  StreamedConstants tiled =
      constants_of(first, *kernel, StreamedConstants::How::kTiled, record_target);
  if (tiled.how != StreamedConstants::How::kTiled) return std::nullopt;
  Part& part = part_of(piece.begin, piece.end);
  piece.channels = tiled.channels;
  piece.constants.assign(static_cast<size_t>(piece.end - piece.begin), {});
  const std::optional<Derived> derived =
      derive(part.flow, channel_group(order_, part.instances, piece));
  if (!derived || derived->flat || derived->loops[0].clock.tiles != tiled.records)
    return std::nullopt;
  const IndexExpr& channel = derived->steps[0].region.back().begin;
  if (channel.terms.size() != 1 || channel.terms[0].coefficient != tiled.channels ||
      channel.base != 0)
    return std::nullopt;
  piece.constants[0] = tiled;
  std::vector<int64_t> live = inner_bytes(part.flow, *derived);
  const std::vector<const KernelTimes*> times = part.latency.call_times(*derived);
  double computes = kernel->instructions, waits = first_reading_cycles(tiled);
  std::vector<size_t> heads{0};
  int64_t stays = tiled.held_bytes();
  for (size_t s = 0; s < derived->steps.size(); ++s) {
    const DerivedStep& step = derived->steps[s];
    if (step.kind != DerivedStep::Kind::kCall) return std::nullopt;
    live[s] += part.flow.scratch_bytes(step.call);
    if (s == 0) continue;
    const OpId op = part.instances.instance(step.call.instance).op;
    const auto whole = brings(op) ? kernel_for(op, *times[s], false) : std::nullopt;
    computes += whole ? whole->instructions : times[s]->back().instructions;
    if (!whole) continue;
    StreamedConstants& held = piece.constants[s];
    held = constants_of(op, *whole, StreamedConstants::How::kHeld);
    stays += held.held_bytes();
    heads.push_back(s);
    waits += reading_cycles(held, 1);
    piece.moved += held.all_bytes;
  }
  int64_t around = order_.bytes.held(piece.begin);
  const InstanceId last{order_.order[static_cast<size_t>(piece.end - 1)]};
  around += order_.bytes.size(order_.base.instance(last).makes);
  piece.bytes = around + stays + std::ranges::max(live);
  piece.moved += tiled.all_bytes;
  const double beside = reading_cycles(tiled, 1) - first_reading_cycles(tiled);
  piece.cycles = std::max(computes, beside) + waits;
  if (!piece.fetches) piece.head = head_of(piece, std::move(heads));
  const double left = std::max(computes - beside, 0.0) / static_cast<double>(tiled.records);
  if (!piece.stores) piece.tail = {.bytes = piece.bytes, .spare = left, .in_flight = 1};
  const Copied copies = copied(piece);
  piece.cycles += copies.all();
  return within(std::move(piece));
}

std::optional<PieceBands> PiecePrices::bands(StreamedPiece piece) {
  Part& part = part_of(piece.begin, piece.end);
  piece.constants.assign(static_cast<size_t>(piece.end - piece.begin), {});
  const std::vector<Member> members = members_of(order_, part.flow, piece);
  std::optional<Derived> derived =
      derive(part.flow, std::get<Group>(members[0].what), Regions::kAll);
  if (!derived || derived->flat) return std::nullopt;
  PieceBands result{.derived = *std::move(derived), .live = {}, .computing = {}, .bringing = {}};
  result.live = inner_bytes(part.flow, result.derived);
  result.computing.assign(result.live.size(), 0);
  const std::vector<const KernelTimes*> times = part.latency.call_times(result.derived);
  const int64_t tiles = result.derived.loops[0].clock.tiles;
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
          {number, s, instance.op, kernel_for(instance.op, *times[s], true, tiles), *whole});
    ++number;
  }
  return result;
}

std::optional<StreamedPiece> PiecePrices::in_bands(StreamedPiece piece, const PieceBands& bands,
                                                   int64_t record_target) {
  Part& part = part_of(piece.begin, piece.end);
  piece.constants.assign(static_cast<size_t>(piece.end - piece.begin), {});
  const Derived& derived = bands.derived;
  const std::vector<int64_t>& live = bands.live;
  const std::vector<double>& computing = bands.computing;
  const int64_t tiles = derived.loops[0].clock.tiles;
  const int64_t outside = order_.around(piece.begin, piece.end, piece.fetches, piece.stores);
  struct Bringing {
    size_t number = 0, step = 0;
    StreamedConstants tiled, whole;
  };
  std::vector<Bringing> bringing;
  for (const PieceBands::Bringing& of : bands.bringing) {
    using enum StreamedConstants::How;
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
    StreamedConstants& constants = piece.constants[each.number];
    constants = smaller ? each.whole : each.tiled;
    own[each.step] = constants.held_bytes();
  }
  int64_t stays = 0;
  const auto peak = [&] {
    int64_t most = 0;
    for (size_t s = 0; s < live.size(); ++s) most = std::max(most, live[s] + own[s]);
    return outside + stays + most;
  };
  if (peak() > *limits_.sram_bytes) return std::nullopt;
  std::ranges::stable_sort(bringing, std::ranges::greater{},
                           [](const Bringing& each) { return each.whole.all_bytes; });
  for (const Bringing& each : bringing) {
    if (!options_.holds_weights) break;
    const int64_t before = own[each.step];
    own[each.step] = 0;
    stays += each.whole.record_bytes;
    if (peak() <= *limits_.sram_bytes) {
      piece.constants[each.number] = each.whole;
      piece.constants[each.number].how = StreamedConstants::How::kHeld;
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
    StreamedConstants& constants = piece.constants[each.number];
    const ValueId made = part.instances.instance(derived.steps[each.step].call.instance).makes;
    const Shape& extents = part.flow.shape(made);
    const ComputingTiles computes_in =
        computing_tiles(derived, derived.steps[each.step].region, extents, 1);
    const int64_t again = computes_in.loop < 0 ? tiles : computes_in.tiles.size();
    constants.reads = constants.how == StreamedConstants::How::kHeld ? 1 : again;
    const auto reads = static_cast<double>(constants.reads);
    piece.moved += constants.all_bytes * constants.reads;
    const double first = reads * first_reading_cycles(constants);
    if (constants.how == StreamedConstants::How::kTiled) {
      const double reading = reading_cycles(constants, constants.reads) - first;
      const double wait =
          wait_beside(tile_shares(derived, each.step, extents), computing[each.step], reading);
      waits += wait;
      spare[each.step] = std::max(computing[each.step] + wait - reading, 0.0) /
                         static_cast<double>(constants.records);
      tiled = true;
    }
    if (constants.how == StreamedConstants::How::kHeld) held.push_back(each.number);
    // The first one while what is in front in the band is.
    if (constants.reads > 1 && each.step > 0 && computing[each.step - 1] > 0 &&
        reads_early(copying + 1) > 0) {
      own[each.step - 1] += constants.held_bytes();
      constants.early = peak() <= *limits_.sram_bytes;
      if (!constants.early) own[each.step - 1] -= constants.held_bytes();
    }
    early |= constants.early;
    waits += first;
    if (constants.early) waits -= taken_from(spare[each.step - 1], first);
  }
  piece.bytes = peak();
  const Copied copies =
      copied(piece, !piece.again.empty()
                        ? times_made(derived, 0, part.flow.shape(order_.value_at(piece.begin)))
                        : 1);
  double left = std::accumulate(spare.begin(), spare.end(), 0.0);
  // The first band of what is fetched beside, or the last of what is stored, is waited for.
  waits += copies.all();
  const double goes_on = copies.stored + (piece.again.empty() ? copies.fetched : 0);
  if (beside) waits -= taken_from(left, goes_on - goes_on / static_cast<double>(tiles));
  piece.cycles = std::accumulate(computing.begin(), computing.end(), waits);
  piece.head = head_of(piece, std::move(held));
  const bool moves = tiled || beside;  // in each band: the first one is what others go beside
  piece.tail = {.bytes = piece.bytes,
                .spare = moves ? left / static_cast<double>(tiles) : left,
                .in_flight = copying + (tiled ? 1 : 0) + (early ? 1 : 0)};
  return within(std::move(piece));
}

std::vector<bool> PiecePrices::leave_nothing(const StreamedPiece& piece, const PieceBands& bands) {
  std::vector<bool> result;
  for (int p = piece.begin; p < piece.end; ++p) {
    const auto call = static_cast<size_t>(p - piece.begin + (piece.fetches ? 1 : 0));
    const TiledCall* tiled = bands.derived.tiled(0, call);
    result.push_back(tiled != nullptr && !tiled->reduces && tiled->held > 0 &&
                     tiled->held * tiled->beat.tiles <= tiled->beat.rows);
  }
  return result;
}

bool PiecePrices::fits_buffers(const PieceBands& bands, int64_t buffer_bytes) {
  return std::ranges::all_of(bands.derived.storages, [&](const Storage& storage) {
    return storage.buffer.size_bytes() <= buffer_bytes;
  });
}

std::optional<StreamedPiece> PiecePrices::within(StreamedPiece piece) const {
  if (piece.bytes > *limits_.sram_bytes) return std::nullopt;
  return piece;
}

}  // namespace thimble
