// SPDX-License-Identifier: Apache-2.0
// The form of a schedule, checked before anything relies on it: it may come from a file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "thimble/operators/operators.h"
#include "thimble/schedule/kernel_fit.h"
#include "thimble/schedule/records.h"

namespace thimble {
namespace {

constexpr int64_t kMost = int64_t{1} << 31, kMostDivisor = int64_t{1} << 20;
constexpr double kMostLives = 1e8;  // loops * buffers: each pair is looked at
// Coefficient * iterations, and origin * stride: what is computed with them fits 64 bits.
constexpr double kMostTerm = 0x1p36, kMostOrigin = 0x1p56;
constexpr int kMaxDepth = 16, kMostTokens = 1 << 16;
// Steps and iterations as executed: finer than a step per element of the network, or per
// multiply-accumulate, no plan needs to be.
constexpr double kStepsOfAnyPlan = 1e6, kStepsPerElement = 4;

double most_steps(const Graph& graph) {
  auto own = static_cast<double>(macs(graph));
  for (const Tensor& t : graph.tensors) own += static_cast<double>(elements(t.shape));
  return kStepsOfAnyPlan + kStepsPerElement * own;
}

class Checker {
 public:
  Checker(const Graph& graph, const Schedule& schedule)
      : graph_(graph), schedule_(schedule), most_steps_(most_steps(graph)) {}

  std::string run() {
    if (schedule_.loop_count < 0 || schedule_.loop_count > 1'000'000 ||
        static_cast<double>(schedule_.loop_count) * static_cast<double>(schedule_.buffers.size()) >
            kMostLives)
      return "the number of loops is out of range";
    if (schedule_.token_count < 0 || schedule_.token_count > kMostTokens)
      return "the number of tokens is out of range";
    if (std::string fault = memories_fault(schedule_.memories); !fault.empty()) return fault;
    for (size_t b = 0; b < schedule_.buffers.size(); ++b) {
      if (std::string fault = buffer(schedule_.buffers[b]); !fault.empty()) {
        return fmt::format("buffer {}: {}", b, fault);
      }
    }
    if (std::string fault = ports(graph_.inputs, schedule_.inputs, "input"); !fault.empty())
      return fault;
    if (std::string fault = ports(graph_.outputs, schedule_.outputs, "output"); !fault.empty())
      return fault;
    if (std::string fault = states(); !fault.empty()) return fault;
    if (std::string fault = places(); !fault.empty()) return fault;
    for (const Share& share : schedule_.shares) {
      if (!in_range(share.out) || !in_range(share.in))
        return "a share names a buffer that does not exist";
      if (share.out == share.in) return "a buffer shares bytes with itself";
    }
    if (std::string fault = nodes(schedule_.nodes, 0, 1); !fault.empty()) return fault;
    if (streamed_inputs_ != receives_) return "an input is streamed that no step receives";
    return kernels_fault(graph_, schedule_);
  }

 private:
  bool in_range(BufferId id) const { return id.valid() && id.index() < schedule_.buffers.size(); }

  bool good(const IndexExpr& expr) const {
    if (expr.divisor < 1 || expr.divisor > kMostDivisor || expr.base > kMost || expr.base < -kMost)
      return false;
    LoopId before{-1};
    for (const Term& term : expr.terms) {
      if (term.loop <= before || term.loop.value >= schedule_.loop_count) return false;
      if (term.coefficient > kMost || term.coefficient < -kMost || term.coefficient == 0)
        return false;
      before = term.loop;
    }
    return true;
  }

