// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "thimble/model/division.h"
#include "thimble/model/error.h"
#include "thimble/program/kernel_walk.h"
#include "thimble/program/token_numbers.h"
#include "thimble/schedule/gather.h"
#include "thimble/schedule/reads.h"
#include "thimble/schedule/records.h"

namespace thimble {
namespace {

// Whether one can stand for the other: whatever it is for, and whatever shape it has.
bool same_elements(const PackedConstant& a, const PackedConstant& b) {
  return a.type == b.type && a.data == b.data;
}

class Lowering {
 public:
  Lowering(const Graph& graph, const Schedule& schedule, const Placement& placement,
           Constants constants)
      : graph_(graph),
        schedule_(schedule),
        placement_(placement),
        packs_(constants == Constants::kPacked),
        gathers_(graph, schedule),
        tokens_(token_numbers(schedule)) {
    program_.loop_count = schedule.loop_count;
    program_.token_count = tokens_.count;
    for (size_t m = 0; m < schedule.memories.size(); ++m) {
      const ScheduleMemory& memory = schedule.memories[m];
      program_.memories.push_back({.name = memory.name,
                                   .kind = memory.kind,
                                   .size_bytes = bytes_taken(memory, placement.memories[m]),
                                   .capacity_bytes = memory.capacity_bytes,
                                   .alignment = memory.alignment,
                                   .storage = memory.storage});
    }
  }

  Program run() {
    const std::vector<LiveRange> lives = live_ranges(schedule_);
    for_each_step(schedule_, [&](const Step&, Position position) { steps_ = position + 1; });
    for (size_t b = 0; b < schedule_.buffers.size(); ++b) {
      const Buffer& buffer = schedule_.buffers[b];
      program_.buffers.push_back(
          {.id = {static_cast<int32_t>(b)},
           .tensor = buffer.tensor,
           .type = buffer.type,
           .extents = buffer.extents,
           .ring = buffer.wrap.has_value(),
           .sums = buffer.sums,
           .memory = buffer.memory,
           .address = is_laid_out(buffer.memory) ? placement_.addresses[b] : 0,
           .size_bytes = placed_bytes(schedule_, buffer),
           .live = lives[b]});
    }
    program_.inputs = ports(graph_.inputs, schedule_.inputs);
    program_.outputs = ports(graph_.outputs, schedule_.outputs);
    for (size_t k = 0; k < graph_.states.size(); ++k) {
      const State& state = graph_.states[k];
      const StateBuffers& buffers = schedule_.states[k];
      program_.states.push_back({.before = ports({{.tensor = state.in}}, {buffers.in})[0],
                                 .after = ports({{.tensor = state.out}}, {buffers.out})[0],
                                 .initial = state.initial});
    }
    program_.nodes = nodes(schedule_.nodes);
    name_shared();
    return std::move(program_);
  }

 private:
  std::vector<ProgramPort> ports(const std::vector<Port>& ports,
                                 const std::vector<BufferId>& buffers) {
    std::vector<ProgramPort> result;
    for (size_t k = 0; k < ports.size(); ++k) {
      result.push_back({.tensor = ports[k].tensor,
                        .shape = caller_shape(graph_, ports[k]),
                        .order = ports[k].order,
                        .buffer = buffers[k],
                        .size_bytes = program_.buffer(buffers[k]).size_bytes});
    }
    return result;
  }

  std::vector<ProgramNode> nodes(const std::vector<Node>& scheduled) {
    std::vector<ProgramNode> result;
    for (const Node& node : scheduled) {
      visit_node(
          node,
          [&](const Step& s) {
            if (s.transfer == TransferPart::kNone) {
              step(s, result);
            } else {
              result.push_back({transfer(s)});
            }
            ++position_;
          },
          [&](const Loop& loop) {
            result.push_back({ProgramLoop{loop.id, loop.count, nodes(loop.body)}});
          });
    }
    return result;
  }

  TokenId number_of(TokenId token) const { return tokens_.of[token.index()]; }

