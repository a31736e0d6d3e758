// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/survey.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/import/checked_size.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/free_part.h"
#include "thimble/import/network_builder.h"
#include "thimble/import/refusal.h"
#include "thimble/import/section.h"
#include "thimble/import/tflite/control_flow.h"
#include "thimble/import/tflite/kinds.h"
#include "thimble/import/tflite/shapes.h"
#include "thimble/import/tflite/tensors.h"
#include "thimble/import/tflite/uint8.h"
#include "thimble/import/tflite/variables.h"
#include "thimble/import/utf8.h"
#include "thimble/operators/operators.h"
#include "thimble/operators/violated.h"

namespace thimble {
namespace {

constexpr const char* kFound = "; found: ";
constexpr int64_t kMostElements = int64_t{1} << 40;

SurveyedTensor surveyed(const TfliteFile& file, size_t number) {
  const tfl::TensorRecord from = file.tensor(number);
  SurveyedTensor result{.name = printable(from.name),
                        .type = format_name(from.type),
                        .unknown_rank = !from.has_rank && from.shape.empty(),
                        .constant = file.has_data(from.buffer),
                        .variable = from.is_variable};
  if (result.type.empty()) result.type = fmt::format("type {}", static_cast<int>(from.type));
  const bool has_signature = from.shape_signature.size() == from.shape.size();
  const std::span<const int32_t> shape = has_signature ? from.shape_signature : from.shape;
  result.shape.assign(shape.begin(), shape.end());
  if (!shape.empty() && shape[0] < 0 && from.shape[0] == 1) result.shape[0] = 1;  // the batch
  const bool open = std::ranges::any_of(result.shape, [](int64_t extent) { return extent < 0; });
  const auto elements =
      open ? std::nullopt : checked_size_bytes(result.shape, DType::kInt8, kMostElements);
  if (elements && element_bits(from.type) > 0)
    result.size_bytes = (*elements * element_bits(from.type) + 7) / 8;
  return result;
}

/// As the operator would be in int8: float constants of weights and biases become zeros.
bool is_taken_in_int8(const Graph& graph, const Op& op) {
  Graph as;
  Op own = op;
  bool any = false;
  const auto add = [&](TensorId& id, bool bias) {
    Tensor t = graph.tensor(id);
    if (t.type == DType::kFloat32) {
      any = true;
      t.type = bias ? DType::kInt32 : DType::kInt8;
      t.quantization = {.scales = {1}, .zero_points = {0}, .axis = 0};
      if (t.is_constant())
        t.data = std::make_shared<const Bytes>(static_cast<size_t>(t.size_bytes()));
    }
    id = {static_cast<int32_t>(as.tensors.size())};
    as.tensors.push_back(std::move(t));
  };
  for (size_t k = 0; k < own.inputs.size(); ++k)
    add(own.inputs[k], k == 2 && graph.tensor(own.inputs[k]).shape.size() == 1);
  for (TensorId& id : own.outputs) add(id, false);
  if (!any) return false;
  const Constraint missed = violated(as, own);
  return missed.text == nullptr || missed.of_integers;  // nothing but its scales
}

class Surveyor {
 public:
  Surveyor(const TfliteFile& file, const Section& section, const std::vector<NamedShape>& shapes,
           Survey& survey)
      : file_(file), section_(section), survey_(survey) {
    TensorsAsFarAsRead read = read_what_tensors_can_be(file);
    graph_.tensors = std::move(read.tensors);
    refused_ = std::move(read.refused);
    std::vector<std::string> unknown(graph_.tensors.size());
    infer_shapes(file, section, shapes, graph_.tensors, &unknown);
    for (size_t t = 0; t < unknown.size(); ++t)
      if (!unknown[t].empty()) refused_[t] = {.reason = unknown[t], .help = refused_[t].help};
    show_followed_shapes();
    has_source_ = tensors_made(TfliteListing(file), section.ops);
    for (const TensorId id : section.inputs)
      if (id.valid()) has_source_[id.index()] = true;
    for (size_t t = 0; t < has_source_.size(); ++t)
      if (survey.tensors[t].variable) has_source_[t] = true;
    uint8_.emplace(file, section, graph_.tensors);
  }

  void run() {
    const auto count = static_cast<int>(survey_.tensors.size());
    for (int t = 0; t < count; ++t) {
      const auto& [reason, help, damaged] = refused_[static_cast<size_t>(t)];
      if (reason.empty() || !section_.tensors[static_cast<size_t>(t)]) continue;
      if (damaged) {
        throw ImportError(fmt::format("{}: tensor {} '{}'", file_.where(), t,
                                      survey_.tensors[static_cast<size_t>(t)].name),
                          reason);
      }
      obstacle(reason, help).tensors.push_back(t);
    }
    try {
      variables_.emplace(file_, graph_.tensors);
    } catch (const Damage&) {
      throw;
    } catch (const CompileError& error) {
      obstacle(error.what(), help_of(error));
    }
    is_free_.resize(file_.op_count());
    for (size_t i = 0; i < is_free_.size(); ++i) {
      list(i);
      if (std::ranges::binary_search(section_.ops, i)) is_free_[i] = look_at(i);
    }
    find_free_part(section_.ops, is_free_, survey_);
    sort_by_frequency(survey_.obstacles);
  }