  std::string buffer(const Buffer& b) const {
    if (!b.memory.valid() || b.memory.index() >= schedule_.memories.size())
      return "its memory does not exist";
    if (b.memory == kFlash) return "flash holds packed constants, and no buffer of a schedule";
    int64_t bytes = size_bytes(b.type);
    for (int64_t extent : b.extents) {
      if (extent < 1 || extent > kMost || (bytes *= extent) > kMost)
        return "its extents are out of range";
    }
    if (b.packed.valid()) return packed(b);
    if (!b.tensor.valid() && schedule_.memory(b.memory).kind == MemoryKind::kBlockStorage)
      return "scratch does not lie in storage";
    if (!b.tensor.valid())
      return b.extents.size() == 1 && !b.sums ? "" : "scratch has one extent, its bytes";
    if (b.tensor.index() >= graph_.tensors.size()) return "its tensor does not exist";
    const Tensor& t = graph_.tensor(b.tensor);
    const size_t rank = t.shape.size();
    if (b.extents.size() != rank || b.origin.size() != rank) return "its rank is not its tensor's";
    if (b.type != (b.sums ? accumulator_type(graph_, b.tensor) : t.type))
      return "its type is not that of its tensor's values or sums";
    double first = 0;  // of the elements held, among the tensor's
    for (size_t axis = 0; axis < rank; ++axis) {
      const IndexExpr& expr = b.origin[axis];
      if (!good(expr)) return "its origin is out of range";
      first += std::abs(static_cast<double>(expr.base)) * static_cast<double>(bytes);
    }
    if (first > kMostOrigin) return "its origin is out of range";
    std::vector<int> sorted = b.order;
    std::sort(sorted.begin(), sorted.end());
    for (size_t k = 0; k < sorted.size(); ++k) {
      if (sorted.size() != rank || sorted[k] != static_cast<int>(k)) {
        return "its order is no permutation of its axes";
      }
    }
    if (schedule_.memory(b.memory).kind == MemoryKind::kBlockStorage) {
      const bool fixed =
          std::ranges::all_of(b.origin, [](const IndexExpr& e) { return e.constant(); });
      if (b.wrap || b.sums || !fixed) return "in storage are values, neither in a ring nor moving";
      const int64_t granule = schedule_.memory(b.memory).storage->write_bytes;
      if (b.chunk_bytes < 0 || b.chunk_bytes % granule != 0 ||
          b.chunk_bytes > record_form(b, granule).stride_bytes)
        return "its chunks are not whole granules of a record";
    } else if (b.chunk_bytes != 0) {
      return "it has chunks, but is not in storage";
    }
    if (b.wrap) {
      if (b.wrap->axis < 0 || static_cast<size_t>(b.wrap->axis) >= rank || b.wrap->modulus < 1 ||
          b.wrap->modulus > kMost) {
        return "its ring is out of range";
      }
      int64_t held = b.wrap->modulus * size_bytes(b.type);
      for (size_t axis = 0; axis < rank; ++axis) {
        const bool wrapped = b.wraps(axis);
        if (wrapped && b.origin[axis] != index(0)) return "the axes of a ring have origin 0";
        if (!wrapped && (held *= b.extents[axis]) > kMost) return "its ring is out of range";
      }
    }
    return "";
  }

  std::string packed(const Buffer& b) const {
    if (b.tensor.valid() || b.type != DType::kInt32 || b.sums || !b.order.empty() ||
        b.chunk_bytes != 0 || b.extents.size() != 2 ||
        b.origin != std::vector<IndexExpr>{index(0), index(0)})
      return "packed constants are records of words";
    if (b.packed.op.index() >= graph_.ops.size()) return "its operator does not exist";
    const bool stored = schedule_.memory(b.memory).kind == MemoryKind::kBlockStorage;
    if (!stored && b.memory != kArena) return "packed constants are brought to the arena";
    const std::optional<RecordLayout>& layout = layout_of(b.packed);
    if (!layout || b.extents[1] * size_bytes(b.type) != layout->record_bytes)
      return "no kernel's constants are such records";
    if (b.wrap) {
      const bool ring = !stored && b.wrap->axis == 0 && b.wrap->modulus >= 1 &&
                        b.wrap->modulus < layout->count && b.extents[0] == b.wrap->modulus;
      return ring ? "" : "its ring is out of range";
    }
    return b.extents[0] == layout->count ? "" : "it does not hold all of its records";
  }

  // Whether the kernel makes the operator's one call, whose constants it can pack.
  bool makes_calls(const PackedRecords& records) const {
    const Op& op = graph_.op(records.op);
    if (!records.kernel.valid()) return false;
    return std::ranges::any_of(std::array{Method::kCompute, Method::kInPlace}, [&](Method method) {
      if (!has_kernel(graph_, op, method)) return false;
      const std::vector<KernelUse> uses = kernel_uses(graph_, op, method);
      return uses.size() == 1 && does(records.kernel, uses[0]);
    });
  }

  const std::optional<RecordLayout>& layout_of(const PackedRecords& records) const {
    const auto [it, added] =
        layouts_.try_emplace({records.op, records.kernel, records.channels}, std::nullopt);
    if (added && makes_calls(records)) it->second = record_layout(graph_, records);
    return it->second;
  }

