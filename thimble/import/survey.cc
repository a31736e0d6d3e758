// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/survey.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/import/c_array.h"
#include "thimble/import/checked_size.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/tflite_parts.h"
#include "thimble/import/tflite_uint8.h"
#include "thimble/import/tflite_variables.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

/// Nothing is shown of files whose message says this.
constexpr std::string_view kDamaged = "is damaged";
constexpr const char* kFound = "; found: ";
constexpr int64_t kMostElements = int64_t{1} << 40;

/// Bits of an element; 0: it has no size of its own.
int64_t bits(tflite::TensorType type) {
  switch (type) {
    case tflite::TensorType::INT4:
      return 4;
    case tflite::TensorType::BOOL:
    case tflite::TensorType::INT8:
    case tflite::TensorType::UINT8:
      return 8;
    case tflite::TensorType::FLOAT16:
    case tflite::TensorType::INT16:
    case tflite::TensorType::UINT16:
      return 16;
    case tflite::TensorType::FLOAT32:
    case tflite::TensorType::INT32:
    case tflite::TensorType::UINT32:
      return 32;
    case tflite::TensorType::FLOAT64:
    case tflite::TensorType::INT64:
    case tflite::TensorType::UINT64:
    case tflite::TensorType::COMPLEX64:
      return 64;
    case tflite::TensorType::COMPLEX128:
      return 128;
    case tflite::TensorType::STRING:
    case tflite::TensorType::RESOURCE:
    case tflite::TensorType::VARIANT:
      return 0;
  }
  return 0;
}

SurveyedTensor surveyed(const tflite::Tensor& from, const tflite::Model& model) {
  SurveyedTensor result{.variable = from.is_variable()};
  if (from.name() != nullptr) result.name = printable(from.name()->string_view());
  result.type = tflite::EnumNameTensorType(from.type());
  if (result.type.empty()) result.type = fmt::format("type {}", static_cast<int>(from.type()));
  result.unknown_rank = !from.has_rank() && (from.shape() == nullptr || from.shape()->size() == 0);
  if (from.shape() != nullptr) result.shape.assign(from.shape()->begin(), from.shape()->end());
  if (const auto* signature = from.shape_signature();
      signature != nullptr && signature->size() == result.shape.size()) {
    result.shape.assign(signature->begin(), signature->end());
    if (!result.shape.empty() && result.shape[0] < 0 && from.shape()->Get(0) == 1)
      result.shape[0] = 1;  // the batch
  }
  const bool open = std::ranges::any_of(result.shape, [](int64_t extent) { return extent < 0; });
  const auto elements =
      open ? std::nullopt : checked_size_bytes(result.shape, DType::kInt8, kMostElements);
  if (elements && bits(from.type()) > 0)
    result.size_bytes = (*elements * bits(from.type()) + 7) / 8;
  const auto* buffers = model.buffers();
  if (buffers != nullptr && from.buffer() < buffers->size()) {
    const tflite::Buffer& buffer = *buffers->Get(from.buffer());
    result.constant =
        buffer.offset() > 1 || (buffer.data() != nullptr && buffer.data()->size() > 0);
  }
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
  const std::string reason = unsupported_reason(as, own);
  return reason.empty() ||
         std::ranges::any_of(constraints(op.attributes), [&](const Constraint& c) {
           return c.of_integers && reason == c.text;  // nothing but its scales
         });
}

class Surveyor {
 public:
  Surveyor(const TfliteFile& file, const Section& section, const std::vector<NamedShape>& shapes,
           Survey& survey)
      : file_(file), section_(section), survey_(survey) {
    TensorsAsFarAsRead read = read_what_tensors_can_be(file);
    graph_.tensors = std::move(read.tensors);
    refused_ = std::move(read.refused);
    refused_.resize(graph_.tensors.size());
    help_ = std::move(read.help);
    infer_shapes(file, section, shapes, graph_.tensors, &refused_);
    show_followed_shapes();
    has_source_ = tensors_made(file, section.ops);
    for (const TensorId id : section.inputs)
      if (id.valid()) has_source_[id.index()] = true;
    for (size_t t = 0; t < has_source_.size(); ++t)
      if (survey.tensors[t].variable) has_source_[t] = true;
    uint8_.emplace(file, section, graph_.tensors);
  }

