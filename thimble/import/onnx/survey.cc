// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/survey.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/import/checked_size.h"
#include "thimble/import/constants.h"
#include "thimble/import/free_part.h"
#include "thimble/import/onnx.h"
#include "thimble/import/onnx/few_axes.h"
#include "thimble/import/onnx/patterns.h"
#include "thimble/import/onnx/reader.h"
#include "thimble/import/refusal.h"
#include "thimble/import/utf8.h"
#include "thimble/operators/operators.h"
#include "thimble/operators/violated.h"

namespace thimble {
namespace onnx {
namespace {

/// As the format calls what a Graph has.
const char* format_name(DType type) {
  for (int32_t k = 1; k <= static_cast<int32_t>(ElementType::kFloat4E2M1); ++k) {
    const auto candidate = static_cast<ElementType>(k);
    if (holds(candidate, type)) return onnx::name(candidate);
  }
  return "?";
}

class Surveyor {
 public:
  Surveyor(const ModelRecord& model, Reader& reader, Survey& survey)
      : model_(model), reader_(reader), survey_(survey) {}

  void run(const ImportOptions& options) {
    (void)reader_.begin(options);
    for (const auto* values : {&model_.graph.inputs, &model_.graph.outputs, &model_.graph.values})
      for (const ValueRecord& value : *values) recorded_[value.name] = &value;
    for (const ValueRecord& input : model_.graph.inputs) {
      const Value* value = reader_.find(input.name);
      if (value != nullptr && value->constant == nullptr)
        survey_.inputs.push_back(number_of(input.name));
    }
    const std::vector<std::string_view> outputs = wanted_outputs(model_, options);
    const std::vector<const NodeRecord*> nodes = reader_.nodes(outputs);
    is_free_.resize(model_.graph.nodes.size());
    for (const NodeRecord* node : nodes) is_free_[reader_.number_of(*node)] = is_read(*node);
    check_steps();
    list_operators();
    for (const std::string_view output : outputs) survey_.outputs.push_back(number_of(output));
    describe_tensors();
    std::vector<size_t> numbers;
    for (const NodeRecord* node : nodes) numbers.push_back(reader_.number_of(*node));
    find_free_part(numbers, is_free_, survey_);
    std::erase_if(survey_.until,
                  [&](int t) { return survey_.tensors[static_cast<size_t>(t)].constant; });
    sort_by_frequency(survey_.obstacles);
  }

 private:
  void stop(const NodeRecord& node, const std::string& reason, Help help) {
    auto known = std::ranges::find(survey_.obstacles, reason, &Obstacle::reason);
    if (known == survey_.obstacles.end())
      known = survey_.obstacles.insert(known, {.reason = reason, .help = sentence(help)});
    const auto number = static_cast<int>(reader_.number_of(node));
    if (known->ops.empty() || known->ops.back() != number) known->ops.push_back(number);
  }

  /// Whether nothing stops it; what stops it is noted, but where another did before.
  bool is_read(const NodeRecord& node) {
    const std::string unknown = reader_.unknown(node);
    bool read = false;
    if (!unknown.empty()) {
      stop(node, unknown + " is not supported", Help::kNone);
    } else if (reader_.is_ready(node)) {
      try {
        reader_.read(node);
        read = true;
      } catch (const Damage&) {
        throw;
      } catch (const ImportError& error) {
        stop(node, fmt::format("{} {}", printable(node.op), error.reason), help_of(error));
      }
    }
    if (!read)
      for (const std::string_view output : node.outputs) assume(output);
    return read;
  }

  /// The file may say what an operator makes that is not read: those behind it are then looked at.
  void assume(std::string_view name) {
    const auto found = recorded_.find(name);
    if (name.empty() || found == recorded_.end() || !found->second->is_tensor ||
        reader_.find(name) != nullptr)
      return;
    const ValueRecord& value = *found->second;
    const std::optional<DType> type = type_of(value.type);
    if (!type || !value.dims ||
        std::ranges::any_of(*value.dims, [](const Dimension& d) { return d.extent <= 0; }))
      return;
    Shape shape;
    for (const Dimension& dim : *value.dims) shape.push_back(dim.extent);
    reader_.assume(name, *type, shape);
  }

  /// What nodes became must be operators that there are.
  void check_steps() {
    Network& network = reader_.network();
    auto [steps, tensors] = with_few_axes({std::move(network.steps()), network.take_tensors()});
    Graph graph;
    graph.tensors = std::move(tensors);
    for (Step& step : steps) {
      const std::string reason = refusal_of(step.op, graph);
      if (reason.empty() || step.op.file_index < 0) continue;
      const auto number = static_cast<size_t>(step.op.file_index);
      const NodeRecord& node = model_.graph.nodes[number];
      is_free_[number] = false;
      stop(node,
           fmt::format("{} is not supported like this; required: {}", printable(node.op), reason),
           Help::kNone);
    }
  }

  void list_operators() {
    for (const NodeRecord& node : model_.graph.nodes) {
      SurveyedOp& op = survey_.ops.emplace_back();
      op.name = printable(node.op);
      for (const std::string_view input : node.inputs) op.inputs.push_back(number_of(input));
      for (const std::string_view output : node.outputs) op.outputs.push_back(number_of(output));
    }
  }

  /// The number of a name's tensor, which is listed from now on; -1: there is none.
  int number_of(std::string_view name) {
    if (name.empty()) return -1;
    const auto [entry, is_new] = numbers_.emplace(name, std::ssize(survey_.tensors));
    if (is_new) survey_.tensors.push_back({.name = printable(name)});
    return static_cast<int>(entry->second);
  }

  void describe_tensors() {
    for (const auto& [name, number] : numbers_) {
      SurveyedTensor& tensor = survey_.tensors[static_cast<size_t>(number)];
      const Value* value = reader_.find(name);
      const auto recorded = recorded_.find(name);
      if (value != nullptr) {
        tensor.type = recorded != recorded_.end() ? onnx::name(recorded->second->type)
                                                  : format_name(value->type);
        tensor.shape = value->shape;
        tensor.constant = value->constant != nullptr;
        // The shape that a refused operator makes may be anything.
        constexpr int64_t kMostBytes = int64_t{1} << 40;
        if (std::ranges::all_of(value->shape, [](int64_t extent) { return extent >= 0; }))
          tensor.size_bytes = checked_size_bytes(value->shape, value->type, kMostBytes);
      } else if (recorded != recorded_.end()) {
        const ValueRecord& from = *recorded->second;
        tensor.type = onnx::name(from.type);
        tensor.unknown_rank = !from.dims;
        for (const Dimension& dim : from.dims.value_or(std::vector<Dimension>()))
          tensor.shape.push_back(dim.extent > 0 ? dim.extent : -1);
      } else {
        tensor.type = "?";
        tensor.unknown_rank = true;
      }
    }
  }

  const ModelRecord& model_;
  Reader& reader_;
  Survey& survey_;
  std::unordered_map<std::string_view, const ValueRecord*> recorded_;
  std::unordered_map<std::string_view, std::ptrdiff_t> numbers_;
  std::vector<bool> is_free_;  ///< per node of the file: nothing stops it
};

}  // namespace
}  // namespace onnx

Survey survey_onnx(std::span<const uint8_t> bytes, const std::string& name,
                   const std::string& where, const std::string& folder,
                   const ImportOptions& options) {
  onnx::ModelRecord model = onnx::read_model(bytes, where);
  onnx::recognise_patterns(model.graph);
  Survey survey{.model = name};
  onnx::Reader reader(model, where, folder);
  onnx::Surveyor(model, reader, survey).run(options);
  return survey;
}

}  // namespace thimble
