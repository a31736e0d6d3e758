// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/trace_points.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "thimble/model/error.h"
#include "thimble/program/arguments.h"
#include "thimble/program/call_form.h"
#include "thimble_runtime/checksum.h"

namespace thimble {
namespace {

ElementNumbers numbers_of(const OperandAxes& axes, const Shape& shape) {
  std::vector<int64_t> row_major(shape.size());
  int64_t next = 1;
  for (size_t axis = shape.size(); axis-- > 0; next *= shape[axis]) row_major[axis] = next;
  ElementNumbers numbers;
  const size_t lead = axes.axes.size() - kKernelAxes;
  for (size_t k = 0; k < axes.axes.size(); ++k) {
    int64_t stride = 0;
    if (!axes.axes[k].empty()) {
      stride = row_major[static_cast<size_t>(axes.axes[k].back())];
      numbers.base -= axes.shift[k] * stride;
      stride *= axes.step[k];
    }
    if (k < lead) {
      numbers.leading.push_back(stride);
    } else {
      numbers.stride[k - lead] = stride;
    }
  }
  return numbers;
}

bool is_constant(const std::vector<BiasTerm>& terms) {
  return std::ranges::all_of(terms, [](const BiasTerm& term) { return term.expr.constant(); });
}

int first_position(const ProgramNode& node) {
  int first = -1;
  const auto note = [&](Position at) { first = first < 0 ? at : std::min(first, at); };
  written_calls({&node, 1}, [&](const Call& call) { note(call.position); });
  written_transfers({&node, 1}, [&](const TransferCall& transfer) { note(transfer.position); });
  return first;
}

// What is written where, and when.
class Writers {
 public:
  explicit Writers(const Program& program) : program_(program) {
    written_calls(program.nodes, [&](const Call& call) { note(call.out.buffer, call.position); });
    written_transfers(program.nodes, [&](const TransferCall& transfer) {
      if (transfer.kind == TransferKind::kRead) note(transfer.held, transfer.position);
    });
  }

  /// Whether the buffer was written in full before `position`, and nothing else has been since in
  /// its place.
  [[nodiscard]] bool is_intact(BufferId id, Position position) const {
    const PlacedBuffer& buffer = program_.buffer(id);
    const auto own = writes_.find(id);
    Position begin = -1;  // a port's or a variable's content is there before
    if (own != writes_.end()) {
      if (own->second.last >= position) return false;
      begin = own->second.first;
    }
    return std::ranges::none_of(writes_, [&](const auto& entry) {
      const PlacedBuffer& other = program_.buffer(entry.first);
      return other.id != id && other.memory == buffer.memory &&
             other.address < buffer.address + buffer.size_bytes &&
             buffer.address < other.address + other.size_bytes && entry.second.last >= begin &&
             entry.second.first < position;
    });
  }

 private:
  struct Span {
    Position first, last;
  };
  void note(BufferId id, Position position) {
    const auto [it, added] = writes_.try_emplace(id, Span{position, position});
    it->second.first = std::min(it->second.first, position);
    it->second.last = std::max(it->second.last, position);
  }

  const Program& program_;
  std::map<BufferId, Span> writes_;
};

class Points {
 public:
  Points(const Graph& graph, const Program& program)
      : graph_(graph), program_(program), forms_(graph, program), writers_(program) {}

  TracedStage stage(std::span<const ProgramNode> nodes) {
    TracedStage stage;
    written_calls(nodes, [&](const Call& call) {
      if (!receives(program_, call)) stage.calls.push_back(&call);
    });
    std::set<BufferId> read;
    Position first = stage.calls.empty() ? 0 : stage.calls[0]->position;
    for (const Call* call : stage.calls) first = std::min(first, call->position);
    for (const Call* call : stage.calls) {
      if (delivers(program_, *call)) continue;
      const Walk walk = forms_.walk(*call);
      const Shape& shape = graph_.tensor(call->out.tensor).shape;
      if (is_whole_value(call->out)) stage.writes.push_back({call, numbers_of(walk.out, shape)});
      for (size_t k = 0; k < call->in.size(); ++k) {
        const OperandView& view = call->in[k];
        if (!is_whole(view) || !call->leading.empty() || !writers_.is_intact(view.buffer, first) ||
            !read.insert(view.buffer).second)
          continue;
        const Shape& of = graph_.tensor(view.tensor).shape;
        stage.reads.push_back(
            {call, k, to_kernel(walk.in[k], thimble::whole(of), of), numbers_of(walk.in[k], of)});
      }
    }
    return stage;
  }