  TransferCall transfer(const Step& s) const {
    if (s.transfer == TransferPart::kErase)
      return {.kind = TransferKind::kErase,
              .token = number_of(s.token),
              .position = position_,
              .stored = s.out,
              .erased = s.in[0].from};
    if (s.transfer == TransferPart::kWait) {
      const BufferId from = s.in[0].from[0];
      TransferCall wait{.kind = TransferKind::kWait,
                        .token = number_of(s.token),
                        .position = position_,
                        .stored = is_stored(schedule_, from) ? from : s.out};
      pass_through(s, wait);
      return wait;
    }
    const TransferSides sides = sides_of(schedule_, s);
    const Buffer& stored = schedule_.buffer(sides.stored);
    const Buffer& held = schedule_.buffer(sides.held);
    const RecordForm form =
        record_form(stored, schedule_.memory(stored.memory).storage->write_bytes);
    TransferCall result{.kind = sides.reads ? TransferKind::kRead : TransferKind::kWrite,
                        .token = number_of(s.token),
                        .position = position_,
                        .stored = sides.stored,
                        .held = sides.held,
                        .tags = s.scratch,
                        .records = {thimble::records_of(schedule_, s), {0, form.count}},
                        .record_bytes = form.record_bytes,
                        .stride_bytes = form.stride_bytes};
    pass_through(s, result);
    if (form.axis < 0) return result;
    const auto axis = static_cast<size_t>(form.axis);
    result.origin = held.origin[axis];
    if (held.wrap) result.rows = held.wrap->modulus;
    return result;
  }

  void pass_through(const Step& s, TransferCall& transfer) const {
    if (!s.passage.valid()) return;
    const Buffer& stored = schedule_.buffer(transfer.stored);
    const int64_t granule = schedule_.memory(stored.memory).storage->write_bytes;
    transfer.passage = s.passage;
    transfer.chunk_bytes = stored.chunk_bytes;
    transfer.first_bytes =
        first_bytes(record_form(stored, granule).record_bytes, granule, stored.chunk_bytes);
  }

  void step(const Step& s, std::vector<ProgramNode>& result) {
    const auto pieces = gathers_.pieces(s);
    check(std::holds_alternative<std::vector<Piece>>(pieces), "lowering a malformed schedule");
    for (const Piece& piece : std::get<std::vector<Piece>>(pieces)) {
      if (!s.op.valid()) {
        add(copy(piece), result);
        continue;
      }
      const std::vector<KernelUse>& uses = uses_of(s.op, s.method);
      for (size_t u = 0; u < uses.size(); ++u) {
        add(one_call(piece, uses[u], static_cast<int>(u)), result);
      }
    }
  }

  // Another operand's piece of a concatenation computes nothing here.
  void add(Call call, std::vector<ProgramNode>& result) {
    const bool nothing = std::ranges::any_of(call.axes, [](const CallAxis& axis) {
      const IntervalExpr& i = axis.interval;
      return axis.limits.empty() || (i.begin.constant() && i.begin.base >= axis.limits.end) ||
             (i.end.constant() && i.end.base <= axis.limits.begin);
    });
    if (!nothing) result.push_back(nest(std::move(call)));
  }

  const std::vector<KernelUse>& uses_of(OpId op, Method method) {
    const auto [it, added] = uses_.try_emplace({op, method});
    if (added) it->second = kernel_uses(graph_, graph_.op(op), method);
    return it->second;
  }

  Call one_call(const Piece& piece, const KernelUse& use, int number) {
    const Step& s = piece.step;
    const Op& op = graph_.op(s.op);
    const KernelId kernel = chosen(s.kernel, use);
    Call call{.op = s.op, .method = s.method, .use = number, .kernel = kernel};
    const int64_t scratch = s.scratch.valid() ? schedule_.buffer(s.scratch).size_bytes() : 0;
    call.params = params(s, kernel, use, number, scratch);
    call.brought = s.constants;
    call.record = s.record;
    call.position = position_;
    call.operands = use.inputs;
    for (size_t k = 0; k < use.inputs.size(); ++k) {
      const auto input = static_cast<size_t>(use.inputs[k]);
      const TensorId tensor = operand_tensor(graph_, schedule_, s, input);
      const bool constant = s.method != Method::kFinalise && graph_.tensor(tensor).is_constant();
      call.in.push_back(constant ? constant_view(op, input, use.in[k])
                                 : view_of(s.in[input].buffer(), use.in[k]));
    }
    call.out = view_of(s.out, use.out);
    call.axes = axes(piece, use, kernel, graph_.tensor(op.outputs[0]).shape);
    if (s.chunk) call.chunk = CallAxis{*s.chunk, piece.chunk_within};
    call.recomputes = s.recomputes;
    if (least_scratch_bytes(kernel, use) > 0) call.scratch = s.scratch;
    return call;
  }

