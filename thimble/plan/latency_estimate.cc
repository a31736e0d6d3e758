// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/latency_estimate.h"

#include <algorithm>
#include <limits>
#include <span>

#include "thimble/analysis/beat.h"
#include "thimble/model/error.h"
#include "thimble/plan/evaluate.h"

namespace thimble {
namespace {

constexpr int64_t kNext = INT64_MIN;   // between the parts of a key
constexpr int64_t kOuter = kNext + 1;  // before what is of an outer loop

void add_form(const Buffer& buffer, std::vector<int64_t>& key) {
  key.insert(key.end(), buffer.extents.begin(), buffer.extents.end());
  key.push_back(static_cast<int64_t>(buffer.type));
  key.push_back(buffer.wrap ? buffer.wrap->axis : -1);
  key.push_back(buffer.wrap ? buffer.wrap->modulus : -1);
  key.insert(key.end(), buffer.order.begin(), buffer.order.end());
  key.push_back(kNext);
}

/// Loops around a step of a group, outermost first, and what they have its call do.
std::vector<LoopAround> loops_around(const Derived& derived, size_t step) {
  std::vector<LoopAround> result;
  const auto at = static_cast<Position>(step);
  for (const DerivedLoop& loop : derived.loops) {
    if (at < loop.steps.begin || at >= loop.steps.end) continue;
    // Clocks have no copies: these go with the call behind (kFill), or before.
    size_t call = derived.steps[step].kind == DerivedStep::Kind::kKeep ? SIZE_MAX : 0;
    for (auto s = static_cast<size_t>(loop.steps.begin); s < step; ++s)
      call += derived.steps[s].kind == DerivedStep::Kind::kCall ? 1U : 0U;
    const TiledCall& tile = loop.clock.calls[call];
    if (tile.outer) {  // the inner loop of an axis says it all
      std::erase_if(result, [&](const LoopAround& around) {
        return !around.tile.reduces && around.tile.axis == tile.axis;
      });
    }
    result.push_back({tile, loop.clock.tiles});
  }
  return result;
}

/// Rows that are copied into a window, or kept of it (derive.h), in place of those made in a tile.
Beat copied_rows(const Beat& made, int64_t kept, DerivedStep::Kind kind) {
  Beat result = made;
  if (kind == DerivedStep::Kind::kFill) {
    result.phase = made.phase - made.rows - made.reach_back;
    result.reach_back = kept - made.rows;
  } else {
    result.reach_back = std::min(kept, made.rows) - made.rows;
  }
  return result;
}

/// Positions along an axis, so many per tile.
int64_t per_tile(const Beat& beat) { return ceil_div(beat.rows + beat.reach_back, beat.tiles); }

/// An image lies column by column.
void turn(Buffer& buffer) {
  if (buffer.extents.size() == 4) buffer.order = {0, 2, 1, 3};
}

/// A buffer for a value that follows loops along these axes with so many positions a tile.
struct Followed {
  int axis;
  int64_t positions;
};
Buffer lying(Buffer buffer, const std::vector<Followed>& along, Lies lies) {
  if (lies == Lies::kWhole || along.empty()) return buffer;
  const auto extent = [&](const Followed& f) -> int64_t& {
    return buffer.extents[static_cast<size_t>(f.axis)];
  };
  const Followed& outer = along.front();
  const Followed& inner = along.back();
  if (lies == Lies::kRing && outer.axis == kColumnAxis) turn(buffer);
  if (lies == Lies::kRing && along.size() > 1) {  // the last row only as far as it is needed
    const int64_t pixels = (outer.positions - 1) * extent(inner) + inner.positions;
    extent(outer) = ceil_div(pixels, extent(inner));
    buffer.wrap = Wrap{inner.axis, pixels};
    return buffer;
  }
  for (const Followed& f : along) extent(f) = std::min(extent(f), f.positions);
  if (lies == Lies::kRing) buffer.wrap = Wrap{outer.axis, extent(outer)};
  if (lies == Lies::kWindow) {
    if (inner.axis == kColumnAxis) turn(buffer);
    buffer.wrap = Wrap{inner.axis, extent(inner)};
  }
  return buffer;
}

// A row is faster than one before it in the table if it takes at most this much of its time: nearly
// all estimates are closer than that.
constexpr double kClearly = 0.8;
constexpr double kOfUnknown = 0.99;   // of the portable kernel's time: one that was never counted
constexpr double kLeastGain = 0.005;  // of a call's: estimates are not exact enough for less
constexpr int64_t kAnyScratch = std::numeric_limits<int64_t>::max();

/// To try, of a kernel that does these uses: if it can do with less scratch than it would take, as
/// much as the whole operators need, and some more.
template <class Calls>
std::vector<int64_t> scratch_budgets(KernelId kernel, const Calls& calls, ScratchBudgets how_many) {
  if (info(kernel).scratch_within == nullptr) return {kAnyScratch};
  std::vector<int64_t> budgets = {0, kAnyScratch};
  if (how_many == ScratchBudgets::kFew) budgets.insert(budgets.end(), {256, 512, 1024, 2048, 4096});
  constexpr int64_t kLeast = 16, kMost = 64 << 10;
  for (int64_t budget = kLeast; how_many == ScratchBudgets::kMany && budget <= kMost;
       budget += std::max(budget / 8, kLeast))
    budgets.push_back(budget);
  for (const auto& [use, call] : calls)
    budgets[0] = std::max(budgets[0], scratch_bytes(chosen(kernel, *use), *use));
  std::ranges::sort(budgets);
  return budgets;
}

/// The first is the portable kernel's.
KernelTimes best_times(KernelTimes times) {
  std::stable_sort(times.begin() + 1, times.end(), [](const KernelTime& a, const KernelTime& b) {
    return std::pair(a.scratch_bytes, a.instructions) < std::pair(b.scratch_bytes, b.instructions);
  });
  KernelTimes best = {times.front()};
  for (size_t w = 1; w < times.size(); ++w) {
    // The portable one comes last: it is taken where it is clearly faster.
    const double most =
        best.back().instructions * (best.size() == 1 ? 1 / kClearly : 1 - kLeastGain);
    if (times[w].scratch_bytes >= best.front().scratch_bytes && times[w].instructions < most)
      best.push_back(times[w]);
  }
  return best;
}

}  // namespace

LatencyModel latency_model_for(const Core& core) {
  return latency_model(core).value_or(*latency_model("cortex-m4"));
}

size_t LatencyEstimate::Hash::operator()(const std::vector<int64_t>& key) const {
  uint64_t hash = 0;
  for (const int64_t value : key) {
    hash = (hash ^ static_cast<uint64_t>(value)) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29;
  }
  return hash;
}

LatencyEstimate::LatencyEstimate(const Dataflow& dataflow, const Core& core,
                                 const LatencyModel& model)
    : flow_(dataflow),
      core_(core),
      model_(model),
      coefficients_(model),
      known_(std::make_shared<Known>(dataflow.graph.ops.size())) {
  const auto values = static_cast<int32_t>(2 * dataflow.instances.values.size());
  for (int32_t v = 0; v < values; ++v) whole_.push_back(flow_.whole_buffer({v}));
}

LatencyEstimate::LatencyEstimate(const Dataflow& dataflow, const LatencyEstimate& like,
                                 ScratchBudgets budgets)
    : LatencyEstimate(dataflow, like.core_, like.model_) {
  check(&dataflow.axes == &like.flow_.axes, "operators of another graph");
  known_ = like.known_;
  budgets_ = budgets;
}

int64_t LatencyEstimate::what_of(const InstanceCall& call) {
  const OpId id = flow_.instances.instance(call.instance).op;
  std::atomic<int32_t>& alike =
      known_->alike[Known::kMethods * id.index() + static_cast<size_t>(call.method)];
  if (const int32_t number = alike; number != 0) return number;
  const std::vector<KernelId>& kernels = kernels_for(id, call.method);
  const std::lock_guard lock(known_->mutex);
  const Op& op = flow_.graph.op(id);
  std::vector<int64_t> shapes = {static_cast<int64_t>(op.attributes.index()),
                                 static_cast<int64_t>(call.method)};
  const auto add = [&](TensorId t) {
    const Tensor& tensor = flow_.graph.tensor(t);
    shapes.insert(shapes.end(), {kNext, static_cast<int64_t>(tensor.type), tensor.is_constant()});
    shapes.insert(shapes.end(), tensor.shape.begin(), tensor.shape.end());
  };
  for (const TensorId t : op.inputs) add(t);
  for (const TensorId t : op.outputs) add(t);
  std::vector<OpId>& others = known_->ops[shapes];
  const auto same = std::ranges::find_if(others, [&](OpId other) {
    return flow_.graph.op(other).attributes == op.attributes &&
           known_->kernels.at({other, call.method}) == kernels;
  });
  alike = 1 + (same == others.end() ? id : *same).value;
  if (same == others.end()) others.push_back(id);
  return alike;
}

// Copies differ by their shapes.
std::vector<int64_t> LatencyEstimate::key_of(const InstanceCall& call, const LoopedCall& looped) {
  constexpr int64_t kCopy = -1;
  const bool computes = call.instance.valid() && flow_.instances.instance(call.instance).op.valid();
  std::vector<int64_t> key = {computes ? what_of(call) : kCopy, static_cast<int64_t>(call.method),
                              static_cast<int64_t>(budgets_), looped.over_input ? 1 : 0};
  key.reserve(64);
  for (const LoopAround& loop : looped.loops) {
    const Beat& beat = loop.tile.beat;
    key.insert(key.end(), {loop.tile.reduces ? -1 : loop.tile.axis, beat.rows, beat.tiles,
                           beat.phase, beat.reach_back, loop.tiles, loop.flat ? 1 : 0});
    if (!loop.tile.outer) continue;
    const OuterTiles& outer = *loop.tile.outer;
    key.insert(key.end(), {kOuter, outer.count, outer.inner, outer.beat.rows, outer.beat.tiles,
                           outer.beat.phase, outer.beat.reach_back});
  }
  key.push_back(kNext);
  for (const Buffer* operand : looped.operand) add_form(*operand, key);
  add_form(*looped.out, key);
  if (!computes) key.insert(key.end(), looped.shape->begin(), looped.shape->end());
  return key;
}

template <class Count>
const KernelTimes& LatencyEstimate::remembered(std::vector<int64_t> key, const Count& count) {
  {
    const std::lock_guard lock(known_->mutex);
    const auto known = known_->times.find(key);
    if (known != known_->times.end()) return known->second;
  }
  KernelTimes times = count();
  const std::lock_guard lock(known_->mutex);
  return known_->times.try_emplace(std::move(key), std::move(times)).first->second;
}

LoopedCall LatencyEstimate::without_loops(const InstanceCall& call) {
  LoopedCall looped;
  const ValueId made = flow_.made_by(call);
  looped.shape = &flow_.shape(made);
  looped.out = &whole_buffer(made);
  for (const ValueId v : flow_.read_by(call)) looped.operand.push_back(&whole_buffer(v));
  const OpId op = flow_.instances.instance(call.instance).op;
  if (call.method == Method::kAccumulate) {
    const auto axis = chunk_axis(flow_.graph, flow_.graph.op(op));
    looped.chunk_extent = looped.operand[0]->extents[axis];
  }
  return looped;
}

double LatencyEstimate::priced(const Features& features, KernelId kernel) const {
  const Features* each = coefficients_.coefficients_of(kernel);
  return each == nullptr ? 0 : dot(features, *each);
}

double LatencyEstimate::copied(const LoopedCall& looped, Method method) {
  const KernelUse use = plain_copy(*looped.shape, looped.out->type);
  const KernelId kernel =
      method == Method::kInPlace ? portable_kernel(Family::kTransposeInPlace) : use.kernel;
  return priced(known_->features.features_of(looped, use, kernel), kernel);
}

double LatencyEstimate::priced(KernelId kernel, Counted& calls,
                               std::optional<int64_t> scratch_bytes) const {
  double sum = 0;
  for (auto& [use, call] : calls) {
    const KernelId taken = chosen(kernel, *use);
    sum += priced(call.features_with(taken, scratch_bytes), taken);
  }
  return sum;
}

// Whether some of what calls count with so little scratch alone was there when the kernel was
// fitted: what it does with all its scratch is not the same.
bool LatencyEstimate::knows(KernelId kernel, Counted& calls, int64_t scratch_bytes) const {
  bool is_incomplete = false, known = false;
  for (auto& [use, call] : calls) {
    const KernelId taken = chosen(kernel, *use);
    const Features* each = coefficients_.coefficients_of(taken);
    const Features little = call.features_with(taken, scratch_bytes),
                   all = call.features_with(taken);
    for (size_t f = 0; each != nullptr && f < all.size(); ++f) {
      if (little[f] == 0 || all[f] > 0) continue;
      is_incomplete = true;
      known = known || (*each)[f] > 0;
    }
  }
  return known || !is_incomplete;
}

void LatencyEstimate::add_times(KernelId kernel, Counted& calls, KernelTimes& times) const {
  int64_t taken = -1;
  for (const int64_t budget : scratch_budgets(kernel, calls, budgets_)) {
    int64_t bytes = 0;
    bool takes = true;
    for (const auto& [use, call] : calls) {
      const auto some = scratch_within(chosen(kernel, *use), *use, call.most(), budget);
      takes = takes && some;
      bytes = std::max(bytes, some.value_or(0));
    }
    if (!takes || bytes == taken) continue;
    if (bytes == 0 && times.front().scratch_bytes > 0) continue;  // its step has some
    taken = bytes;
    // Wide weights are asked for by those who know that they are faster.
    const bool counted = coefficients_.knows(kernel) && info(kernel).weights != Weights::kWide;
    if (counted && budget != kAnyScratch && !knows(kernel, calls, bytes)) continue;
    const double instructions =
        counted ? priced(kernel, calls, bytes) : times.front().instructions * kOfUnknown - 1;
    const auto as_good = [&](const KernelTime& other) {
      return &other != &times.front() && other.kernel != kernel && other.scratch_bytes <= bytes &&
             other.instructions * kClearly <= instructions;
    };
    if (std::ranges::none_of(times, as_good)) times.push_back({kernel, bytes, instructions});
  }
}

const std::vector<KernelId>& LatencyEstimate::kernels_for(OpId op, Method method) {
  const std::lock_guard lock(known_->mutex);
  const auto [it, added] = known_->kernels.try_emplace({op, method});
  if (!added) return it->second;
  for (const KernelUse& use : flow_.axes.uses(op, method)) {
    for (const Candidate& candidate : candidates(use, core_)) {
      if (candidate.kernel != use.kernel &&
          std::ranges::find(it->second, candidate.kernel) == it->second.end())
        it->second.push_back(candidate.kernel);
    }
  }
  return it->second;
}

LatencyEstimate::Counted LatencyEstimate::counts(const InstanceCall& call,
                                                 const LoopedCall& looped) {
  Counted calls;
  for (const KernelUse& use :
       flow_.axes.uses(flow_.instances.instance(call.instance).op, call.method))
    calls.emplace_back(&use, CountedCall(known_->features, looped, use));
  return calls;
}

KernelTimes LatencyEstimate::counted(const InstanceCall& call, const LoopedCall& looped) {
  const Instance& instance = flow_.instances.instance(call.instance);
  if (!instance.op.valid()) return {{.instructions = copied(looped, call.method)}};
  const std::vector<KernelUse>& uses = flow_.axes.uses(instance.op, call.method);
  Counted calls = counts(call, looped);
  const std::vector<KernelId>& kernels = kernels_for(instance.op, call.method);
  // Where all weights are in 4 bits, the portable kernel for those is there for any views.
  const bool nibbles = !kernels.empty() && info(kernels[0]).form == WeightForm::kNibbles &&
                       info(kernels[0]).set == InstructionSet::kPortable;
  const KernelId portable = nibbles ? kernels[0] : KernelId{};
  KernelTimes times = {{.kernel = portable,
                        .scratch_bytes = flow_.scratch_bytes(call),
                        .instructions = priced(portable, calls, std::nullopt)}};
  std::optional<Weights> format;
  for (const KernelId kernel : kernels) {
    if (kernel == portable) continue;
    // Rows of a smaller format take longer than those of a larger one.
    if (format && info(kernel).weights > *format) continue;
    const bool taken = std::ranges::all_of(uses, [&](const KernelUse& use) {
      const KernelId each = chosen(kernel, use);
      return each == use.kernel || suits(looped, use, each);
    });
    if (!taken) continue;
    add_times(kernel, calls, times);
    format = info(kernel).weights;
  }
  const bool counted = std::ranges::all_of(
      uses, [&](const KernelUse& use) { return coefficients_.knows(use.kernel); });
  if (!counted) {  // no faster than what is there in its place
    for (const KernelTime& each : times)
      times.front().instructions =
          std::max(times.front().instructions, each.instructions / kOfUnknown);
  }
  return best_times(std::move(times));
}

const KernelTimes& LatencyEstimate::looped_times(const InstanceCall& call,
                                                 const LoopedCall& looped) {
  static const KernelTimes kNothing = {{}};
  const Instance& instance = flow_.instances.instance(call.instance);
  if (flow_.instances.receives(instance) || flow_.instances.delivers(instance) || transfers(call))
    return kNothing;
  return remembered(key_of(call, looped), [&] { return counted(call, looped); });
}

bool LatencyEstimate::is_nothing(const InstanceCall& call, const LoopedCall& looped) const {
  const OpId op = flow_.instances.instance(call.instance).op;
  return op.valid() && std::holds_alternative<Reshape>(flow_.graph.op(op).attributes) &&
         looped.operand[0]->order.empty() && looped.out->order.empty();
}

const KernelTimes& LatencyEstimate::whole_times(const InstanceCall& call, bool over_input) {
  static const KernelTimes kNothing = {{}};
  LoopedCall looped = without_loops(call);
  if (over_input && is_nothing(call, looped)) return kNothing;
  looped.over_input = over_input && call.method == Method::kCompute;
  return looped_times(call, looped);
}

const KernelTimes& LatencyEstimate::copy_step(const Derived& derived, const DerivedStep& step,
                                              LoopedCall looped) {
  const KeptRows& kept = derived.kept[static_cast<size_t>(step.kept)];
  const int axis = kept.buffer.wrap->axis;
  for (LoopAround& loop : looped.loops) {
    if (loop.tile.axis == axis)
      loop.tile.beat =
          copied_rows(loop.tile.beat, kept.buffer.extents[static_cast<size_t>(axis)], step.kind);
  }
  const bool fills = step.kind == DerivedStep::Kind::kFill;
  looped.operand = {fills ? &kept.buffer : looped.out};
  looped.out = fills ? looped.out : &kept.buffer;
  return remembered(key_of(InstanceCall{}, looped), [&] {
    return KernelTimes{{.instructions = copied(looped, Method::kCompute)}};
  });
}

const KernelTimes& LatencyEstimate::step(const Derived& derived, size_t step) {
  const DerivedStep& what = derived.steps[step];
  LoopedCall looped = without_loops(what.call);
  looped.loops = loops_around(derived, step);
  const auto place = [&](const Buffer*& buffer, ValueId value) {
    const int storage = derived.storage_of(value);
    if (storage >= 0) buffer = &derived.storages[static_cast<size_t>(storage)].buffer;
  };
  place(looped.out, flow_.made_by(what.call));
  if (what.kind != DerivedStep::Kind::kCall) return copy_step(derived, what, std::move(looped));
  const std::span<const ValueId> read = flow_.read_by(what.call);
  for (size_t k = 0; k < read.size(); ++k) place(looped.operand[k], read[k]);
  return looped_times(what.call, looped);
}

const KernelTimes& LatencyEstimate::join(const UnrolledTiles& flat,
                                         const UnrolledTiles::Step& step) {
  const Buffer& block = flat.storages[static_cast<size_t>(step.in[0])].buffer;
  const Buffer& window = flat.storages[static_cast<size_t>(step.out)].buffer;
  Shape part;
  for (const IntervalExpr& interval : step.region)
    part.push_back(interval.end.base - interval.begin.base);
  const LoopedCall looped{.shape = &part, .loops = {}, .operand = {&block}, .out = &window};
  return remembered(key_of(InstanceCall{}, looped), [&] {
    return KernelTimes{{.instructions = copied(looped, Method::kCompute)}};
  });
}

const KernelTimes& LatencyEstimate::flat_step(const Derived& derived,
                                              const UnrolledTiles::Step& step) {
  const auto storage = [&](const Buffer*& buffer, int number) {
    if (number >= 0) buffer = &derived.flat->storages[static_cast<size_t>(number)].buffer;
  };
  const InstanceCall& call = derived.steps[step.of].call;
  LoopedCall looped = without_loops(call);
  looped.loops = loops_around(derived, step.of);
  TiledCall& tile = looped.loops[0].tile;  // of the outer loop, one of its tiles
  const IntervalExpr& along =
      tile.reduces ? *step.chunk : step.region[static_cast<size_t>(tile.axis)];
  tile.beat = {.rows = along.end.base - along.begin.base, .phase = along.end.base};
  looped.loops[0].tiles = 1;
  looped.loops[0].flat = true;
  storage(looped.out, step.out);
  for (size_t k = 0; k < step.in.size(); ++k) storage(looped.operand[k], step.in[k]);
  return looped_times(call, looped);
}

std::vector<const KernelTimes*> LatencyEstimate::call_times(const Derived& derived) {
  std::vector<const KernelTimes*> result;
  if (derived.flat) {
    for (const UnrolledTiles::Step& step : derived.flat->steps)
      result.push_back(step.joins ? &join(*derived.flat, step) : &flat_step(derived, step));
    return result;
  }
  for (size_t s = 0; s < derived.steps.size(); ++s) result.push_back(&step(derived, s));
  return result;
}

std::optional<std::vector<PlannedCall>> LatencyEstimate::calls(
    const std::vector<Member>& members, const std::vector<OverlapChoice>& overlaps) {
  std::vector<PlannedCall> result;
  for (const Member& member : members) {
    if (const auto* call = std::get_if<InstanceCall>(&member.what)) {
      const ValueId made = flow_.made_by(*call), read = flow_.read_by(*call)[0];
      const bool over = std::ranges::find(overlaps, OverlapChoice{made, read}) != overlaps.end();
      result.push_back({&whole_times(*call, over), over ? call : nullptr, transfers(*call)});
    } else {
      const std::optional<Derived> derived =
          derive(flow_, std::get<Group>(member.what), Regions::kNone);
      if (!derived) return std::nullopt;
      const std::vector<const KernelTimes*> times = call_times(*derived);
      for (size_t s = 0; s < times.size(); ++s) {
        const UnrolledTiles::Step* tile = derived->flat ? &derived->flat->steps[s] : nullptr;
        const DerivedStep& step = derived->steps[tile == nullptr ? s : tile->of];
        const bool moves = (tile == nullptr || !tile->joins) &&
                           step.kind == DerivedStep::Kind::kCall && transfers(step.call);
        result.push_back({times[s], nullptr, moves});
      }
    }
  }
  return result;
}

double LatencyEstimate::over_input(const InstanceCall& call, const StepKernel& kernel) {
  LoopedCall looped = without_loops(call);
  const bool computes = flow_.instances.instance(call.instance).op.valid();
  if (is_nothing(call, looped)) return -looped_times(call, looped).front().instructions;
  if (!computes || !kernel.kernel.valid() || call.method != Method::kCompute) return 0;
  const auto taken = [&](bool over) {
    looped.over_input = over;
    Counted calls = counts(call, looped);
    return priced(kernel.kernel, calls, kernel.scratch_bytes);
  };
  return taken(true) - taken(false);
}

double instructions_within(const std::vector<PlannedCall>& calls, int64_t scratch_bytes) {
  double sum = 0;
  for (const PlannedCall& call : calls)
    sum += fastest_within(*call.times, scratch_bytes).instructions;
  return sum;
}

PieceTimes LatencyEstimate::times(const Derived& derived) {
  return piece_times(call_times(derived), inner_bytes(flow_, derived));
}

double LatencyEstimate::group(const Derived& derived) {
  return instructions_within(call_times(derived), kAnyScratch);
}

std::optional<double> LatencyEstimate::plan(const Plan& plan) {
  const auto steps = calls(plan.members, plan.overlaps);
  return steps ? std::optional(model_.program + instructions_within(*steps, kAnyScratch))
               : std::nullopt;
}

const KernelTimes& LatencyEstimate::tiled(const InstanceCall& call,
                                          const std::vector<LoopAround>& loops, Lies operands,
                                          Lies out) {
  LoopedCall looped = without_loops(call);
  looped.loops = loops;
  std::vector<Followed> made;
  for (const LoopAround& loop : loops) {
    if (!loop.tile.reduces) made.push_back({loop.tile.axis, per_tile(loop.tile.beat)});
  }
  const Buffer out_buffer = lying(*looped.out, made, out);
  looped.out = &out_buffer;
  std::vector<Buffer> read(looped.operand.size());
  for (size_t k = 0; k < read.size(); ++k) {
    std::vector<Followed> along;
    for (const LoopAround& loop : loops) {
      if (loop.tile.reduces && k == 0) {
        along.push_back({loop.tile.axis, per_tile(loop.tile.beat)});
      } else if (const Connection* c =
                     loop.tile.reduces ? nullptr : flow_.connection(call, k, loop.tile.axis)) {
        const int64_t rows = per_tile(loop.tile.beat);
        along.push_back({c->axis, end_of_reads(c->pace, rows) - first_read(c->pace, 0)});
      }
    }
    read[k] = lying(*looped.operand[k], along, operands);
    looped.operand[k] = &read[k];
  }
  return looped_times(call, looped);
}

double LatencyEstimate::kept(const InstanceCall& call, std::vector<LoopAround> loops,
                             int64_t rows) {
  LoopedCall looped = without_loops(call);
  const Beat made = loops[0].tile.beat;
  const auto axis = static_cast<size_t>(loops[0].tile.axis);
  const Buffer window = lying(*looped.out,
                              {{loops[0].tile.axis, per_tile(made) + rows},
                               {loops[1].tile.axis, per_tile(loops[1].tile.beat)}},
                              Lies::kWindow);
  Buffer beside = *looped.out;
  beside.extents[axis] = rows;
  beside.wrap = Wrap{loops[0].tile.axis, rows};
  if (axis == kColumnAxis) turn(beside);
  double sum = 0;
  for (const auto kind : {DerivedStep::Kind::kFill, DerivedStep::Kind::kKeep}) {
    loops[0].tile.beat = copied_rows(made, rows, kind);
    looped.loops = loops;
    const bool fills = kind == DerivedStep::Kind::kFill;
    looped.operand = {fills ? &beside : &window};
    looped.out = fills ? &window : &beside;
    sum += copied(looped, Method::kCompute);
  }
  return sum;
}

}  // namespace thimble