 private:
  // Elements of a tensor, and no sums of some.
  [[nodiscard]] bool is_whole_value(const OperandView& view) const {
    return !program_.buffer(view.buffer).sums && view.type == graph_.tensor(view.tensor).type;
  }
  [[nodiscard]] bool is_whole(const OperandView& view) const {
    const PlacedBuffer& buffer = program_.buffer(view.buffer);
    if (program_.constant(view.buffer) != nullptr || buffer.memory == kStream || buffer.ring)
      return false;
    return is_whole_value(view) && view.modulus == 0 && is_constant(view.bias) &&
           view.channel.empty() &&
           elements(buffer.extents) == elements(graph_.tensor(view.tensor).shape);
  }

  const Graph& graph_;
  const Program& program_;
  CallForms forms_;
  Writers writers_;
};

// Sums over elements of a tensor's values.
class Sums {
 public:
  Sums(const Graph& graph, const Program& program, const TensorValues& values)
      : graph_(graph), forms_(graph, program), values_(values) {}

  const Walk& walk(const Call& call) {
    const auto found = walks_.find(&call);
    return found != walks_.end() ? found->second
                                 : walks_.emplace(&call, forms_.walk(call)).first->second;
  }

  uint32_t of(TensorId t, const Walk& walk, const OperandAxes& axes, const runtime::View& view,
              const Region& region) const {
    const Tensor& tensor = graph_.tensor(t);
    const Bytes& bytes = values_[t.index()];
    const auto size = static_cast<size_t>(size_bytes(tensor.type));
    uint32_t sum = 0;
    each_run(walk, axes, tensor.shape, view, region, [&](const Run& run) {
      for (int64_t k = 0; k < run.count; ++k) {
        const int64_t number = run.element + k * run.element_step;
        uint64_t bits = 0;
        std::memcpy(&bits, bytes.data() + static_cast<size_t>(number) * size, size);
        sum += runtime::checksum_term(bits, static_cast<uint32_t>(number));
      }
    });
    return sum;
  }

 private:
  const Graph& graph_;
  CallForms forms_;
  const TensorValues& values_;
  std::map<const Call*, Walk> walks_;
};

}  // namespace

std::vector<std::span<const ProgramNode>> nodes_by_step(const Program& program) {
  const std::span<const ProgramNode> nodes = program.nodes;
  std::vector<std::span<const ProgramNode>> steps;
  for (size_t begin = 0; begin < nodes.size();) {
    size_t end = begin + 1;
    const int position = first_position(nodes[begin]);
    while (end < nodes.size() && first_position(nodes[end]) == position) ++end;
    steps.push_back(nodes.subspan(begin, end - begin));
    begin = end;
  }
  return steps;
}

std::vector<TracedStage> traced_stages(const Graph& graph, const Program& program) {
  Points points(graph, program);
  std::vector<TracedStage> stages;
  for (const std::span<const ProgramNode> step : nodes_by_step(program))
    stages.push_back(points.stage(step));
  return stages;
}

std::vector<StageSums> checksums(const Graph& graph, const Program& program,
                                 const std::vector<TracedStage>& stages,
                                 const TensorValues& values) {
  Sums sums(graph, program, values);
  std::vector<StageSums> all;
  std::map<const Call*, uint32_t*> wrote;
  all.reserve(stages.size());
  for (const TracedStage& stage : stages) {
    StageSums& its = all.emplace_back();
    its.wrote.resize(stage.writes.size());
    for (size_t k = 0; k < stage.writes.size(); ++k)
      wrote.emplace(stage.writes[k].call, &its.wrote[k]);
    for (const TracedRead& read : stage.reads) {
      const Walk& walk = sums.walk(*read.call);
      runtime::View view{};
      for (size_t axis = 0; axis < kKernelAxes; ++axis)
        view.stride[axis] = static_cast<int32_t>(read.view().stride[axis]);
      its.read.push_back(
          sums.of(read.view().tensor, walk, walk.in[read.operand], view, read.region));
    }
  }
  execute_calls(program, [&](const Call& call, const Counters& counters) {
    const auto sum = wrote.find(&call);
    if (sum == wrote.end()) return;
    Walk walk = sums.walk(call);
    for (const IndexExpr& expr : call.leading) walk.leading.push_back(evaluate(expr, counters));
    const Arguments given = arguments(call, counters);
    const Region region = kernel_region(call, counters);
    *sum->second += sums.of(call.out.tensor, walk, walk.out, given.out, region);
  });
  return all;
}

uint32_t checksum(const Bytes& bytes) {
  uint32_t sum = 0;
  for (size_t k = 0; k < bytes.size(); ++k)
    sum += runtime::checksum_term(bytes[k], static_cast<uint32_t>(k));
  return sum;
}

}  // namespace thimble