 private:
  /// Where the file says nothing: what follows, or that nothing does.
  void show_followed_shapes() {
    for (size_t t = 0; t < survey_.tensors.size(); ++t) {
      SurveyedTensor& seen = survey_.tensors[t];
      const Tensor& tensor = graph_.tensors[t];
      if (!seen.unknown_rank) continue;
      seen.unknown_rank = !refused_[t].reason.empty();
      seen.shape = tensor.shape;
      seen.size_bytes = seen.unknown_rank ? std::nullopt : std::optional(tensor.size_bytes());
    }
  }

  /// found: what the first of its operators has.
  Obstacle& obstacle(const std::string& reason, Help help, const std::string& found = "") {
    const auto is_it = [&](const Obstacle& o) {
      return o.reason == reason || o.reason.starts_with(reason + kFound);
    };
    const auto known = std::ranges::find_if(survey_.obstacles, is_it);
    if (known != survey_.obstacles.end()) return *known;
    survey_.obstacles.push_back(
        {.reason = found.empty() ? reason : reason + kFound + found, .help = sentence(help)});
    return survey_.obstacles.back();
  }

  void list(size_t number) {
    SurveyedOp& seen = survey_.ops.emplace_back();
    seen.name = kind_of(file_, number).name;
    const TfliteOp op = read_operands(file_, number, seen.name, graph_.tensors);
    for (const TensorId id : op.inputs) seen.inputs.push_back(id.value);
    for (const TensorId id : op.outputs) seen.outputs.push_back(id.value);
  }

  /// Whether nothing stops it.
  bool look_at(size_t number) {
    const NamedKind kind = kind_of(file_, number);
    const TfliteOp op = read_operands(file_, number, kind.name, graph_.tensors);
    const auto stop = [&](const std::string& reason, Help help, const std::string& found = "") {
      obstacle(reason, help, found).ops.push_back(static_cast<int>(number));
      return false;
    };
    if (kind.kind == nullptr)
      return stop(kind.name + " is not supported", help_for_operator(kind.name));
    const auto is_refused = [&](TensorId id) { return id.valid() && is_unread(id); };
    if (std::ranges::any_of(op.inputs, is_refused) || std::ranges::any_of(op.outputs, is_refused))
      return false;  // the tensor is what stops it
    for (const TensorId id : op.inputs) {
      if (!id.valid() || has_source_[id.index()] || graph_.tensor(id).is_constant()) continue;
      return stop(fmt::format("tensor {} '{}' has no data, is no input of the network, and no "
                              "operator computes it",
                              id.value, graph_.tensor(id).name),
                  Help::kNone);
    }
    if (kind.kind->by_handle && !variables_)
      return false;  // their initial values are what stops it
    try {
      if (variables_ && variables_->read(kind.kind->code, op)) {
        refused_.resize(graph_.tensors.size());
        return true;
      }
      std::vector<Op> ops = uint8_->read(*kind.kind, op, graph_.tensors).ops;
      fold_constants(ops, graph_.tensors, folding_);
      for (Op& made : ops) {
        const std::string reason = refusal_of(made, graph_);
        if (reason.empty()) continue;
        return stop(fmt::format("{} of {} is not supported; required: {}", kind.name,
                                types_of(made), reason),
                    is_taken_in_int8(graph_, made) ? Help::kQuantise : Help::kNone,
                    found_instead(graph_, made));
      }
    } catch (const Damage&) {
      throw;
    } catch (const ImportError& error) {
      return stop(fmt::format("{} {}", kind.name, error.reason), help_of(error));
    }
    refused_.resize(graph_.tensors.size());  // steps make further tensors
    return true;
  }

  [[nodiscard]] bool is_unread(TensorId id) const { return !refused_[id.index()].reason.empty(); }

  [[nodiscard]] std::string types_of(const Op& op) const {
    std::string text;
    for (const TensorId id : op.inputs) {
      fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : ", ",
                     name(graph_.tensor(id).type));
    }
    return fmt::format("{} -> {}", text, name(graph_.tensor(op.outputs[0]).type));
  }

  const TfliteFile& file_;
  const Section& section_;
  Survey& survey_;
  Graph graph_;
  ConstantFolding folding_;
  std::vector<bool> has_source_;  ///< per tensor: made, an input or a variable
  std::vector<bool> is_free_;     ///< per operator: nothing stops it
  std::vector<TensorRefusal> refused_;
  std::optional<HandledVariables> variables_;
  std::optional<Uint8Tensors> uint8_;  ///< from the constructor on
};

}  // namespace

Survey survey_tflite(std::span<const uint8_t> bytes, const std::string& name,
                     const std::string& where, const ImportOptions& options) {
  TfliteFile file(bytes, where, !options.shapes.empty());
  Survey survey{.model = name};
  try {
    file = without_control_flow(file);
  } catch (const Damage&) {
    throw;
  } catch (const ImportError& error) {
    survey.obstacles.push_back({.reason = error.what(), .help = sentence(help_of(error))});
  }
  survey.subgraphs = static_cast<int64_t>(file.subgraph_count());
  for (size_t t = 0; t < file.tensor_count(); ++t) survey.tensors.push_back(surveyed(file, t));
  const Section section = section_of(TfliteListing(file), options.until);
  for (const TensorId id : section.inputs) survey.inputs.push_back(id.value);
  for (const TensorId id : section.outputs) survey.outputs.push_back(id.value);
  const std::vector<bool> in_use = subgraphs_in_use(file);
  if (std::ranges::find(in_use, false) != in_use.end()) {
    survey.obstacles.push_back(
        {.reason = fmt::format("the file has {} subgraphs", survey.subgraphs),
         .help = sentence(Help::kUnroll)});
  }
  Surveyor(file, section, options.shapes, survey).run();
  return survey;
}

}  // namespace thimble