  Call copy(const Piece& piece) {
    const Step& s = piece.step;
    const Buffer& out = schedule_.buffer(s.out);
    const Shape& shape = graph_.tensor(out.tensor).shape;
    KernelUse use = plain_copy(shape, out.type);
    OperandView from = view_of(s.in[0].buffer(), use.in[0]), to = view_of(s.out, use.out);
    // The layout may have its buffers apart: then it is like any other.
    const bool in_place = s.method == Method::kInPlace &&
                          program_.memory_of(from.buffer) == program_.memory_of(to.buffer) &&
                          program_.address(from.buffer) == program_.address(to.buffer);
    if (in_place) use.kernel = portable_kernel(Family::kTransposeInPlace);
    Call call{.method = in_place ? Method::kInPlace : Method::kCompute, .kernel = use.kernel};
    call.position = position_;
    call.operands = {0};
    call.in = {std::move(from)};
    call.out = std::move(to);
    call.axes = axes(piece, use, use.kernel, shape);
    return call;
  }

  OperandView view_of(BufferId id, const OperandAxes& walk) const {
    const Buffer& buffer = schedule_.buffer(id);
    const Shape& shape = graph_.tensor(buffer.tensor).shape;
    const std::vector<int64_t> stride = strides(buffer);
    OperandView view{
        .tensor = buffer.tensor, .type = buffer.type, .buffer = id, .stride = {}, .bias = {}};
    if (buffer.wrap) view.modulus = buffer.size_bytes() / size_bytes(buffer.type);
    // What the first element held is behind that of the tensor: in a ring, along the channels
    // apart.
    int64_t fixed = 0, fixed_channel = 0;
    const auto is_channel = [&](size_t k) { return buffer.wrap && k + 1 == walk.axes.size(); };
    for (size_t k = 0; k < walk.axes.size(); ++k) {
      const std::vector<int>& merged = walk.axes[k];
      const int64_t next = merged.empty() ? 0 : stride[static_cast<size_t>(merged.back())];
      view.stride.push_back(walk.step[k] * next);
      (is_channel(k) ? fixed_channel : fixed) += walk.shift[k] * next;
    }
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const IndexExpr& origin = buffer.origin[axis];
      const std::vector<int>& last = walk.axes.back();
      const bool channel = is_channel(walk.axes.size() - 1) &&
                           std::ranges::find(last, static_cast<int>(axis)) != last.end();
      if (origin.constant()) {
        (channel ? fixed_channel : fixed) += evaluate(origin, {}) * stride[axis];
      } else {
        (channel ? view.channel : view.bias).push_back({stride[axis], origin});
      }
    }
    if (fixed != 0) view.bias.insert(view.bias.begin(), {1, index(fixed)});
    if (fixed_channel != 0) view.channel.insert(view.channel.begin(), {1, index(fixed_channel)});
    return view;
  }

  OperandView constant_view(const Op& op, size_t input, const OperandAxes& walk) {
    const TensorId tensor = op.inputs[input];
    const Tensor& t = graph_.tensor(tensor);
    OperandView view{.tensor = tensor,
                     .type = t.type,
                     .buffer = constant_operand(tensor),
                     .stride = {},
                     .bias = {}};
    const std::vector<int64_t> stride = strides(whole_buffer(graph_, tensor));
    int64_t fixed = 0;
    for (size_t k = 0; k < walk.axes.size(); ++k) {
      const int64_t next =
          walk.axes[k].empty() ? 0 : stride[static_cast<size_t>(walk.axes[k].back())];
      view.stride.push_back(walk.step[k] * next);
      fixed += walk.shift[k] * next;
    }
    if (fixed != 0) view.bias.push_back({1, index(fixed)});
    return view;
  }

  // The step's region in the axes of the kernel.
  static std::vector<CallAxis> axes(const Piece& piece, const KernelUse& use, KernelId kernel,
                                    const Shape& shape) {
    auto fit = kernel_axes(piece, use, kernel, shape);
    check(std::holds_alternative<std::vector<CallAxis>>(fit), "lowering a malformed schedule");
    return std::get<std::vector<CallAxis>>(std::move(fit));
  }

