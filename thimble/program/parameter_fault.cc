// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/parameter_fault.h"

#include <algorithm>

#include "thimble/program/fault_of.h"

namespace thimble {

std::vector<int64_t> last_four(const Shape& shape) {
  std::vector<int64_t> result(kKernelAxes, 1);
  for (size_t k = 0; k < std::min(kKernelAxes, shape.size()); ++k)
    result[kKernelAxes - 1 - k] = shape[shape.size() - 1 - k];
  return result;
}

void compare_four(const char* what, const int32_t (&given)[kKernelAxes],
                  const std::vector<int64_t>& wanted, Difference& d) {
  for (size_t k = 0; k < kKernelAxes; ++k) d.expect(what, given[k], wanted[k]);
}

std::string float_clamp_fault(Activation activation, const ReadBack& r) {
  const auto* p = r.as<runtime::FloatClampParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  compare_float_clamp(*p, activation, d);
  return d.text();
}

std::string parameter_fault(const Graph& graph, const Program& program, const Call& call) {
  const bool takes_some = info(call.kernel).params != 0;
  if (!takes_some) return call.params < 0 ? "" : "it has parameters that its kernel does not take";
  const auto number = static_cast<size_t>(call.params);
  if (call.params < 0 || number >= program.params.size()) return "it has no parameters";
  const ProgramParams& given = program.params[number];
  if (given.params.index() != info(call.kernel).params) return kOtherKernel;
  ReadBack r{graph, graph.op(call.op), call, given.params, {}};
  for (const BufferId id : given.constants) {
    const bool known = id.valid() && id.index() < program.buffers.size();
    const ProgramConstant* constant = known ? program.constant(id) : nullptr;
    if (constant == nullptr) return "one of its constants is missing";
    r.constants.push_back(&constant->content);
  }
  return std::visit([&](const auto& a) { return fault_of(a, r); }, r.op.attributes);
}

}  // namespace thimble
