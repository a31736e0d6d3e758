// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "thimble/program/call_form.h"
#include "thimble/program/kernel_walk.h"
#include "thimble/program/shadow.h"
#include "thimble/schedule/progress.h"
#include "thimble/schedule/reads.h"

namespace thimble {
namespace {

class Verifier {
 public:
  Verifier(const Graph& graph, const Program& program)
      : graph_(graph),
        program_(program),
        maps_(access_maps(graph)),
        forms_(graph, program),
        memory_(program.arena_bytes),
        produced_(2 * graph.tensors.size()) {
    for (const std::vector<ProgramPort>& ports : {program.inputs, program.outputs}) {
      for (const ProgramPort& port : ports) {
        if (port.place != Place::kResident) outside_.try_emplace(port.buffer, port.size_bytes);
      }
    }
  }

  Verification run() {
    try {
      for (const ProgramPort& port : program_.inputs) {
        ShadowMemory& memory = memory_of(port.place, port.buffer);
        each_port_element(port, memory, [&](int64_t address, int64_t element, int64_t size) {
          memory.write(address, value_key(port.tensor, element), size);
        });
      }
      execute_calls(program_,
                    [&](const Call& call, const Counters& counters) { visit(call, counters); });
      for (const ProgramPort& port : program_.outputs) {
        ShadowMemory& memory = memory_of(port.place, port.buffer);
        each_port_element(port, memory, [&](int64_t address, int64_t element, int64_t size) {
          if (!memory.holds(address, value_key(port.tensor, element), size)) {
            throw Fault{fmt::format("at the end, element {} of output {} is missing", element,
                                    describe(graph_, port.tensor))};
          }
        });
      }
      for (const ProgramPort& port : program_.inputs) {
        const int64_t all = elements(graph_.tensor(port.tensor).shape);
        if (port.place == Place::kStreamed && passed_[port.buffer] != all)
          throw Fault{fmt::format("at the end, element {} of input {} has not been received",
                                  passed_[port.buffer], describe(graph_, port.tensor))};
      }
    } catch (const Fault& fault) {
      result_.fault = fault.message;
    }
    return result_;
  }

 private:
  // One operand (or the output) of the call at hand.
  struct Side {
    const OperandView* view;
    const OperandAxes* walk;
    int64_t bias;
    int64_t channel;
    int64_t size;  // bytes per element
    int32_t kind;
    ShadowMemory* memory;  // none: a constant
  };

  ShadowMemory& memory_of(Place place, BufferId buffer) {
    if (place == Place::kResident) return memory_;
    const auto it = outside_.find(buffer);
    if (it == outside_.end()) throw Fault{"a view of the caller's memory where there is none"};
    return it->second;
  }
  ShadowMemory* memory_of(const OperandView& view) {
    return view.constant >= 0 ? nullptr : &memory_of(view.place, view.buffer);
  }

  int32_t value_kind(TensorId t) const { return t.value; }
  int32_t accumulator_kind(TensorId t) const {
    return t.value + static_cast<int32_t>(graph_.tensors.size());
  }
  ShadowKey value_key(TensorId t, int64_t element) const {
    return {value_kind(t), static_cast<int32_t>(element * size_bytes(graph_.tensor(t).type)), 0};
  }

  std::string describe_key(const ShadowKey& key) const {
    if (key.kind < 0) return "nothing";
    const auto count = static_cast<int32_t>(graph_.tensors.size());
    const TensorId t{key.kind % count};
    const bool accumulators = key.kind >= count;
    const int64_t size =
        size_bytes(accumulators ? accumulator_type(graph_, t) : graph_.tensor(t).type);
    return fmt::format("{}element {} of {}", accumulators ? "accumulator of " : "", key.byte / size,
                       describe(graph_, t));
  }
  template <class Visit>
  void each_port_element(const ProgramPort& port, const ShadowMemory& memory, const Visit& visit) {
    const Tensor& tensor = graph_.tensor(port.tensor);
    const int64_t size = size_bytes(tensor.type);
    if (!memory.inside(port.address, elements(tensor.shape) * size)) {
      throw Fault{fmt::format("{} lies outside the arena", describe(graph_, port.tensor))};
    }
    const bool row_major = port.place == Place::kStreamed;
    const std::vector<int>& order = row_major ? std::vector<int>() : port.order;
    each_element(tensor.shape, order, [&](int64_t place, int64_t element) {
      visit(port.address + place * size, element, size);
    });
  }

