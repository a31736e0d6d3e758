// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "thimble/program/kernel_walk.h"
#include "thimble/program/shadow.h"
#include "thimble/schedule/progress.h"
#include "thimble/schedule/reads.h"

namespace thimble {
namespace {

struct Fault {
  std::string message;
};

class Verifier {
 public:
  Verifier(const Graph& graph, const Program& program)
      : graph_(graph),
        program_(program),
        maps_(access_maps(graph)),
        memory_(program.arena_bytes),
        produced_(2 * graph.tensors.size()) {
    for (const std::vector<ProgramPort>& ports : {program.inputs, program.outputs}) {
      for (const ProgramPort& port : ports) {
        if (port.place != Place::kResident) outside_.try_emplace(port.buffer, port.size_bytes);
      }
    }
    for (const ProgramPort& port : program.inputs) inputs_.insert(port.buffer);
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
                                    describe(port.tensor))};
          }
        });
      }
      for (const ProgramPort& port : program_.inputs) {
        const int64_t all = elements(graph_.tensor(port.tensor).shape);
        if (port.place == Place::kStreamed && passed_[port.buffer] != all)
          throw Fault{fmt::format("at the end, element {} of input {} has not been received",
                                  passed_[port.buffer], describe(port.tensor))};
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

  std::string describe(TensorId t) const {
    return fmt::format("tensor {} ('{}')", t.value, graph_.tensor(t).name);
  }
  std::string describe(const ShadowKey& key) const {
    if (key.kind < 0) return "nothing";
    const auto count = static_cast<int32_t>(graph_.tensors.size());
    const TensorId t{key.kind % count};
    const bool accumulators = key.kind >= count;
    const int64_t size =
        size_bytes(accumulators ? accumulator_type(graph_, t) : graph_.tensor(t).type);
    return fmt::format("{}element {} of {}", accumulators ? "accumulator of " : "", key.byte / size,
                       describe(t));
  }
  std::string describe(const Call& call) const {
    return fmt::format("step {} ({})", call.position,
                       call.op.valid() ? label(graph_.op(call.op)) : "copy");
  }

  template <class Visit>
  void each_port_element(const ProgramPort& port, const ShadowMemory& memory, const Visit& visit) {
    const Tensor& tensor = graph_.tensor(port.tensor);
    const int64_t size = size_bytes(tensor.type);
    if (!memory.inside(port.address, elements(tensor.shape) * size)) {
      throw Fault{fmt::format("{} lies outside the arena", describe(port.tensor))};
    }
    const bool row_major = port.place == Place::kStreamed;
    const std::vector<int>& order = row_major ? std::vector<int>() : port.order;
    each_element(tensor.shape, order, [&](int64_t place, int64_t element) {
      visit(port.address + place * size, element, size);
    });
  }

  const std::vector<KernelUse>& uses_of(const Call& call) {
    const auto [it, added] = uses_.try_emplace({call.op, call.method});
    if (!added) return it->second;
    if (!has_kernel(graph_, graph_.op(call.op), call.method))
      throw Fault{describe(call) + ": no kernel executes its operator that way"};
    return it->second = kernel_uses(graph_, graph_.op(call.op), call.method);
  }

  void visit(const Call& call, const Counters& counters) {
    ++result_.calls;
    const Region region = kernel_region(call, counters);
    if (empty(region)) return;
    Walk walk = walk_of(call);
    if (checked_calls_.insert(&call).second) check_form(call, walk);
    for (const IndexExpr& expr : call.leading) walk.leading.push_back(evaluate(expr, counters));
    check_region(call, walk, region);
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
                            describe(call), chunk.begin, chunk.end - 1, narrow->chunk)};
  }

  Walk walk_of(const Call& call) {
    if (!call.op.valid()) return identity_walk(graph_.tensor(call.out.tensor).shape);
    const std::vector<KernelUse>& uses = uses_of(call);
    const auto number = static_cast<size_t>(call.use);
    if (number >= uses.size()) throw Fault{describe(call) + ": no such call of its kernel"};
    const KernelUse& use = uses[number];
    if (use.kernel != call.kernel || use.inputs != call.operands ||
        use.in.size() != call.in.size()) {
      throw Fault{describe(call) + ": not the kernel or the operands that do its operator"};
    }
    return {use.in, use.out, {}};
  }

  // What holds whenever the call is executed: each view shows the tensor that it should, a constant
  // has that tensor's bytes, elements are aligned (cores without unaligned loads would stop).
  void check_form(const Call& call, const Walk& walk) const {
    const std::vector<TensorId> wanted = operands_of(call);
    if (wanted.size() != call.in.size()) throw Fault{describe(call) + ": wrong number of operands"};
    for (size_t k = 0; k < wanted.size(); ++k) {
      const DType otherwise = graph_.tensor(wanted[k]).type;
      const bool accumulators = call.method == Method::kFinalise;
      check_view(call, call.in[k], wanted[k],
                 accumulators ? accumulator_type(graph_, wanted[k]) : otherwise);
      check_broadcast(call, call.in[k], walk.in[k]);
    }
    const TensorId out = call.op.valid() ? graph_.op(call.op).outputs[0] : call.out.tensor;
    const bool accumulate = call.method == Method::kAccumulate;
    check_view(call, call.out, out,
               accumulate ? accumulator_type(graph_, out) : graph_.tensor(out).type);
    if (call.out.constant >= 0) throw Fault{describe(call) + ": writes a constant"};
    if (call.out.place != Place::kResident && inputs_.contains(call.out.buffer))
      throw Fault{describe(call) + ": writes the caller's input"};
    const bool streams = std::ranges::any_of(
        call.in, [](const OperandView& view) { return view.place == Place::kStreamed; });
    if (call.op.valid() && (streams || call.out.place == Place::kStreamed))
      throw Fault{describe(call) + ": computes from or into rows of the caller's"};
    if (call.op.valid()) return;
    if (call.method == Method::kInPlace) {
      check_copy_in_place(call);
    } else if (call.kernel != copy_kernel(call.out.type)) {
      throw Fault{describe(call) + ": not the copy of its type"};
    }
  }

  // All that the kernel takes for granted.
  void check_copy_in_place(const Call& call) const {
    if (call.kernel != KernelId::kTransposeInPlace8 || size_bytes(call.out.type) != 1)
      throw Fault{describe(call) + ": not the copy in place of its type"};
    if (call.in[0].address != call.out.address) {
      throw Fault{fmt::format("{}: is in place, but goes from {} to {}", describe(call),
                              call.in[0].address, call.out.address)};
    }
    Shape extents;
    for (const CallAxis& axis : call.axes) extents.push_back(axis.limits.size());
    bool fixed = true;
    for (const OperandView* view : {&call.in[0], &call.out})
      fixed = fixed && view->bias.empty() && view->channel.empty() && view->modulus == 0;
    if (!fixed || !transposes_in_place(extents, call.in[0].stride, call.out.stride))
      throw Fault{describe(call) + ": its buffers are no matrix and its transpose"};
  }

  std::vector<TensorId> operands_of(const Call& call) const {
    if (!call.op.valid()) return {call.out.tensor};
    const Op& op = graph_.op(call.op);
    if (call.method == Method::kFinalise) return {op.outputs[0]};
    std::vector<TensorId> result;
    for (int input : call.operands) result.push_back(op.inputs[static_cast<size_t>(input)]);
    return result;
  }

  void check_view(const Call& call, const OperandView& view, TensorId wanted, DType type) const {
    if (view.tensor != wanted || view.type != type) {
      throw Fault{fmt::format("{}: takes {} for {}", describe(call), describe(view.tensor),
                              describe(wanted))};
    }
    if (view.constant >= 0) {
      const auto number = static_cast<size_t>(view.constant);
      const Tensor& t = graph_.tensor(wanted);
      if (!t.is_constant() || number >= program_.constants.size() ||
          program_.constants[number].content.data != *t.data) {
        throw Fault{describe(call) + ": reads the wrong constant"};
      }
    } else if (view.address % size_bytes(type) != 0) {
      throw Fault{fmt::format("{}: {} lies unaligned at {}", describe(call), describe(wanted),
                              view.address)};
    }
  }

  // The kernel goes along all of its axes, also where the operand has none.
  void check_broadcast(const Call& call, const OperandView& view, const OperandAxes& walk) const {
    const size_t lead = walk.axes.size() - view.stride.size();
    for (size_t axis = 0; axis < view.stride.size(); ++axis) {
      if (walk.axes[lead + axis].empty() && view.stride[axis] != 0) {
        throw Fault{fmt::format("{}: {} is broadcast along axis {}, but has stride {}",
                                describe(call), describe(view.tensor), axis, view.stride[axis])};
      }
    }
  }

  // The call computes what its kernel can: nothing beyond its share of the output, and the axes
  // that the kernel covers whatever the region says.
  void check_region(const Call& call, const Walk& walk, const Region& region) {
    const Region limits = limits_of(call, walk);
    Region computed;
    for (int64_t at : walk.leading) computed.push_back({at, at + 1});
    computed.insert(computed.end(), region.begin(), region.end());
    if (computed.size() != limits.size() || !contains(limits, computed)) {
      throw Fault{fmt::format("{} computes {}, beyond its part {}", describe(call),
                              to_string(computed), to_string(limits))};
    }
    for (size_t axis : whole_axes(call.kernel)) {
      if (region[axis] != limits[limits.size() - 4 + axis]) {
        throw Fault{fmt::format("{} computes {}, but its kernel does all of axis {}",
                                describe(call), to_string(computed), axis)};
      }
    }
  }

  Region limits_of(const Call& call, const Walk& walk) {
    if (call.op.valid()) return uses_of(call)[static_cast<size_t>(call.use)].limits;
    const Shape& shape = graph_.tensor(call.out.tensor).shape;
    Region limits;
    for (const std::vector<int>& axis : walk.out.axes) {
      limits.push_back({0, axis.empty() ? 1 : shape[static_cast<size_t>(axis[0])]});
    }
    return limits;
  }

  // Kernel axes that thimble_runtime/kernels.h wants covered by the region.
  static std::vector<size_t> whole_axes(KernelId kernel) {
    switch (kernel) {
      case KernelId::kTransposeInPlace8:
        return {0, 1, 2, 3};
      case KernelId::kDepthwiseConv2DInPlace:
        return {1, 2};
      case KernelId::kSoftmaxI8I8:
      case KernelId::kSoftmaxI8I16:
        return {3};
      default:
        return {};
    }
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
        throw Fault{fmt::format("{}: {} before the start of a ring", describe(call), verb)};
      index = index % view.modulus - side.channel;
    }
    const int64_t address = view.address + (index + channel) * side.size;
    const bool inside = view.constant >= 0
                            ? address >= 0 && address + side.size <= constant_bytes(view.constant)
                            : side.memory->inside(address, side.size);
    if (!inside) {
      throw Fault{fmt::format("{}: {} byte {} for {}, outside {}", describe(call), verb, address,
                              describe(view.tensor),
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
              throw Fault{describe(call) + ": reads the wrong constant"};
            return;
          }
          const ShadowKey key{side.kind, static_cast<int32_t>(element * side.size), complete};
          if (!side.memory->holds(address, key, side.size)) {
            throw Fault{fmt::format("{} needs {} at byte {}, which holds {}", describe(call),
                                    describe(key), address, describe(side.memory->at(address)))};
          }
          if (side.view->place == Place::kStreamed) pass(call, side, element, "receives");
        });
  }

  // Rows come from the caller and go there in order, each once.
  void pass(const Call& call, const Side& side, int64_t element, const char* verb) {
    int64_t& next = passed_[side.view->buffer];
    if (element != next) {
      throw Fault{fmt::format("{} {} element {} of {}, but {} is next", describe(call), verb,
                              element, describe(side.view->tensor), next)};
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
                  "{} adds a chunk from {} on to {}, which holds {} with {} added", describe(call),
                  chunk.begin, describe(key), describe(side.memory->at(address)),
                  side.memory->at(address).reduced)};
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
        throw Fault{fmt::format("{} produces element {} of {} a second time", describe(call),
                                element, describe(side.view->tensor))};
      }
    }
    produced = call.recomputes ? Produced::kForNow : Produced::kForGood;
  }

  void destroy_scratch(const Call& call) {
    if (!call.op.valid()) return;
    const int64_t bytes = scratch_of(call);
    if (bytes == 0) return;
    if (!memory_.inside(call.scratch_address, bytes)) {
      throw Fault{describe(call) + ": its scratch lies outside the arena"};
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
  ShadowMemory memory_;                       // of the arena
  std::map<BufferId, ShadowMemory> outside_;  // the caller's, per port
  std::map<BufferId, int64_t> passed_;        // elements of streams received or delivered
  std::set<BufferId> inputs_;
  // kForNow: by a step that recomputes.
  enum class Produced : uint8_t { kNot, kForNow, kForGood };
  std::vector<std::vector<Produced>> produced_;  // per kind, per element
  std::set<const Call*> checked_calls_;
  std::map<std::pair<OpId, Method>, std::vector<KernelUse>> uses_;
  std::map<std::pair<OpId, Method>, int64_t> scratch_;
  Verification result_;
};

}  // namespace

Verification verify(const Graph& graph, const Program& program) {
  return Verifier(graph, program).run();
}

}  // namespace thimble