  void run() {
    const auto count = static_cast<int>(survey_.tensors.size());
    for (int t = 0; t < count; ++t) {
      const std::string& reason = refused_[static_cast<size_t>(t)];
      if (reason.empty() || !section_.tensors[static_cast<size_t>(t)]) continue;
      if (reason.starts_with(kDamaged)) {
        throw CompileError(fmt::format("{}: tensor {} '{}'", file_.where, t,
                                       survey_.tensors[static_cast<size_t>(t)].name),
                           reason);
      }
      obstacle(reason, help_[static_cast<size_t>(t)]).tensors.push_back(t);
    }
    try {
      variables_.emplace(file_, graph_.tensors);
    } catch (const CompileError& error) {
      std::string_view reason = error.what();
      if (reason.find(kDamaged) != std::string_view::npos) throw;
      obstacle(std::string(reason), help_of(error));
    }
    const auto& operators = *file_.network.operators();
    is_free_.resize(operators.size());
    for (flatbuffers::uoffset_t i = 0; i < operators.size(); ++i) {
      list(*operators[i], i);
      if (std::ranges::binary_search(section_.ops, i)) is_free_[i] = look_at(*operators[i], i);
    }
    find_free_part();
    std::ranges::stable_sort(survey_.obstacles, std::ranges::greater{}, [](const Obstacle& o) {
      return std::max(o.ops.size(), o.tensors.size());
    });
  }