  void visit(const Call& call, const Counters& counters) {
    ++result_.calls;
    const Region region = kernel_region(call, counters);
    if (empty(region)) return;
    Walk walk = forms_.walk(call);
    forms_.check(call, walk);
    for (const IndexExpr& expr : call.leading) walk.leading.push_back(evaluate(expr, counters));
    forms_.check_region(call, walk, region);
    std::vector<Side> in;
    for (size_t k = 0; k < call.in.size(); ++k) {
      const bool accumulators = call.method == Method::kFinalise;
      const TensorId t = call.in[k].tensor;
      in.push_back({&call.in[k], &walk.in[k], sum(call.in[k].bias, counters),
                    sum(call.in[k].channel, counters), size_bytes(call.in[k].type),
                    accumulators ? accumulator_kind(t) : value_kind(t), memory_of(call.in[k])});
    }
    const bool accumulate = call.method == Method::kAccumulate;
    const Side out{&call.out,
                   &walk.out,
                   sum(call.out.bias, counters),
                   sum(call.out.channel, counters),
                   size_bytes(call.out.type),
                   accumulate ? accumulator_kind(call.out.tensor) : value_kind(call.out.tensor),
                   memory_of(call.out)};
    const Interval chunk = chunk_of(call, counters);
    if (accumulate && chunk.empty()) return;
    if (accumulate) check_chunk(call, chunk);

    const std::optional<Progress> grain = overlap_grain(call, walk, in, out, region);
    if (!grain) {
      destroy_scratch(call);
      for (size_t k = 0; k < in.size(); ++k) read(call, walk, k, in[k], region, chunk);
      write(call, walk, out, region, chunk);
      destroy_scratch(call);  // the kernel uses it until it ends
      return;
    }
    each_unit(*grain, region, [&](const Region& unit) {
      destroy_scratch(call);
      const bool reads_first = *grain == Progress::kElement || *grain == Progress::kPlane;
      if (!reads_first) write(call, walk, out, unit, chunk);
      for (size_t k = 0; k < in.size(); ++k) read(call, walk, k, in[k], unit, chunk);
      if (reads_first) write(call, walk, out, unit, chunk);
      destroy_scratch(call);
    });
  }

  // Where sums have less than 32 bits, their value depends on where one chunk ends.
  void check_chunk(const Call& call, const Interval& chunk) const {
    const Accumulator* narrow = find_accumulator(graph_, call.out.tensor);
    if (narrow == nullptr) return;
    const int64_t end = std::min<int64_t>(chunk.begin + narrow->chunk, reduced_extent(call));
    if (chunk.begin % narrow->chunk == 0 && chunk.end == end) return;
    throw Fault{fmt::format("{} adds channels {} to {} in one go, which is no chunk of {}",
                            describe(graph_, call), chunk.begin, chunk.end - 1, narrow->chunk)};
  }

  // Where the output overlaps an operand: the grain that the kernel promises. Nothing where all
  // reads may as well come before all writes.
  std::optional<Progress> overlap_grain(const Call& call, const Walk& walk,
                                        const std::vector<Side>& in, const Side& out,
                                        const Region& region) {
    if (info(call.kernel).progress == Progress::kWhole) return std::nullopt;
    const Interval target = addresses(out, region);
    bool overlap = false;
    bool behind = info(call.kernel).progress == Progress::kElement;
    for (size_t k = 0; k < in.size(); ++k) {
      if (in[k].memory != out.memory) continue;
      const Interval source = addresses(in[k], kernel_box(call, walk, k, region, {0, 1 << 30}));
      if (source.begin >= target.end || target.begin >= source.end) continue;
      overlap = true;
      behind = behind && never_ahead(out, in[k]);
    }
    return overlap && !behind ? std::optional(info(call.kernel).progress) : std::nullopt;
  }

  // Element by element in ascending addresses, the output never passes the operand.
  static bool never_ahead(const Side& out, const Side& in) {
    return in.view->stride == out.view->stride && in.bias == out.bias && in.view->modulus == 0 &&
           out.view->modulus == 0 && out.size <= in.size && out.view->address <= in.view->address &&
           std::is_sorted(out.view->stride.rbegin(), out.view->stride.rend());
  }

