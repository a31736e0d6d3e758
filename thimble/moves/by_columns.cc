// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/by_columns.h"

#include <algorithm>

#include "thimble/operators/operators.h"
#include "thimble/schedule/kernel_fit.h"

namespace thimble {
namespace {

// What a rotation of the axes, in place, makes of row-major images and back: in each column a plane
// per channel.
const std::vector<int> kColumnsOfPlanes = {0, kColumnAxis, 3, kRowAxis};

bool is_wide(const Shape& shape) {
  return is_image(shape) && shape[0] == 1 && shape[kRowAxis] > 1 &&
         shape[kColumnAxis] > shape[kRowAxis];
}

class ByColumns {
 public:
  ByColumns(const AxisGraph& axes, const Instances& instances)
      : axes_(axes), graph_(axes.graph()), given_(instances), result_(instances) {}

  std::optional<Instances> run() {
    bool any = false;
    for (size_t v = 0; v < given_.values.size(); ++v) {
      const ValueId id{static_cast<int32_t>(v)};
      const Value& value = given_.value(id);
      if (graph_.tensor(value.tensor).is_constant() || !is_wide(shape(id))) continue;
      if (value.memory == kStream) return std::nullopt;
      if (value.memory != kArena || !takes(id, kColumnsOutermost)) continue;
      if (!is_port(id)) result_.values[v].axis_order = kColumnsOutermost;
      any = any || !is_port(id);
    }
    if (!any) return std::nullopt;
    for (const ValueId input : given_.inputs) relay_input(input);
    for (const ValueId output : given_.outputs) relay_output(output);
    result_.list.insert(result_.list.begin(), before_.begin(), before_.end());
    result_.list.insert(result_.list.end(), behind_.begin(), behind_.end());
    return std::move(result_);
  }

 private:
  [[nodiscard]] const Shape& shape(ValueId id) const {
    return graph_.tensor(given_.value(id).tensor).shape;
  }
  [[nodiscard]] bool is_port(ValueId id) const {
    return std::ranges::find(given_.inputs, id) != given_.inputs.end() ||
           std::ranges::find(given_.outputs, id) != given_.outputs.end();
  }

  /// Whether whoever makes or reads the value takes it so.
  [[nodiscard]] bool takes(ValueId id, const std::vector<int>& order) const {
    Value value = given_.value(id);
    value.axis_order = order;
    const Buffer buffer = whole_buffer(graph_, value);
    return std::ranges::all_of(given_.list, [&](const Instance& instance) {
      const bool touches =
          instance.makes == id || std::ranges::find(instance.reads, id) != instance.reads.end();
      return !touches || !instance.op.valid() || takes(instance, id, buffer);
    });
  }
  [[nodiscard]] bool takes(const Instance& instance, ValueId id, const Buffer& buffer) const {
    const auto fits = [&](ValueId value, const OperandAxes& walk, KernelId kernel) {
      return value != id || buffer_fault(buffer, walk, shape(id), kernel).empty();
    };
    for (const Method method : {Method::kCompute, Method::kAccumulate, Method::kFinalise}) {
      if (!has_kernel(graph_, graph_.op(instance.op), method)) continue;
      for (const KernelUse& use : axes_.uses(instance.op, method)) {
        if (!fits(instance.makes, use.out, use.kernel)) return false;
        for (size_t k = 0; k < use.inputs.size(); ++k) {
          const ValueId read = instance.reads[static_cast<size_t>(use.inputs[k])];
          if (!fits(read, use.in[k], use.kernel)) return false;
        }
      }
    }
    return true;
  }

  /// As a port's tensor lies in between; nothing if it stays as it is.
  [[nodiscard]] std::optional<Value> relaid(ValueId port) const {
    const Value& given = given_.value(port);
    Value inside{.tensor = given.tensor, .axis_order = kColumnsOfPlanes};
    const bool once =
        std::ranges::count(given_.inputs, port) + std::ranges::count(given_.outputs, port) == 1;
    if (!once || !is_wide(shape(port)) || !given.axis_order.empty() ||
        !relayouts_in_place(graph_, given, inside) || !takes(port, kColumnsOfPlanes))
      return std::nullopt;
    return inside;
  }
  void relay_input(ValueId input) {
    const std::optional<Value> inside = relaid(input);
    if (!inside) return;
    const ValueId own = add_value(result_, *inside);
    for (Instance& instance : result_.list) std::ranges::replace(instance.reads, input, own);
    before_.push_back({.op = {}, .reads = {input}, .makes = own});
  }
  void relay_output(ValueId output) {
    const std::optional<Value> inside = relaid(output);
    const auto made = std::ranges::find(given_.list, output, &Instance::makes);
    if (!inside || made == given_.list.end()) return;
    const ValueId own = add_value(result_, *inside);
    for (Instance& instance : result_.list) {
      std::ranges::replace(instance.reads, output, own);
      if (instance.makes == output) instance.makes = own;
    }
    behind_.push_back({.op = {}, .reads = {own}, .makes = output});
  }

  const AxisGraph& axes_;
  const Graph& graph_;
  const Instances& given_;
  Instances result_;
  std::vector<Instance> before_, behind_;
};

}  // namespace

std::optional<Instances> by_columns(const AxisGraph& axes, const Instances& instances) {
  return ByColumns(axes, instances).run();
}

}  // namespace thimble