 private:
  /// Where the file says nothing: what follows, or that nothing does.
  void show_followed_shapes() {
    for (size_t t = 0; t < survey_.tensors.size(); ++t) {
      SurveyedTensor& seen = survey_.tensors[t];
      const Tensor& tensor = graph_.tensors[t];
      if (!seen.unknown_rank) continue;
      seen.unknown_rank = !refused_[t].empty();
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

  void list(const tflite::Operator& from, size_t number) {
    SurveyedOp& seen = survey_.ops.emplace_back();
    seen.name = kind_of(file_, from, number).name;
    const FileOp op = file_op(file_, from, graph_.tensors,
                              fmt::format("{}: {} #{}", file_.where, seen.name, number));
    for (const TensorId id : op.inputs) seen.inputs.push_back(id.value);
    for (const TensorId id : op.outputs) seen.outputs.push_back(id.value);
  }

  /// Whether nothing stops it.
  bool look_at(const tflite::Operator& from, size_t number) {
    const NamedKind kind = kind_of(file_, from, number);
    const std::string where = fmt::format("{}: {} #{}", file_.where, kind.name, number);
    const FileOp op = file_op(file_, from, graph_.tensors, where);
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
    const bool by_handle = kind.kind->attributes == nullptr && kind.kind->steps == nullptr;
    if (by_handle && !variables_) return false;  // their initial values are what stops it
    try {
      if (variables_ && variables_->read(kind.kind->code, op, number)) {
        refused_.resize(graph_.tensors.size());
        return true;
      }
      std::vector<Op> ops = uint8_->read(*kind.kind, op, number, graph_.tensors).ops;
      fold_constants(ops, graph_.tensors, folding_);
      for (Op& made : ops) {
        const std::string reason = refusal_of(made, graph_);
        if (reason.empty()) continue;
        return stop(fmt::format("{} of {} is not supported; required: {}", kind.name,
                                types_of(made), reason),
                    is_taken_in_int8(graph_, made) ? Help::kQuantise : Help::kNone,
                    found_instead(graph_, made));
      }
    } catch (const CompileError& error) {
      std::string_view reason = error.what();
      if (reason.starts_with(where + ": ")) reason.remove_prefix(where.size() + 2);
      if (reason.starts_with(kDamaged)) throw;
      return stop(fmt::format("{} {}", kind.name, reason), help_of(error));
    }
    refused_.resize(graph_.tensors.size());  // steps make further tensors
    return true;
  }

  /// Who reads what cannot be computed cannot be either.
  void find_free_part() {
    std::vector<bool> missing(survey_.tensors.size()), made(missing.size()), wanted(missing.size());
    const auto any = [](const std::vector<int>& tensors, const std::vector<bool>& of) {
      return std::ranges::any_of(tensors,
                                 [&](int t) { return t >= 0 && of[static_cast<size_t>(t)]; });
    };
    const auto set = [](const std::vector<int>& tensors, std::vector<bool>& in) {
      for (const int t : tensors) {
        if (t >= 0) in[static_cast<size_t>(t)] = true;
      }
    };
    for (const size_t i : section_.ops) {
      const SurveyedOp& op = survey_.ops[i];
      const bool is_free = is_free_[i] && !any(op.inputs, missing);
      set(op.outputs, is_free ? made : missing);
      if (!is_free) set(op.inputs, wanted);
      survey_.free_ops += is_free ? 1 : 0;
    }
    set(survey_.outputs, wanted);
    for (size_t t = 0; t < made.size(); ++t) {
      if (made[t] && wanted[t]) survey_.until.push_back(static_cast<int>(t));
    }
  }

  [[nodiscard]] bool is_unread(TensorId id) const { return !refused_[id.index()].empty(); }

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
  std::vector<bool> has_source_;      ///< per tensor: made, an input or a variable
  std::vector<bool> is_free_;         ///< per operator: nothing stops it
  std::vector<std::string> refused_;  ///< per tensor: why, or nothing
  std::vector<Help> help_;            ///< per tensor of the file
  std::optional<HandledVariables> variables_;
  std::optional<Uint8Tensors> uint8_;  ///< from the constructor on
};

}  // namespace

Survey survey_tflite(const std::filesystem::path& file, const ImportOptions& options) {
  return survey_tflite(read_model_file(file, kMaxFileBytes), file.stem().string(), file.string(),
                       options);
}

Survey survey_tflite(std::span<const uint8_t> bytes, const std::string& name,
                     const std::string& where, const ImportOptions& options) {
  const tflite::Model& model = verified_model(bytes, where);
  Survey survey{.model = name};
  survey.subgraphs = model.subgraphs() == nullptr ? 0 : model.subgraphs()->size();
  if (survey.subgraphs == 0) throw CompileError(where, "is damaged: it has no subgraph");
  const TfliteFile file{.bytes = bytes,
                        .model = model,
                        .network = *model.subgraphs()->Get(0),
                        .where = where,
                        .open_shapes = !options.shapes.empty()};
  if (file.network.operators() == nullptr || file.network.operators()->size() == 0)
    throw CompileError(where, "has no operators");
  if (file.network.tensors() != nullptr) {
    for (const tflite::Tensor* tensor : *file.network.tensors())
      survey.tensors.push_back(surveyed(*tensor, model));
  }
  const Section section = section_of(file, options.until);
  for (const TensorId id : section.inputs) survey.inputs.push_back(id.value);
  for (const TensorId id : section.outputs) survey.outputs.push_back(id.value);
  const std::vector<bool> in_use = subgraphs_in_use(file);
  if (std::ranges::find(in_use, false) != in_use.end()) {
    survey.obstacles.push_back(
        {.reason = fmt::format("the file has {} subgraphs (control flow)", survey.subgraphs),
         .help = sentence(Help::kUnroll)});
  }
  Surveyor(file, section, options.shapes, survey).run();
  return survey;
}

}  // namespace thimble