  // Hull of the bytes that a box of kernel coordinates touches. A ring: all of it, and what the
  // channels of a pixel reach beyond.
  Interval addresses(const Side& side, const Region& box) const {
    if (empty(box)) return {};
    const OperandView& view = *side.view;
    if (view.modulus != 0) {
      int64_t pitch = std::gcd(side.bias, view.modulus);
      for (size_t axis = 0; axis < 3; ++axis) pitch = std::gcd(pitch, view.stride[axis]);
      const auto [first, last] =
          std::minmax({box[3].begin * view.stride[3], (box[3].end - 1) * view.stride[3]});
      const int64_t begin = std::min<int64_t>(0, first - side.channel);
      const int64_t end = view.modulus + std::max<int64_t>(0, last - side.channel + 1 - pitch);
      return {view.address + begin * side.size, view.address + end * side.size};
    }
    Interval hull{view.address - side.bias * side.size, view.address + (1 - side.bias) * side.size};
    for (size_t axis = 0; axis < box.size(); ++axis) {
      const auto [low, high] = std::minmax(
          {box[axis].begin * view.stride[axis], (box[axis].end - 1) * view.stride[axis]});
      hull.begin += low * side.size;
      hull.end += high * side.size;
    }
    return hull;
  }

  // Kernel coordinates of what operand k must provide for `region` of the output.
  Region kernel_box(const Call& call, const Walk& walk, size_t k, const Region& region,
                    const Interval& chunk) const {
    if (!call.op.valid() || call.method == Method::kFinalise) return region;
    const Op& op = graph_.op(call.op);
    const auto input = static_cast<size_t>(call.operands[k]);
    const InputMap& map = maps_[call.op.index()][input];
    const Shape& out_shape = graph_.tensor(op.outputs[0]).shape;
    const Shape& in_shape = graph_.tensor(op.inputs[input]).shape;
    if (map.linear && same_extents(walk.out, out_shape, walk.in[k], in_shape)) return region;
    const Region out = to_tensor(walk.out, walk.leading, region, out_shape);
    Region needed = input_region(map, in_shape, out_shape, out);
    if (call.chunk && input == 0) {
      Interval& along = needed[chunk_axis(graph_, op)];
      along = intersect({along}, {chunk})[0];
    }
    return to_kernel(walk.in[k], needed, in_shape);
  }

  // As runtime::pixel() finds it: the channel is added after the modulus.
  int64_t address_of(const Call& call, const Side& side, int64_t pixel, int64_t channel,
                     const char* verb) const {
    const OperandView& view = *side.view;
    int64_t index = pixel - side.bias;
    if (view.modulus != 0) {
      if (index < 0)
        throw Fault{fmt::format("{}: {} before the start of a ring", describe(graph_, call), verb)};
      index = index % view.modulus - side.channel;
    }
    const int64_t address = view.address + (index + channel) * side.size;
    const bool inside = view.constant >= 0
                            ? address >= 0 && address + side.size <= constant_bytes(view.constant)
                            : side.memory->inside(address, side.size);
    if (!inside) {
      throw Fault{fmt::format("{}: {} byte {} for {}, outside {}", describe(graph_, call), verb,
                              address, describe(graph_, view.tensor),
                              view.constant >= 0               ? "its constant"
                              : view.place == Place::kResident ? "the arena"
                                                               : "the caller's memory")};
    }
    return address;
  }

  int64_t constant_bytes(int constant) const {
    return static_cast<int64_t>(
        program_.constants[static_cast<size_t>(constant)].content.data.size());
  }

  void read(const Call& call, const Walk& walk, size_t k, const Side& side, const Region& region,
            const Interval& chunk) {
    const Region box = kernel_box(call, walk, k, region, chunk);
    const Shape& shape = graph_.tensor(side.view->tensor).shape;
    const int32_t complete = call.method == Method::kFinalise ? reduced_extent(call) : 0;
    each_coordinate(
        walk, *side.walk, shape, side.view->stride, box,
        [&](int64_t pixel, int64_t channel, int64_t element) {
          const int64_t address = address_of(call, side, pixel, channel, "reads");
          ++result_.checked_elements;
          if (side.view->constant >= 0) {
            if (address != element * side.size)
              throw Fault{describe(graph_, call) + ": reads the wrong constant"};
            return;
          }
          const ShadowKey key{side.kind, static_cast<int32_t>(element * side.size), complete};
          if (!side.memory->holds(address, key, side.size)) {
            throw Fault{fmt::format("{} needs {} at byte {}, which holds {}",
                                    describe(graph_, call), describe_key(key), address,
                                    describe_key(side.memory->at(address)))};
          }
          if (side.view->place == Place::kStreamed) pass(call, side, element, "receives");
        });
  }

