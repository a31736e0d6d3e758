// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "thimble/import/c_array.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/tflite_parts.h"
#include "thimble/import/tflite_uint8.h"
#include "thimble/import/tflite_variables.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

constexpr uint32_t kSchemaVersion = 3;
/// The flatbuffers verifier's limits: real models have depth 6 and some thousand tables.
constexpr flatbuffers::uoffset_t kMaxDepth = 16, kMaxTables = 1'000'000;
/// What scalars of the file have to be aligned to in memory.
constexpr size_t kAlignment = 16;

std::string wrong_format(std::span<const uint8_t> bytes) {
  struct Known {
    std::string_view start, what;
  };
  static constexpr Known kKnown[] = {
      {"\x89PNG", "a PNG image"},
      {"\x89HDF", "an HDF5 file (Keras .h5): convert it with tf.lite.TFLiteConverter"},
      {"PK\x03\x04", "a zip archive (Keras .keras or PyTorch): convert it to .tflite"},
      {"\x08", "perhaps an .onnx file or a SavedModel: convert it to .tflite"},
      {"\x1f\x8b", "a gzip archive: unpack it"},
      {"version https://git-lfs", "a pointer of git-lfs: `git lfs pull` fetches the file itself"},
      {"<!DOCTYPE html", "a page of the web: perhaps the one about the file"},
  };
  const std::string_view begin(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string message = "is not a TensorFlow Lite model: bytes 4 to 7 are not \"TFL3\"";
  for (const Known& known : kKnown) {
    if (begin.starts_with(known.start)) return fmt::format("{} ({})", message, known.what);
  }
  return message;
}

const tflite::SubGraph& first_subgraph(const tflite::Model& model, const std::string& where) {
  const size_t count = model.subgraphs() == nullptr ? 0 : model.subgraphs()->size();
  if (count == 0) throw CompileError(where, "is damaged: it has no subgraph");
  return *model.subgraphs()->Get(0);
}

std::string at(const TfliteFile& file, const std::string& name, size_t index) {
  return fmt::format("{}: {} #{}", file.where, name, index);
}

void refuse_other_subgraphs(const TfliteFile& file) {
  const std::vector<bool> in_use = subgraphs_in_use(file);
  if (std::ranges::find(in_use, false) == in_use.end()) return;
  const auto count = file.network.operators()->size();
  for (flatbuffers::uoffset_t i = 0; i < count; ++i) {
    const std::string name = kind_of(file, *file.network.operators()->Get(i), i).name;
    if (name != "WHILE" && name != "IF") continue;
    throw Refusal(
        at(file, name, i),
        fmt::format("is not supported: the file has {} subgraphs (control flow), supported is one; "
                    "{} before converting",
                    in_use.size(),
                    name == "WHILE" ? "unroll its loop (recurrent layers of Keras: unroll=True)"
                                    : "take its branches apart"),
        Help::kUnroll);
  }
  throw CompileError(file.where, fmt::format("has {} subgraphs (control flow); supported is one, "
                                             "beside those of CALL_ONCE",
                                             in_use.size()));
}

NamedKind custom_kind(const tflite::OperatorCode& code) {
  const std::string name =
      code.custom_code() == nullptr ? "" : printable(code.custom_code()->string_view());
  for (const OperatorKind& kind : custom_kinds()) {
    if (name == kind.custom) return {.name = name, .kind = &kind};
  }
  return {.name = name.empty() ? "custom operator" : "custom operator " + name};
}

NamedKind named_kind(const tflite::OperatorCode& code) {
  // Files from before code 127 have only the deprecated field, later ones both.
  const int32_t number =
      std::max<int32_t>(code.deprecated_builtin_code(), static_cast<int32_t>(code.builtin_code()));
  const auto builtin = static_cast<tflite::BuiltinOperator>(number);
  NamedKind result{.name = tflite::EnumNameBuiltinOperator(builtin)};
  if (builtin == tflite::BuiltinOperator::CUSTOM) return custom_kind(code);
  if (result.name.empty()) result.name = fmt::format("operator code {}", number);
  const auto kinds = operator_kinds();
  const auto found = std::ranges::find(kinds, builtin, &OperatorKind::code);
  if (found != kinds.end()) result.kind = &*found;
  return result;
}

/// Operators that are not supported, by name: "#3, #7 and 2 more".
using Unsupported = std::vector<std::pair<std::string, std::vector<size_t>>>;

std::string listed(const Unsupported& refused) {
  constexpr size_t kMostNames = 8, kMostNumbers = 3;
  std::string text;
  for (size_t k = 0; k < std::min(refused.size(), kMostNames); ++k) {
    const auto& [name, numbers] = refused[k];
    text += (k == 0 ? "" : ", ") + name;
    for (size_t n = 0; n < std::min(numbers.size(), kMostNumbers); ++n)
      text += fmt::format("{}#{}", n == 0 ? " " : ", ", numbers[n]);
    if (numbers.size() > kMostNumbers)
      text += fmt::format(" and {} more", numbers.size() - kMostNumbers);
  }
  if (refused.size() > kMostNames)
    text += fmt::format(", and {} more kinds", refused.size() - kMostNames);
  return text;
}

/// The kind of each operator, before anything else is looked at: of all that may be wrong with a
/// model, an operator that is not supported is what its owner has to know first.
std::vector<NamedKind> kinds_of_operators(const TfliteFile& file, const std::vector<size_t>& ops) {
  std::vector<NamedKind> kinds;
  Unsupported refused;
  size_t count = 0;
  for (const size_t i : ops) {
    const tflite::Operator& op = *file.network.operators()->Get(static_cast<uint32_t>(i));
    const NamedKind& kind = kinds.emplace_back(kind_of(file, op, i));
    if (kind.kind != nullptr) continue;
    ++count;
    auto known = std::ranges::find(refused, kind.name, &Unsupported::value_type::first);
    if (known == refused.end()) known = refused.insert(known, {kind.name, {}});
    known->second.push_back(i);
  }
  if (refused.empty()) return kinds;
  const Help help = help_for_operator(refused.front().first);
  std::string message = "is not supported";
  if (count > 1)
    message += fmt::format(", as {} of {} operators: {}", count, ops.size(), listed(refused));
  message += help == Help::kNone ? "; docs/supported_ops.md lists those that are"
                                 : fmt::format("; {}", sentence(help));
  throw Refusal(at(file, refused.front().first, refused.front().second.front()), message, help);
}

/// Which tensors hold values when the operator about to be added runs. Refuses what the order of
/// execution cannot be: reads before writes (cycles included) and tensors with two producers.
class Availability {
 public:
  /// made: per tensor of the file, whether an operator makes it.
  Availability(const Graph& graph, std::vector<bool> made, const std::string& where)
      : graph_(graph),
        made_(std::move(made)),
        available_(graph.tensors.size()),
        owned_(graph.tensors.size()) {
    for (const Port& port : graph.inputs) set(port.tensor, where);
  }

  bool has_value(TensorId id) {
    available_.resize(graph_.tensors.size());  // steps make further tensors
    return available_[id.index()] || graph_.tensor(id).is_constant();
  }

  void set(TensorId id, const std::string& where) {
    refuse_empty(id, where);
    if (has_value(id) || is_owned(id)) {
      throw CompileError(
          where, fmt::format("is damaged: it writes {}, which has a value already", label_of(id)));
    }
    available_[id.index()] = true;
  }

  /// A variable that one operator alone has, and nobody reads or writes as a tensor.
  void own(TensorId id, const std::string& where) {
    if (has_value(id) || made_[id.index()] || is_owned(id)) {
      throw CompileError(
          where, fmt::format("is damaged: its variable {} has a value of another", label_of(id)));
    }
    owned_[id.index()] = true;
  }

  void read(TensorId id, const std::string& where) {
    refuse_empty(id, where);
    if (!has_value(id) && (id.index() >= made_.size() || !made_[id.index()])) {
      throw CompileError(where, fmt::format("is damaged: it reads {}, which has no data, is no "
                                            "input of the network, and no operator computes it",
                                            label_of(id)));
    }
    if (!has_value(id)) {
      throw CompileError(where, fmt::format("is damaged: it reads {} before anything computes it "
                                            "(operators out of order, or a cycle)",
                                            label_of(id)));
    }
  }

 private:
  [[nodiscard]] std::string label_of(TensorId id) const {
    return fmt::format("tensor {} '{}'", id.value, graph_.tensor(id).name);
  }
  [[nodiscard]] bool is_owned(TensorId id) const {
    return id.index() < owned_.size() && owned_[id.index()];
  }
  void refuse_empty(TensorId id, const std::string& where) const {
    if (elements(graph_.tensor(id).shape) == 0) {
      throw CompileError(where, fmt::format("{} has shape {}: tensors without elements are not "
                                            "supported",
                                            label_of(id), to_string(graph_.tensor(id).shape)));
    }
  }

  const Graph& graph_;
  std::vector<bool> made_, available_;
  std::vector<bool> owned_;
};

std::vector<Port> ports_of(const std::vector<TensorId>& tensors, const std::string& where) {
  std::vector<Port> ports;
  for (const TensorId id : tensors) {
    if (!id.valid())
      throw CompileError(where, fmt::format("is damaged: tensor {} is no tensor", id.value));
    ports.push_back({.tensor = id});
  }
  if (ports.empty()) throw CompileError(where, "there are none; at least one is supported");
  return ports;
}

void refuse_inputs_listed_twice(const Graph& graph, const std::string& where) {
  std::vector<bool> listed(graph.tensors.size());
  for (const Port& port : graph.inputs) {
    if (listed[port.tensor.index()]) {
      throw CompileError(where,
                         fmt::format("is damaged: tensor {} is listed twice", port.tensor.value));
    }
    listed[port.tensor.index()] = true;
  }
}

constexpr size_t kMostCopies = 1024;
/// A file of a few bytes for each operator may have operators that become thousands.
constexpr size_t kMostTensors = size_t{1} << 18;

/// An output that is an input, a constant or another output becomes a copy.
std::vector<Op> copied_outputs(Graph& graph, const std::string& where) {
  std::vector<Op> copies;
  const std::vector<OpId> producer = producers(graph);
  std::vector<bool> taken(graph.tensors.size());
  for (const Port& port : graph.inputs) taken[port.tensor.index()] = true;
  for (Port& port : graph.outputs) {
    const TensorId id = port.tensor;
    if (!taken[id.index()] && producer[id.index()].valid()) {
      taken[id.index()] = true;
      continue;
    }
    if (copies.size() == kMostCopies) {
      throw CompileError(where, fmt::format("more than {} are inputs, constants or listed twice, "
                                            "which is not supported",
                                            kMostCopies));
    }
    Tensor copy = graph.tensor(id);
    copy.data = nullptr;
    port.tensor = {static_cast<int32_t>(graph.tensors.size())};
    graph.tensors.push_back(std::move(copy));
    copies.push_back({Reshape{}, {id}, {port.tensor}, -1});
  }
  return copies;
}

/// Adds it if it reads what there is by then, and is supported.
void add_op(Op op, const std::string& where, Availability& available, Graph& graph) {
  for (TensorId id : op.inputs) available.read(id, where);
  for (TensorId id : op.outputs) available.set(id, where);
  const std::string reason = refusal_of(op, graph);
  if (!reason.empty()) {
    throw Refusal(where,
                  fmt::format("is not supported like this; required: {}; it has {}", reason,
                              found_instead(graph, op)),
                  Help::kNone);
  }
  graph.ops.push_back(std::move(op));
}

void read_ops(const TfliteFile& file, const std::vector<size_t>& ops,
              const std::vector<NamedKind>& kinds, const Uint8Tensors& uint8, Graph& graph) {
  std::vector<Op> openings = uint8.open_inputs(graph);
  Availability available(graph, tensors_made(file, ops), file.where + ": network inputs");
  for (Op& op : openings) add_op(std::move(op), file.where + ": network inputs", available, graph);
  HandledVariables variables(file, graph.tensors);
  DequantisedConstants dequantised;
  ConstantFolding folding;
  for (size_t k = 0; k < ops.size(); ++k) {
    const size_t i = ops[k];
    const std::string where = at(file, kinds[k].name, i);
    const tflite::Operator& from = *file.network.operators()->Get(static_cast<uint32_t>(i));
    const FileOp listed = file_op(file, from, graph.tensors, where);
    ReadOperator read;
    auto handled = variables.read(kinds[k].kind->code, listed, i);
    if (handled) {
      read.ops = std::move(handled->ops);
      if (handled->old) available.set(*handled->old, where);
    } else {
      read = uint8.read(*kinds[k].kind, listed, i, graph.tensors);
    }
    if (kinds[k].kind->code == tflite::BuiltinOperator::DEQUANTIZE && read.ops.empty())
      dequantised.add(listed);
    dequantised.read_as_they_were(read.ops, graph.tensors);
    for (const TensorId variable : read.variables) available.own(variable, where);
    for (const State& state : read.states) {
      available.set(state.in, where);
      graph.states.push_back(state);
    }
    // What a variable is given is no constant, though its value may be one.
    if (!handled) fold_constants(read.ops, graph.tensors, folding);
    for (Op& op : read.ops) add_op(std::move(op), where, available, graph);
  }
  for (const State& state : variables.states()) graph.states.push_back(state);
  const std::string outputs = file.where + ": network outputs";
  for (const Port& port : graph.outputs) {
    if (!available.has_value(port.tensor)) {
      throw CompileError(outputs, fmt::format("no operator computes tensor {} '{}'",
                                              port.tensor.value, graph.tensor(port.tensor).name));
    }
  }
  for (Op& op : uint8.open_outputs(graph)) add_op(std::move(op), outputs, available, graph);
  for (Op& op : copied_outputs(graph, outputs)) add_op(std::move(op), outputs, available, graph);
}

}  // namespace

