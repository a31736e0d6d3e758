// SPDX-License-Identifier: Apache-2.0
#include "tests/target/kernels/run_op.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "thimble/model/error.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble::testing {
namespace {

// Bytes on the heap, exactly as many, so that AddressSanitizer sees any access beyond them.
struct Memory {
  explicit Memory(const Bytes& content) : Memory(content.size()) {
    if (!content.empty()) std::memcpy(data.get(), content.data(), content.size());
  }
  explicit Memory(size_t count) : data(new uint8_t[count]), size(count) {
    std::fill_n(data.get(), count, uint8_t{0xA5});
  }
  std::unique_ptr<uint8_t[]> data;
  size_t size;
};

// Row-major, at the coordinates of the loops around the call.
runtime::View view_of(uint8_t* data, const Shape& shape, const OperandAxes& walk,
                      const std::vector<int64_t>& leading) {
  std::vector<int64_t> strides(shape.size());
  int64_t next = 1;
  for (size_t axis = shape.size(); axis-- > 0; next *= shape[axis]) strides[axis] = next;
  runtime::View view{data, 0, 0, 0, {}};
  for (size_t k = 0; k < walk.axes.size(); ++k) {
    const std::vector<int>& axes = walk.axes[k];
    const int64_t stride = axes.empty() ? 0 : strides[static_cast<size_t>(axes.back())];
    view.bias += static_cast<int32_t>(walk.shift[k] * stride);
    if (k < leading.size()) {
      view.bias -= static_cast<int32_t>(leading[k] * walk.step[k] * stride);
    } else {
      view.stride[k - leading.size()] = static_cast<int32_t>(walk.step[k] * stride);
    }
  }
  return view;
}

struct Operand {
  Memory* memory;
  Shape shape;
};

struct Run {
  const Graph& graph;
  const Op& op;
  const KernelUse& use;
  std::vector<Operand> in;
  Operand out;
  int32_t chunk_begin = 0, chunk_end = 0;
  int8_t* scratch = nullptr;
};

void call(const Run& run, const KernelParams& params, const std::vector<int64_t>& leading) {
  const size_t lead = run.use.limits.size() - 4;
  if (leading.size() < lead) {
    const Interval& range = run.use.limits[leading.size()];
    for (int64_t k = range.begin; k < range.end; ++k) {
      std::vector<int64_t> inner = leading;
      inner.push_back(k);
      call(run, params, inner);
    }
    return;
  }
  Invocation invocation{
      .kernel = run.use.kernel, .params = &params, .in = {}, .out = {}, .region = {}};
  for (size_t k = 0; k < run.in.size(); ++k) {
    invocation.in.push_back(
        view_of(run.in[k].memory->data.get(), run.in[k].shape, run.use.in[k], leading));
  }
  invocation.out = view_of(run.out.memory->data.get(), run.out.shape, run.use.out, leading);
  for (size_t k = 0; k < 4; ++k) {
    invocation.region.begin[k] = static_cast<int32_t>(run.use.limits[lead + k].begin);
    invocation.region.end[k] = static_cast<int32_t>(run.use.limits[lead + k].end);
  }
  invocation.chunk_begin = run.chunk_begin;
  invocation.chunk_end = run.chunk_end;
  invocation.scratch = run.scratch;
  invoke(invocation);
}

void execute(const Run& run) {
  std::vector<Memory> constants;
  std::vector<const void*> pointers;
  for (const PackedConstant& constant : pack(run.graph, run.op, run.use.kernel))
    constants.emplace_back(constant.data);
  for (const Memory& memory : constants) pointers.push_back(memory.data.get());
  call(run, thimble::bind(run.use.params, pointers), {});
}

std::vector<Memory> inputs_of(const Graph& graph, const Op& op, const TensorValues& values) {
  std::vector<Memory> result;
  for (TensorId id : op.inputs) {
    const Tensor& tensor = graph.tensor(id);
    result.emplace_back(tensor.is_constant() ? *tensor.data : values[id.index()]);
  }
  return result;
}

Bytes content(const Memory& memory) { return {memory.data.get(), memory.data.get() + memory.size}; }

}  // namespace

Bytes run_op(const Graph& graph, const Op& op, Method method, const TensorValues& values) {
  std::vector<Memory> inputs = inputs_of(graph, op, values);
  const Tensor& result = graph.tensor(op.outputs[0]);
  Memory separate(static_cast<size_t>(result.size_bytes()));
  Memory& out = method == Method::kInPlace ? inputs[0] : separate;
  Memory scratch(static_cast<size_t>(thimble::scratch(graph, op, method).size_bytes));
  for (const KernelUse& use : kernel_uses(graph, op, method)) {
    Run run{.graph = graph, .op = op, .use = use, .in = {}, .out = {&out, result.shape}};
    for (int k : use.inputs) {
      const auto input = static_cast<size_t>(k);
      run.in.push_back({&inputs[input], graph.tensor(op.inputs[input]).shape});
    }
    run.scratch = reinterpret_cast<int8_t*>(scratch.data.get());
    execute(run);
  }
  return content(out);
}

Bytes run_op_in_chunks(const Graph& graph, const Op& op, const TensorValues& values,
                       const std::vector<int32_t>& ends) {
  std::vector<Memory> inputs = inputs_of(graph, op, values);
  const Tensor& x = graph.tensor(op.inputs[0]);
  const Tensor& result = graph.tensor(op.outputs[0]);
  Memory sums(static_cast<size_t>(elements(result.shape)) * sizeof(int32_t));
  Memory out(static_cast<size_t>(result.size_bytes()));
  const std::vector<KernelUse> add = kernel_uses(graph, op, Method::kAccumulate);
  const std::vector<KernelUse> finish = kernel_uses(graph, op, Method::kFinalise);
  check(add.size() == 1 && finish.size() == 1, "chunks: one call each");
  int32_t begin = 0;
  for (int32_t end : ends) {
    execute({.graph = graph,
             .op = op,
             .use = add[0],
             .in = {{&inputs[0], x.shape}},
             .out = {&sums, result.shape},
             .chunk_begin = begin,
             .chunk_end = end});
    begin = end;
  }
  execute({.graph = graph,
           .op = op,
           .use = finish[0],
           .in = {{&sums, result.shape}},
           .out = {&out, result.shape}});
  return content(out);
}

}  // namespace thimble::testing
