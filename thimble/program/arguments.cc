// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace thimble {
namespace {

constexpr double kMostOfInt32 = std::numeric_limits<int32_t>::max();

int32_t narrow(int64_t value) { return static_cast<int32_t>(value); }

runtime::View view_of(const OperandView& v, const Counters& counters) {
  runtime::View view{nullptr,
                     narrow(sum(v.bias, counters)),
                     narrow(v.modulus),
                     narrow(sum(v.channel, counters)),
                     {}};
  for (size_t axis = 0; axis < kKernelAxes; ++axis) view.stride[axis] = narrow(v.stride[axis]);
  return view;
}

// Bounds of absolute values are sums of many products, each of which may exceed 64 bits: doubles
// say well enough whether they exceed 32.
double size_of(int64_t value) { return std::abs(static_cast<double>(value)); }
double size_of(const Interval& i) { return std::max(size_of(i.begin), size_of(i.end)); }

// The most that an expression or one of its partial sums can be; floor_div adds the divisor.
double most(const IndexExpr& expr, const std::vector<int64_t>& counts) {
  double total = size_of(expr.base);
  for (const Term& term : expr.terms)
    total += size_of(term.coefficient) * size_of(counts[term.loop.index()]);
  return expr.divisor == 1 ? total : total + size_of(expr.divisor);
}

double most(const std::vector<BiasTerm>& terms, const std::vector<int64_t>& counts) {
  double total = 0;
  for (const BiasTerm& term : terms) total += size_of(term.factor) * most(term.expr, counts);
  return total;
}

double most(const CallAxis& axis, const std::vector<int64_t>& counts) {
  double bounds = size_of(axis.limits);
  each_bound(axis.interval,
             [&](const IndexExpr& bound) { bounds = std::max(bounds, most(bound, counts)); });
  return bounds;
}

// Rows and columns around an input that the taps of windows reach.
struct Halo {
  double rows = 0, columns = 0;
};

Halo halo_of(const Graph& graph, const Call& call) {
  Halo result;
  if (!call.op.valid()) return result;
  const auto add = [&](const auto& attributes) {
    if constexpr (requires { attributes.window; }) {
      const Window& w = attributes.window;
      result.rows = size_of(w.kernel_h) * size_of(w.dilation_h) + size_of(w.stride_h);
      result.columns = size_of(w.kernel_w) * size_of(w.dilation_w) + size_of(w.stride_w);
    }
  };
  std::visit(add, graph.op(call.op).attributes);
  return result;
}

// Bytes from the first element to the farthest that coordinates of the tensor or of the call's
// region, or `halo` beyond them, reach.
double reach(const Call& call, const OperandView& view, const OperandAxes& walk, const Shape& shape,
             const Halo& halo, const std::vector<int64_t>& counts) {
  double elements = most(view.bias, counts) + most(view.channel, counts) + size_of(view.modulus);
  const size_t leading = walk.axes.size() - kKernelAxes;
  for (size_t k = 0; k < kKernelAxes; ++k) {
    double extent = 1;
    for (const int axis : walk.axes[leading + k])
      extent *= size_of(shape[static_cast<size_t>(axis)]);
    extent = std::max(extent, size_of(call.axes[k].limits)) + size_of(walk.shift[leading + k]);
    if (k == 1) extent += halo.rows;
    if (k == 2) extent += halo.columns;
    elements += extent * size_of(view.stride[k]);
  }
  return elements * static_cast<double>(size_bytes(view.type));
}

}  // namespace

Arguments arguments(const Call& call, const Counters& counters) {
  Arguments result{.in = {}, .out = view_of(call.out, counters), .region = {}};
  for (const OperandView& v : call.in) result.in.push_back(view_of(v, counters));
  const Region region = kernel_region(call, counters);
  for (size_t axis = 0; axis < kKernelAxes; ++axis) {
    result.region.begin[axis] = narrow(region[axis].begin);
    result.region.end[axis] = narrow(region[axis].end);
  }
  const Interval chunk = chunk_of(call, counters);
  result.chunk_begin = narrow(chunk.begin);
  result.chunk_end = narrow(chunk.end);
  return result;
}

std::vector<int64_t> loop_counts(const Program& program) {
  std::vector<int64_t> counts(static_cast<size_t>(program.loop_count), 1);
  const auto add = [&](const auto& self, const std::vector<ProgramNode>& nodes) -> void {
    for (const ProgramNode& node : nodes) {
      visit_node(
          node, [](const Call&) {}, [](const TransferCall&) {},
          [&](const ProgramLoop& loop) {
            counts[loop.id.index()] = loop.count;
            self(self, loop.body);
          });
    }
  };
  add(add, program.nodes);
  return counts;
}

std::string width_fault(const Graph& graph, const Call& call, const Walk& walk,
                        const std::vector<int64_t>& counts) {
  for (size_t axis = 0; axis < call.axes.size(); ++axis) {
    if (most(call.axes[axis], counts) > kMostOfInt32)
      return fmt::format("the bounds of axis {} of its region do not fit 32 bits", axis);
  }
  if (call.chunk && most(*call.chunk, counts) > kMostOfInt32)
    return "the bounds of its chunk do not fit 32 bits";
  for (const IndexExpr& expr : call.leading) {
    if (most(expr, counts) > kMostOfInt32)
      return "the counter around its kernel does not fit 32 bits";
  }
  const auto view_fault = [&](const OperandView& view, const OperandAxes& axes, const Halo& halo) {
    const double bytes = reach(call, view, axes, graph.tensor(view.tensor).shape, halo, counts);
    return bytes <= kMostOfInt32
               ? std::string()
               : fmt::format("what it reaches of tensor {} ('{}') does not fit 32 bits",
                             view.tensor.value, graph.tensor(view.tensor).name);
  };
  const Halo halo = halo_of(graph, call);
  for (size_t k = 0; k < call.in.size(); ++k) {
    if (std::string fault = view_fault(call.in[k], walk.in[k], halo); !fault.empty()) return fault;
  }
  return view_fault(call.out, walk.out, {});
}

}  // namespace thimble