const tflite::Model& verified_model(std::span<const uint8_t> bytes, const std::string& where) {
  if (bytes.empty()) throw CompileError(where, "is empty");
  if (bytes.size() < 8 || std::memcmp(bytes.data() + 4, tflite::ModelIdentifier(), 4) != 0) {
    throw CompileError(where, wrong_format(bytes));
  }
  // Above 2 GB only buffers follow, which are checked where they are read.
  const size_t size = std::min<size_t>(bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  flatbuffers::Verifier verifier(bytes.data(), size, kMaxDepth, kMaxTables);
  if (!tflite::VerifyModelBuffer(verifier)) {
    throw CompileError(
        where, fmt::format("is truncated or damaged: its {} bytes are not a well-formed flatbuffer",
                           bytes.size()));
  }
  const tflite::Model& model = *tflite::GetModel(bytes.data());
  if (model.version() != kSchemaVersion) {
    throw CompileError(where, fmt::format("schema version {} is not supported; supported is {}",
                                          model.version(), kSchemaVersion));
  }
  return model;
}

Help help_for_operator(const std::string& name) {
  if (name == "WHILE" || name == "IF") return Help::kUnroll;
  if (name == "custom operator ethos-u") return Help::kBeforeVela;
  if (name == "custom operator edgetpu-custom-op") return Help::kBeforeEdgeTpu;
  return Help::kNone;
}

NamedKind kind_of(const TfliteFile& file, const tflite::Operator& op, size_t number) {
  const auto* codes = file.model.operator_codes();
  if (codes == nullptr || op.opcode_index() >= codes->size()) {
    throw CompileError(at(file, "operator", number),
                       fmt::format("is damaged: there is no operator code {}", op.opcode_index()));
  }
  return named_kind(*codes->Get(op.opcode_index()));
}

std::vector<TensorId> tensor_ids(const TfliteFile& file,
                                 const flatbuffers::Vector<int32_t>* indices,
                                 const std::string& where) {
  std::vector<TensorId> result;
  if (indices == nullptr) return result;
  const size_t count = file.network.tensors() == nullptr ? 0 : file.network.tensors()->size();
  for (int32_t index : *indices) {
    if (index < -1 || index >= static_cast<int64_t>(count)) {
      throw CompileError(where, fmt::format("is damaged: there is no tensor {}", index));
    }
    result.push_back(TensorId{index});
  }
  return result;
}

FileOp file_op(const TfliteFile& file, const tflite::Operator& from,
               const std::vector<Tensor>& tensors, const std::string& where) {
  return {.op = from,
          .tensors = tensors,
          .inputs = tensor_ids(file, from.inputs(), where),
          .outputs = tensor_ids(file, from.outputs(), where),
          .where = where,
          .open_shapes = file.open_shapes};
}

void check_operands(const OperatorKind& kind, const FileOp& op) {
  const size_t count = op.inputs.size();
  if (count < kind.min_inputs || count > kind.max_inputs) {
    throw CompileError(
        op.where, fmt::format("has {} inputs; at least {}{} are supported", count, kind.min_inputs,
                              kind.max_inputs == OperatorKind::kNoLimit
                                  ? ""
                                  : fmt::format(", at most {}", kind.max_inputs)));
  }
  for (size_t i = 0; i < count; ++i) {
    if (!op.inputs[i].valid() && i < kind.first_optional) {
      throw CompileError(op.where, fmt::format("is damaged: input {} is absent", i));
    }
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (!op.outputs[i].valid())
      throw CompileError(op.where, fmt::format("is damaged: output {} is absent", i));
  }
  if (kind.per_output ? op.outputs.empty() : op.outputs.size() != kind.outputs) {
    throw CompileError(op.where,
                       fmt::format("has {} outputs; supported is {}", op.outputs.size(),
                                   kind.per_output ? "at least 1" : std::to_string(kind.outputs)));
  }
}

ReadOperator read_op(const OperatorKind& kind, FileOp from, size_t number,
                     std::vector<Tensor>& tensors) {
  if (tensors.size() > kMostTensors) {
    throw CompileError(from.where, fmt::format("the network has {} tensors by then, some of which "
                                               "operators in steps make; supported are {}",
                                               tensors.size(), kMostTensors));
  }
  check_operands(kind, from);
  if (fold_extents(from, kind.code, tensors)) return {};
  if (kind.steps != nullptr) {
    check_repeated_shapes(from, kind.code);
    Steps steps(from, tensors);
    kind.steps(from, steps);
    std::vector<Op> ops = steps.ops();
    if (!ops.empty()) ops.back().file_index = static_cast<int>(number);
    return {std::move(ops), steps.states(), steps.variables()};
  }
  if (!kind.per_output) {
    Steps steps(from, tensors);
    if (merge_axes(kind.attributes(from), from, steps)) {
      std::vector<Op> ops = steps.ops();
      ops.back().file_index = static_cast<int>(number);
      return {std::move(ops), {}, {}};
    }
  }
  std::vector<Op> made;
  for (size_t k = 0; k < from.outputs.size(); ++k) {
    from.output_number = k;
    if (from.output().shape.empty() && kind.per_output) {  // of one axis
      Steps steps(from, tensors);
      finish_slice(std::get<Slice>(kind.attributes(from)), {}, from, steps);
      for (const Op& op : steps.ops()) made.push_back(op);
      made.back().file_index = static_cast<int>(number);
      continue;
    }
    Op& op = made.emplace_back();
    op.attributes = kind.attributes(from);
    for (size_t i = kind.first_operand; i < std::min(from.inputs.size(), kind.first_parameter);
         ++i) {
      if (from.inputs[i].valid()) op.inputs.push_back(from.inputs[i]);
    }
    if (kind.weights_first) std::swap(op.inputs[0], op.inputs[1]);
    op.outputs = {from.outputs[k]};
    op.file_index = static_cast<int>(number);
    expand_weights(tensors, op);
  }
  check_repeated_shapes(std::move(from), kind.code);
  return {std::move(made), {}, {}};
}

Graph import_tflite(std::span<const uint8_t> bytes, const std::string& name,
                    const std::string& where, const ImportOptions& options) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kAlignment != 0) {
    const Bytes aligned(bytes.begin(), bytes.end());
    return import_tflite(aligned, name, where, options);
  }
  const tflite::Model& model = verified_model(bytes, where);
  const TfliteFile file{.bytes = bytes,
                        .model = model,
                        .network = first_subgraph(model, where),
                        .where = where,
                        .open_shapes = !options.shapes.empty()};
  if (file.network.operators() == nullptr || file.network.operators()->size() == 0) {
    throw CompileError(where, "has no operators");
  }
  refuse_other_subgraphs(file);
  const Section section = section_of(file, options.until);
  const std::vector<NamedKind> kinds = kinds_of_operators(file, section.ops);
  Graph graph{.name = name, .tensors = read_tensors(file, section.tensors)};
  infer_shapes(file, section, options.shapes, graph.tensors);
  const Uint8Tensors uint8(file, section, graph.tensors);
  graph.inputs = ports_of(section.inputs, where + ": network inputs");
  refuse_inputs_listed_twice(graph, where + ": network inputs");
  graph.outputs = ports_of(section.outputs, where + ": network outputs");
  read_ops(file, section.ops, kinds, uint8, graph);
  check_graph(graph);
  return graph;
}

Graph import_tflite(const std::filesystem::path& file, const ImportOptions& options) {
  return import_tflite(read_model_file(file, kMaxFileBytes), file.stem().string(), file.string(),
                       options);
}

}  // namespace thimble