  std::string ports(const std::vector<Port>& ports, const std::vector<BufferId>& buffers,
                    const char* what) const {
    if (ports.size() != buffers.size())
      return fmt::format("it has {} {} buffers, the network {}", buffers.size(), what,
                         ports.size());
    for (size_t k = 0; k < ports.size(); ++k) {
      if (!in_range(buffers[k])) return fmt::format("{} {} has no buffer", what, k);
      const Buffer& b = schedule_.buffer(buffers[k]);
      const Tensor& t = graph_.tensor(ports[k].tensor);
      if (schedule_.memory(b.memory).kind == MemoryKind::kBlockStorage)
        return fmt::format("{} {} lies in block storage, where no caller reaches it", what, k);
      if (b.tensor != ports[k].tensor || b.extents != t.shape || b.type != t.type || b.sums ||
          b.wrap || b.order != (b.memory == kStream ? std::vector<int>() : ports[k].order) ||
          b.origin != std::vector<IndexExpr>(t.shape.size(), index(0))) {
        return fmt::format("{} {} is not held whole, in the caller's order", what, k);
      }
    }
    return "";
  }

  // Variables are held like ports, in memory of the network's own.
  std::string states() const {
    std::vector<Port> in, out;
    std::vector<BufferId> in_buffers, out_buffers;
    for (const State& state : graph_.states) {
      in.push_back({.tensor = state.in});
      out.push_back({.tensor = state.out});
    }
    for (const StateBuffers& state : schedule_.states) {
      in_buffers.push_back(state.in);
      out_buffers.push_back(state.out);
    }
    if (std::string fault = ports(in, in_buffers, "state"); !fault.empty()) return fault;
    if (std::string fault = ports(out, out_buffers, "state"); !fault.empty()) return fault;
    for (const StateBuffers& state : schedule_.states) {
      const bool is_port =
          std::ranges::find(schedule_.outputs, state.out) != schedule_.outputs.end();
      const MemoryId memory = schedule_.buffer(state.in).memory;
      if (is_port || !is_laid_out(memory) || schedule_.buffer(state.out).memory != memory)
        return "a state does not stay in one place of the network's memory";
    }
    return "";
  }

  // Only ports are the caller's or streamed, each buffer for one port; rows come and go of one
  // tensor each.
  std::string places() {
    std::vector<int> ports(schedule_.buffers.size());
    for (const BufferId id : schedule_.inputs) {
      const Buffer& b = schedule_.buffer(id);
      ++ports[id.index()];
      is_input_.insert(id);
      streamed_inputs_ += b.memory == kStream ? 1 : 0;
    }
    int streamed_outputs = 0;
    for (const BufferId id : schedule_.outputs) {
      ++ports[id.index()];
      streamed_outputs += schedule_.buffer(id).memory == kStream ? 1 : 0;
    }
    for (size_t k = 0; k < schedule_.buffers.size(); ++k) {
      const Buffer& b = schedule_.buffers[k];
      if (is_laid_out(b.memory)) continue;
      if (ports[k] != 1)
        return fmt::format("buffer {} lies outside of the arena, but is no port", k);
      if (b.memory == kStream && !has_rows(b.extents))
        return fmt::format("buffer {} is streamed, but has no rows", k);
    }
    if ((streamed_inputs_ > 0 && schedule_.inputs.size() > 1) || streamed_outputs > 1)
      return "of several inputs or outputs none can be streamed";
    return "";
  }

  std::string nodes(const std::vector<Node>& nodes_in, int depth, double times) {
    if (depth > kMaxDepth) return "loops are nested too deeply";
    executed_ += times * static_cast<double>(nodes_in.size() + 1);
    if (executed_ > most_steps_)
      return fmt::format("it executes more than {:.0f} steps, which no plan of this network needs",
                         most_steps_);
    for (const Node& node : nodes_in) {
      const std::string fault = visit_node(
          node, [&](const Step& s) { return numbered_step(s, depth); },
          [&](const Loop& l) { return loop(l, depth, times); });
      if (!fault.empty()) return fault;
    }
    return "";
  }