  // Rows come from the caller and go there in order, each once.
  void pass(const Call& call, const Side& side, int64_t element, const char* verb) {
    int64_t& next = passed_[side.view->buffer];
    if (element != next) {
      throw Fault{fmt::format("{} {} element {} of {}, but {} is next", describe(graph_, call),
                              verb, element, describe(graph_, side.view->tensor), next)};
    }
    ++next;
  }

  int32_t reduced_extent(const Call& call) const {
    const Op& op = graph_.op(call.op);
    return static_cast<int32_t>(graph_.tensor(op.inputs[0]).shape[chunk_axis(graph_, op)]);
  }

  void write(const Call& call, const Walk& walk, const Side& side, const Region& region,
             const Interval& chunk) {
    const Shape& shape = graph_.tensor(side.view->tensor).shape;
    const bool accumulate = call.method == Method::kAccumulate;
    each_coordinate(
        walk, *side.walk, shape, side.view->stride, region,
        [&](int64_t pixel, int64_t channel, int64_t element) {
          const int64_t address = address_of(call, side, pixel, channel, "writes");
          ShadowKey key{side.kind, static_cast<int32_t>(element * side.size), 0};
          if (accumulate && chunk.begin != 0) {
            key.reduced = static_cast<int32_t>(chunk.begin);
            if (!side.memory->holds(address, key, side.size)) {
              throw Fault{fmt::format(
                  "{} adds a chunk from {} on to {}, which holds {} with {} added",
                  describe(graph_, call), chunk.begin, describe_key(key),
                  describe_key(side.memory->at(address)), side.memory->at(address).reduced)};
            }
          } else if (call.op.valid()) {
            count_production(call, side, element, elements(shape));
          }
          if (accumulate) key.reduced = static_cast<int32_t>(chunk.end);
          side.memory->write(address, key, side.size);
          if (side.view->place == Place::kStreamed) pass(call, side, element, "delivers");
        });
  }

  void count_production(const Call& call, const Side& side, int64_t element, int64_t count) {
    std::vector<Produced>& all = produced_[static_cast<size_t>(side.kind)];
    if (all.empty()) all.resize(static_cast<size_t>(count), Produced::kNot);
    Produced& produced = all[static_cast<size_t>(element)];
    if (produced != Produced::kNot) {
      ++result_.recomputed_elements;
      if (produced == Produced::kForGood || !call.recomputes) {
        throw Fault{fmt::format("{} produces element {} of {} a second time",
                                describe(graph_, call), element,
                                describe(graph_, side.view->tensor))};
      }
    }
    produced = call.recomputes ? Produced::kForNow : Produced::kForGood;
  }

  void destroy_scratch(const Call& call) {
    if (!call.op.valid()) return;
    const int64_t bytes = scratch_of(call);
    if (bytes == 0) return;
    if (!memory_.inside(call.scratch_address, bytes)) {
      throw Fault{describe(graph_, call) + ": its scratch lies outside the arena"};
    }
    memory_.destroy(call.scratch_address, bytes);
  }

  int64_t scratch_of(const Call& call) {
    const auto [it, added] = scratch_.try_emplace({call.op, call.method});
    if (added) it->second = scratch_bytes(graph_, graph_.op(call.op), call.method);
    return it->second;
  }

  static void each_unit(Progress progress, const Region& region,
                        const std::function<void(const Region&)>& visit) {
    if (progress != Progress::kElement) {
      for_each_unit(progress, region, visit);
      return;
    }
    for_each_unit(progress, region, [&](const Region& run) {
      Region unit = run;
      for (int64_t c = run.back().begin; c < run.back().end; ++c) {
        unit.back() = {c, c + 1};
        visit(unit);
      }
    });
  }

  const Graph& graph_;
  const Program& program_;
  std::vector<AccessMap> maps_;
  CallForms forms_;
  ShadowMemory memory_;                       // of the arena
  std::map<BufferId, ShadowMemory> outside_;  // the caller's, per port
  std::map<BufferId, int64_t> passed_;        // elements of streams received or delivered
  // kForNow: by a step that recomputes.
  enum class Produced : uint8_t { kNot, kForNow, kForGood };
  std::vector<std::vector<Produced>> produced_;  // per kind, per element
  std::map<std::pair<OpId, Method>, int64_t> scratch_;
  Verification result_;
};

}  // namespace

Verification verify(const Graph& graph, const Program& program) {
  return Verifier(graph, program).run();
}

}  // namespace thimble