  // More than four axes: loops over the leading ones, whose counters enter the views' biases.
  ProgramNode nest(Call call) {
    if (call.axes.size() == 4) return {std::move(call)};
    const Interval range =
        kernel_region(call, Counters(static_cast<size_t>(program_.loop_count)))[0];
    const LoopId loop{program_.loop_count++};
    auto peel = [&](OperandView& view) {
      if (view.stride.front() != 0) {
        view.bias.push_back({-view.stride.front(), index(loop, 1, range.begin)});
      }
      view.stride.erase(view.stride.begin());
    };
    for (OperandView& view : call.in) peel(view);
    peel(call.out);
    call.axes.erase(call.axes.begin());
    call.leading.push_back(index(loop, 1, range.begin));
    return {ProgramLoop{loop, range.size(), {nest(std::move(call))}}};
  }

  std::string op_name(OpId id) const {
    const Op& op = graph_.op(id);
    return op.file_index >= 0 ? fmt::format("{}_{}", snake_name(op.attributes), op.file_index)
                              : fmt::format("{}_r{}", snake_name(op.attributes), id.value);
  }

  // Calls of one operator whose kernels take the very same values share them.
  int params(const Step& s, KernelId kernel, const KernelUse& use, int number, int64_t scratch) {
    if (std::holds_alternative<std::monostate>(use.params)) return -1;
    const OpId id = s.op;
    const bool told = info(kernel).scratch_within != nullptr;
    const int64_t channels =
        s.constants.valid() ? schedule_.buffer(s.constants).packed.channels : 0;
    const auto [it, added] =
        params_.try_emplace({id, kernel, number, told ? scratch : 0, channels}, -1);
    if (!added) return it->second;
    const KernelParams values =
        params_of(graph_, graph_.op(id), kernel, use, told ? std::optional(scratch) : std::nullopt);
    if (s.constants.valid())
      return it->second = brought_params(s, {params_name(id, kernel, number), values, {}});
    std::vector<PackedConstant> constants;
    if (packs_) constants = pack(graph_, graph_.op(id), kernel);
    for (const int other : params_of_[id]) {
      const ProgramParams& known = program_.params[static_cast<size_t>(other)];
      if (holds(known, values, constants)) return it->second = other;
    }
    ProgramParams result{params_name(id, kernel, number), values, {}};
    for (const PackedConstant& packed : constants)
      result.constants.push_back(
          constant(op_name(id), result.name + "_" + packed.role, packed, {}));
    it->second = static_cast<int>(program_.params.size());
    params_of_[id].push_back(it->second);
    program_.params.push_back(std::move(result));
    return it->second;
  }

  // Constants in an image: those of the same records are there once.
  int brought_params(const Step& s, ProgramParams params) {
    const PackedRecords& records = schedule_.buffer(s.constants).packed;
    const auto number = static_cast<int>(program_.params.size());
    for (PlacedBuffer& placed : program_.buffers) {
      if (placed.constant >= 0) break;  // constants come behind all others
      if (schedule_.buffer(placed.id).packed != records) continue;
      if (placed.packed >= 0) {
        const ProgramParams& known = program_.params[static_cast<size_t>(placed.packed)];
        params.constants = known.constants;
        params.records = known.records;
      } else {
        placed.packed = number;
      }
    }
    if (!params.records) {
      const PlacedBuffer image = image_of(records);
      std::vector<PackedConstant> constants = pack(graph_, graph_.op(s.op), records.kernel);
      params.records = record_layout(packed_sizes(constants), records.channels,
                                     packed_channels(graph_, graph_.op(s.op)));
      for (PackedConstant& packed : constants) {
        if (!packs_) packed.data = {};
        const std::string name = params.name + "_" + packed.role;
        params.constants.push_back(
            add_constant(name, std::move(packed), {}, image.memory, image.address));
      }
    }
    params_of_[s.op].push_back(number);
    program_.params.push_back(std::move(params));
    return number;
  }

  const PlacedBuffer& image_of(const PackedRecords& records) const {
    const auto stored = std::ranges::find_if(program_.buffers, [&](const PlacedBuffer& placed) {
      return placed.constant < 0 && program_.memory(placed.memory).storage.has_value() &&
             schedule_.buffer(placed.id).packed == records;
    });
    check(stored != program_.buffers.end(), "brought constants are nowhere");
    return *stored;
  }

  bool holds(const ProgramParams& known, const KernelParams& params,
             const std::vector<PackedConstant>& constants) const {
    if (!same_values(known.params, params) || known.constants.size() != constants.size() ||
        known.records)
      return false;
    for (size_t k = 0; k < constants.size(); ++k) {
      if (!same_elements(program_.constant(known.constants[k])->content, constants[k]))
        return false;
    }
    return true;
  }