  std::string numbered_step(const Step& s, int depth) {
    std::string fault = step(s);
    if (fault.empty() && s.transfer != TransferPart::kNone) fault = token(s);
    if (fault.empty() && receives(schedule_, s)) {
      ++receives_;
      if (depth != 1 || executing_ != 0)
        fault = "rows are received by the first step, in a loop that stands in no other";
    }
    if (!fault.empty()) fault = fmt::format("step {}: {}", steps_, fault);
    ++steps_;
    executing_ += s.transfer == TransferPart::kNone ? 1 : 0;
    return fault;
  }

  std::string loop(const Loop& loop, int depth, double times) {
    if (!loop.id.valid() || loop.id.value >= schedule_.loop_count ||
        !loops_.insert(loop.id).second) {
      return "a loop's number is out of range or used twice";
    }
    if (loop.count < 1 || loop.count > kMost) return "a loop's count is out of range";
    running_.emplace(loop.id, loop.count);
    std::string fault = nodes(loop.body, depth + 1, times * static_cast<double>(loop.count));
    running_.erase(loop.id);
    return fault;
  }

  static bool ends_early(const IntervalExpr& i) {
    return i.begin.constant() && i.end.constant() && evaluate(i.begin, {}) > evaluate(i.end, {});
  }

  // Follows only loops around the step at hand: the others' counters have no value.
  bool runs(const IndexExpr& expr) const {
    return std::all_of(expr.terms.begin(), expr.terms.end(), [&](const Term& term) {
      const auto count = running_.find(term.loop);
      return count != running_.end() && std::abs(static_cast<double>(term.coefficient) *
                                                 static_cast<double>(count->second)) <= kMostTerm;
    });
  }
  bool runs(const IntervalExpr& i) const {
    bool all = true;
    each_bound(i, [&](const IndexExpr& bound) { all = all && runs(bound); });
    return all;
  }
  bool good(const IntervalExpr& i) const {
    bool all = true;
    each_bound(i, [&](const IndexExpr& bound) { all = all && good(bound); });
    return all;
  }
  /// What it is cut to must not end before it begins, whatever the counters are.
  static std::string cut_fault(const IntervalExpr& i, TransferPart transfer) {
    if (!i.within) return "";
    if (i.begin.constant() && i.end.constant() && transfer == TransferPart::kNone)
      return "its region is cut to a tile, but follows no loop";
    const auto& [begin, end] = *i.within;
    return advance_alike(begin, end) && begin.base <= end.base
               ? ""
               : "what its region is cut to may end before it begins";
  }
  bool runs(BufferId id) const {
    const std::vector<IndexExpr>& origin = schedule_.buffer(id).origin;
    return std::all_of(origin.begin(), origin.end(), [&](const IndexExpr& e) { return runs(e); });
  }

  std::string step(const Step& s) const {
    if (!in_range(s.out)) return "it has no output buffer";
    bool follows_running = runs(s.out) && (!s.chunk || runs(*s.chunk));
    for (BufferId id : read_buffers(s)) {
      if (!in_range(id)) return "it reads a buffer that does not exist";
      follows_running = follows_running && runs(id);
    }
    for (const IntervalExpr& i : s.region) {
      if (!good(i)) return "its region is out of range";
      if (ends_early(i)) return "its region ends before it begins";
      if (std::string fault = cut_fault(i, s.transfer); !fault.empty()) return fault;
      follows_running = follows_running && runs(i);
    }
    if (s.chunk && (!good(*s.chunk) || s.chunk->within)) return "its chunk is out of range";
    if (s.chunk && ends_early(*s.chunk)) return "its chunk ends before it begins";
    if (!follows_running)
      return "it follows a loop that it does not stand in, or reaches far beyond any tensor";
    const Buffer& out = schedule_.buffer(s.out);
    if (out.memory == kCaller && is_input_.contains(s.out)) return "it writes the caller's input";
    if (s.transfer != TransferPart::kNone) return transfer_fault(schedule_, s);
    if (s.token.valid() || s.passage.valid()) return "it has a token, but is no transfer";
    if (s.constants.valid()) {
      if (std::string fault = brought(s); !fault.empty()) return fault;
    } else if (s.record != IndexExpr{}) {
      return "it names a record, but no packed constants are brought for it";
    }
    if (std::string fault = reach(s); !fault.empty()) return fault;
    if (std::string fault = scratch(s); !fault.empty()) return fault;
    if (!s.op.valid()) {
      const bool copy = s.in.size() == 1 && !s.chunk && s.in[0].valid() && out.tensor.valid() &&
                        holds(s.in[0], out.tensor, false) && !out.sums &&
                        s.region.size() == out.extents.size();
      if (!copy) return "a copy goes from one buffer of a tensor's values to another";
      return s.method == Method::kCompute ? rows_of_stream(s) : copy_in_place(s, out);
    }
    const auto streamed = [&](BufferId id) { return schedule_.buffer(id).memory == kStream; };
    if (streamed(s.out) || std::ranges::any_of(read_buffers(s), streamed))
      return "rows of the caller's are copied, and nothing else is done with them";
    if (s.op.index() >= graph_.ops.size()) return "its operator does not exist";
    return operands(s, graph_.op(s.op), out);
  }

