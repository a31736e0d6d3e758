// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/patterns.h"

#include <cmath>
#include <optional>
#include <unordered_map>

#include "thimble/import/onnx/constant.h"

namespace thimble::onnx {
namespace {

class Patterns {
 public:
  explicit Patterns(GraphRecord& graph) : graph_(graph) {
    for (NodeRecord& node : graph.nodes) {
      for (const std::string_view output : node.outputs) maker_.emplace(output, &node);
      for (const std::string_view input : node.inputs) {
        reader_[input] = &node;
        ++uses_[input];
      }
    }
    // What branches read is not looked into.
    for (const ValueRecord& output : graph.outputs) ++uses_[output.name];
    for (const TensorRecord& tensor : graph.initializers) tensors_.emplace(tensor.name, &tensor);
  }

  void run() {
    for (NodeRecord& node : graph_.nodes) {
      if (node.op == "Erf" && node.domain.empty()) gelu(node);
      if (node.op == "HardSigmoid" && node.domain.empty()) hard_swish(node);
    }
  }

 private:
  /// The one number that a name stands for.
  [[nodiscard]] std::optional<float> number(std::string_view name) const {
    const TensorRecord* tensor = nullptr;
    if (const auto found = tensors_.find(name); found != tensors_.end()) tensor = found->second;
    if (const auto made = maker_.find(name);
        made != maker_.end() && made->second->op == "Constant") {
      if (const AttributeRecord* value = made->second->attribute("value_float")) return value->f;
      if (const AttributeRecord* value = made->second->attribute("value"))
        if (!value->tensors.empty()) tensor = value->tensors.data();
    }
    if (tensor == nullptr || tensor->external || tensor->type != ElementType::kFloat ||
        tensor->bytes().size() != sizeof(float))
      return std::nullopt;
    return reals(constant_of(*tensor, "", ""))[0];
  }

  [[nodiscard]] bool is(std::string_view name, float wanted) const {
    const std::optional<float> given = number(name);
    return given && std::abs(*given - wanted) < 1e-4F * std::abs(wanted);
  }

  /// The other input of a node of two.
  static std::string_view other(const NodeRecord& node, std::string_view one) {
    return node.inputs[0] == one ? node.inputs[1] : node.inputs[0];
  }

  /// The node of this kind that alone reads what another makes; null: none.
  [[nodiscard]] NodeRecord* next(const NodeRecord& node, std::string_view op) const {
    if (node.outputs.size() != 1) return nullptr;
    const auto uses = uses_.find(node.outputs[0]);
    const auto reader = reader_.find(node.outputs[0]);
    if (uses == uses_.end() || uses->second != 1 || reader == reader_.end()) return nullptr;
    NodeRecord* const found = reader->second;
    return found->op == op && found->domain.empty() && found->inputs.size() == 2 ? found : nullptr;
  }

  /// x of x * factor, or of x / (1 / factor); "": it is none.
  [[nodiscard]] std::string_view scaled_by(std::string_view name, float factor) const {
    const auto made = maker_.find(name);
    if (made == maker_.end() || made->second->inputs.size() != 2) return {};
    const NodeRecord& node = *made->second;
    if (node.op == "Div" && is(node.inputs[1], 1 / factor)) return node.inputs[0];
    if (node.op != "Mul") return {};
    for (const size_t k : {0, 1})
      if (is(node.inputs[k], factor)) return node.inputs[1 - k];
    return {};
  }

  static void become(NodeRecord& node, std::string_view op, std::string_view x) {
    node.op = op;
    node.inputs = {x};
    node.attributes.clear();
  }

  void gelu(const NodeRecord& erf) {
    if (erf.inputs.size() != 1) return;
    const std::string_view x = scaled_by(erf.inputs[0], std::sqrt(0.5F));
    if (x.empty()) return;
    NodeRecord* const sum = next(erf, "Add");
    if (sum == nullptr || !is(other(*sum, erf.outputs[0]), 1)) return;
    NodeRecord* const first = next(*sum, "Mul");
    if (first == nullptr) return;
    const std::string_view by = other(*first, sum->outputs[0]);
    if (scaled_by(by, 0.5F) == x) return become(*first, "Gelu", x);
    NodeRecord* const second = next(*first, "Mul");
    if (second == nullptr) return;
    const std::string_view last = other(*second, first->outputs[0]);
    if ((by == x && is(last, 0.5F)) || (is(by, 0.5F) && last == x)) become(*second, "Gelu", x);
  }

  void hard_swish(const NodeRecord& gate) {
    const AttributeRecord *alpha = gate.attribute("alpha"), *beta = gate.attribute("beta");
    if (gate.inputs.size() != 1 || alpha == nullptr || std::abs(alpha->f - 1.0F / 6) > 1e-4F ||
        (beta != nullptr && beta->f != 0.5F))
      return;
    NodeRecord* const product = next(gate, "Mul");
    if (product != nullptr && other(*product, gate.outputs[0]) == gate.inputs[0])
      become(*product, "HardSwish", gate.inputs[0]);
  }

  GraphRecord& graph_;
  std::unordered_map<std::string_view, NodeRecord*> maker_, reader_;
  std::unordered_map<std::string_view, int> uses_;
  std::unordered_map<std::string_view, const TensorRecord*> tensors_;
};

}  // namespace

void recognise_patterns(GraphRecord& graph) { Patterns(graph).run(); }

}  // namespace thimble::onnx