  // The bytes of a constant are in flash once, whoever reads them: layers that are unrolled over
  // time have the same weights, many layers the same bias. tensor: invalid unless it is packed as
  // it is.
  BufferId constant(const std::string& owner, std::string name, PackedConstant content,
                    TensorId tensor) {
    const size_t hash = hash_of(content);
    const auto [first, last] = constants_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
      const auto& [first_owner, buffer] = known->second;
      if (!same_elements(program_.constant(buffer)->content, content)) continue;
      if (first_owner != owner) shared_.insert(program_.buffer(buffer).constant);
      return buffer;
    }
    const BufferId buffer = add_constant(std::move(name), std::move(content), tensor);
    constants_.emplace(hash, std::pair(owner, buffer));
    return buffer;
  }

  static size_t hash_of(const PackedConstant& packed) {
    return std::hash<std::string_view>()(
        {reinterpret_cast<const char*>(packed.data.data()), packed.data.size()});
  }

  // "shared_bias", "shared_bias_2": one that has several owners has the name of none.
  void name_shared() {
    std::map<std::string, int> count;
    for (const int number : shared_) {
      ProgramConstant& constant = program_.constants[static_cast<size_t>(number)];
      const int of_role = ++count[constant.content.role];
      constant.name = "shared_" + constant.content.role;
      if (of_role > 1) constant.name += fmt::format("_{}", of_role);
    }
  }

  // "conv_2d_3"; what else the operator needs has the kernel's name behind it. Where that is taken
  // (pieces with other scratch; operators that one of the file became) a number follows.
  std::string params_name(OpId id, KernelId kernel, int number) {
    std::string name = op_name(id);
    if (!params_of_[id].empty()) name += fmt::format("_{}", info(kernel).name);
    if (number != 0) name += fmt::format("_{}", number);
    std::string unique = name;
    for (int times = 2; !names_.insert(unique).second; ++times)
      unique = fmt::format("{}_again{}", name, times);
    return unique;
  }

  BufferId constant_operand(TensorId tensor) {
    const auto [it, added] = operands_.try_emplace(tensor);
    if (!added) return it->second;
    const Tensor& t = graph_.tensor(tensor);
    const std::string name = fmt::format("constant_{}", tensor.value);
    return it->second = constant(name, name, {"operand", t.type, t.shape, *t.data}, tensor);
  }

  // A buffer in flash, behind the ones before.
  BufferId add_constant(std::string name, PackedConstant content, TensorId tensor) {
    const int64_t alignment = std::max<int64_t>(1, size_bytes(content.type));
    int64_t& end = program_.memories[kFlash.index()].size_bytes;
    const int64_t address = (end + alignment - 1) / alignment * alignment;
    end = address + std::ssize(content.data);
    return add_constant(std::move(name), std::move(content), tensor, kFlash, address);
  }

  BufferId add_constant(std::string name, PackedConstant content, TensorId tensor, MemoryId memory,
                        int64_t address) {
    const BufferId id{static_cast<int32_t>(program_.buffers.size())};
    program_.buffers.push_back({.id = id,
                                .tensor = tensor,
                                .type = content.type,
                                .extents = content.shape,
                                .memory = memory,
                                .address = address,
                                .size_bytes = std::ssize(content.data),
                                .live = {0, steps_},
                                .constant = static_cast<int>(program_.constants.size())});
    program_.constants.push_back({std::move(name), std::move(content), id});
    return id;
  }

  const Graph& graph_;
  const Schedule& schedule_;
  const Placement& placement_;
  const bool packs_;
  Gathers gathers_;
  const TokenNumbers tokens_;
  Program program_;
  Position position_ = 0, steps_ = 0;
  std::map<std::pair<OpId, Method>, std::vector<KernelUse>> uses_;
  std::map<std::tuple<OpId, KernelId, int, int64_t, int64_t>, int> params_;
  std::map<OpId, std::vector<int>> params_of_;
  std::unordered_multimap<size_t, std::pair<std::string, BufferId>> constants_;  ///< by hash
  std::set<int> shared_;         ///< those with several owners
  std::set<std::string> names_;  // of parameters
  std::map<TensorId, BufferId> operands_;
};

}  // namespace

Program lower(const Graph& graph, const Schedule& schedule, const Placement& placement,
              Constants constants) {
  return Lowering(graph, schedule, placement, constants).run();
}

}  // namespace thimble