  // The record that is named has the channels of the region.
  std::string brought(const Step& s) const {
    const Buffer& held = schedule_.buffer(s.constants);
    if (!held.packed.valid() || held.packed.op != s.op || held.packed.kernel != s.kernel ||
        is_stored(schedule_, s.constants))
      return "its packed constants are another operator's or kernel's, or out of reach";
    if (s.method != Method::kCompute && s.method != Method::kInPlace)
      return "sums have their constants in flash";
    const bool stored = std::ranges::any_of(schedule_.buffers, [&](const Buffer& buffer) {
      return buffer.packed == held.packed &&
             schedule_.memory(buffer.memory).kind == MemoryKind::kBlockStorage;
    });
    if (!stored) return "its packed constants are in no storage";
    if (!good(s.record) || !runs(s.record)) return "the record of its constants is out of range";
    return "";
  }

  // Whatever is waited for has the buffers of what began, so that these live until then.
  std::string token(const Step& s) {
    const auto [it, added] =
        tokens_.try_emplace(s.token, TokenUse{s.in, s.out, s.scratch, s.passage});
    const TokenUse& first = it->second;
    const bool same = first.in == s.in && first.out == s.out && first.scratch == s.scratch &&
                      first.passage == s.passage;
    return same ? "" : "its token is one of another transfer";
  }

  // What kernels, and copies, can load from and store to.
  std::string reach(const Step& s) const {
    std::vector<BufferId> touched = read_buffers(s);
    touched.push_back(s.out);
    if (in_range(s.scratch)) touched.push_back(s.scratch);
    for (const BufferId id : touched) {
      const ScheduleMemory& memory = schedule_.memory(schedule_.buffer(id).memory);
      if (memory.kind == MemoryKind::kBlockStorage)
        return fmt::format("no step reads or writes {}, which is block storage", memory.name);
    }
    return "";
  }

  std::string copy_in_place(const Step& s, const Buffer& out) const {
    if (s.method != Method::kInPlace) return "a copy neither accumulates nor finalises";
    if (s.in[0].from.size() > 1) return "it executes in place, but not in one buffer";
    const Buffer& in = schedule_.buffer(s.in[0].buffer());
    const Shape& shape = graph_.tensor(out.tensor).shape;
    for (const Buffer* b : {&in, &out}) {
      const bool whole =
          is_laid_out(b->memory) && b->extents == shape && !b->wrap &&
          std::ranges::all_of(b->origin, [](const IndexExpr& e) { return e == index(0); });
      if (!whole) return "a copy in place goes between buffers that hold all of their tensor";
    }
    if (s.region != region_expr(whole(shape))) return "a copy in place has all of its tensor";
    if (size_bytes(out.type) != 1) return "a copy in place is for elements of one byte";
    return transposes_in_place(shape, strides(in), strides(out))
               ? ""
               : fmt::format(
                     "no kernel changes the order of axes from [{}] to [{}] in place: one "
                     "must be a rotation of the other (axes of extent 1 left out)",
                     fmt::join(in.order, ", "), fmt::join(out.order, ", "));
  }

  // What comes from the caller or goes there are whole rows, each in one piece of the arena.
  std::string rows_of_stream(const Step& s) const {
    const std::vector<BufferId> in = read_buffers(s);
    const Buffer& out = schedule_.buffer(s.out);
    const bool from_stream = std::ranges::any_of(
        in, [&](BufferId id) { return schedule_.buffer(id).memory == kStream; });
    if (!from_stream && out.memory != kStream) return "";
    if (in.size() != 1 || s.recomputes) return "rows come and go once, from or to one buffer";
    if (from_stream ? !is_input_.contains(in[0]) : is_input_.contains(s.out))
      return "rows are received of an input, and delivered of an output";
    const Buffer& held = from_stream ? out : schedule_.buffer(in[0]);
    const Shape& shape = graph_.tensor(held.tensor).shape;
    bool in_one_piece = is_laid_out(held.memory) && held.order.empty() &&
                        (!held.wrap || held.wrap->axis == kStreamAxis);
    if (from_stream && !held.origin[size_t{kStreamAxis}].constant())
      return "where a row of the caller's belongs depends on when it comes";
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (axis == kStreamAxis) continue;
      const IntervalExpr& i = s.region[axis];
      in_one_piece = in_one_piece && i.begin.constant() && i.begin.base <= 0 && i.end.constant() &&
                     i.end.base >= shape[axis] && held.extents[axis] == shape[axis] &&
                     held.origin[axis] == index(0);
    }
    return in_one_piece ? "" : "rows of the caller's lie whole and in one piece in the arena";
  }

  std::string operands(const Step& s, const Op& op, const Buffer& out) const {
    if (!has_kernel(graph_, op, s.method)) return "no kernel executes its operator that way";
    const Tensor& result = graph_.tensor(op.outputs[0]);
    if (s.region.size() != result.shape.size()) return "its region does not have its output's rank";
    if (out.tensor != op.outputs[0]) return "it writes another tensor's buffer";
    const bool accumulate = s.method == Method::kAccumulate;
    if (out.sums != accumulate) return "accumulating steps, and only they, write sums";
    if (s.chunk.has_value() != accumulate) return "accumulating steps, and only they, have a chunk";
    if (s.method == Method::kFinalise) {
      const bool good = s.in.size() == 1 && s.in[0].valid() && holds(s.in[0], op.outputs[0], true);
      return good ? "" : "finalising reads the accumulators of its output";
    }
    if (s.in.size() != op.inputs.size()) return "it does not have its operator's number of inputs";
    for (size_t k = 0; k < s.in.size(); ++k) {
      const Tensor& t = graph_.tensor(op.inputs[k]);
      if (t.is_constant() == s.in[k].valid()) return "constants, and only they, have no buffer";
      if (!s.in[k].valid()) continue;
      if (!holds(s.in[k], op.inputs[k], false)) return "an input's buffer holds another tensor";
    }
    return "";
  }

  std::string scratch(const Step& s) const {
    const bool known = s.op.valid() && s.op.index() < graph_.ops.size() &&
                       has_kernel(graph_, graph_.op(s.op), s.method);
    const Scratch needed =
        known ? thimble::scratch(graph_, graph_.op(s.op), s.method, s.kernel) : Scratch{};
    if (needed.size_bytes == 0)
      return s.scratch.valid() ? "it has scratch that its kernel does not need" : "";
    if (in_range(s.scratch)) {
      const Buffer& b = schedule_.buffer(s.scratch);
      if (!b.tensor.valid() && is_laid_out(b.memory) && b.size_bytes() >= needed.size_bytes &&
          size_bytes(b.type) >= size_bytes(needed.type))
        return "";
    }
    return fmt::format("it needs {} bytes of scratch in the arena, of {}", needed.size_bytes,
                       name(needed.type));
  }

  bool holds(const Operand& operand, TensorId tensor, bool sums) const {
    return std::ranges::all_of(operand.from, [&](BufferId id) {
      const Buffer& b = schedule_.buffer(id);
      return b.tensor == tensor && b.sums == sums;
    });
  }

  struct TokenUse {
    std::vector<Operand> in;
    BufferId out, scratch, passage;
  };

  const Graph& graph_;
  const Schedule& schedule_;
  std::map<TokenId, TokenUse> tokens_;
  mutable std::map<std::tuple<OpId, KernelId, int64_t>, std::optional<RecordLayout>> layouts_;
  std::set<LoopId> loops_;
  std::map<LoopId, int64_t> running_;  // around the step at hand: iterations
  std::set<BufferId> is_input_;
  int streamed_inputs_ = 0, receives_ = 0;
  int steps_ = 0, executing_ = 0;     // executing_: those that are no transfers
  double executed_ = 0, most_steps_;  // steps and iterations
};

}  // namespace

std::string malformed(const Graph& graph, const Schedule& schedule) {
  return Checker(graph, schedule).run();
}

}  // namespace thimble
