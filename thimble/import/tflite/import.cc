// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "thimble/import/c_array.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/network_builder.h"
#include "thimble/import/recurrent_layers.h"
#include "thimble/import/refusal.h"
#include "thimble/import/section.h"
#include "thimble/import/tflite.h"
#include "thimble/import/tflite/control_flow.h"
#include "thimble/import/tflite/interpreter_tensors.h"
#include "thimble/import/tflite/kinds.h"
#include "thimble/import/tflite/shapes.h"
#include "thimble/import/tflite/tensors.h"
#include "thimble/import/tflite/uint8.h"
#include "thimble/import/tflite/variables.h"
#include "thimble/import/unsupported.h"

namespace thimble {
namespace {

void refuse_other_subgraphs(const TfliteFile& file) {
  const std::vector<bool> in_use = subgraphs_in_use(file);
  if (std::ranges::find(in_use, false) == in_use.end()) return;
  throw ImportError(file.where(),
                    fmt::format("has {} subgraphs; supported is one, beside those of CALL_ONCE, "
                                "loops and branches",
                                in_use.size()));
}

/// The kind of each operator, before anything else is looked at.
std::vector<NamedKind> kinds_of_operators(const TfliteFile& file, const std::vector<size_t>& ops) {
  std::vector<NamedKind> kinds;
  UnsupportedOps unsupported;
  for (const size_t i : ops) {
    const NamedKind& kind = kinds.emplace_back(kind_of(file, i));
    if (kind.kind == nullptr) unsupported.add(kind.name, i);
  }
  if (!unsupported.empty())
    unsupported.refuse(file.where(), ops.size(), help_for_operator(unsupported.first()));
  return kinds;
}

void read_ops(const TfliteFile& file, const std::vector<size_t>& ops,
              const std::vector<NamedKind>& kinds, const Uint8Tensors& uint8,
              NetworkBuilder& network) {
  HandledVariables variables(file, network.tensors());
  for (size_t k = 0; k < ops.size(); ++k) {
    const OperatorKind& kind = *kinds[k].kind;
    const TfliteOp op = read_operands(file, ops[k], kinds[k].name, network.tensors());
    if (auto handled = variables.read(kind.code, op)) {
      if (handled->old) network.set_value(*handled->old, op.where);
      // What a variable is given is no constant, though its value may be one.
      for (Op& copy : handled->ops) network.add(std::move(copy), op.where);
      continue;
    }
    ReadOperator read = uint8.read(kind, op, network.tensors());
    if (kind.code == tfl::BuiltinOperator::DEQUANTIZE && read.ops.empty())
      network.add_dequantised_constant(op);
    network.add(std::move(read), op);
  }
  for (const State& state : variables.states()) network.graph().states.push_back(state);
}

}  // namespace

Graph import_tflite(std::span<const uint8_t> bytes, const std::string& name,
                    const std::string& where, const ImportOptions& options) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % TfliteFile::kAlignment != 0) {
    const Bytes aligned(bytes.begin(), bytes.end());
    return import_tflite(aligned, name, where, options);
  }
  const TfliteFile file = without_control_flow(TfliteFile(bytes, where, !options.shapes.empty()));
  refuse_other_subgraphs(file);
  const Section section = section_of(TfliteListing(file), options.until);
  const std::vector<NamedKind> kinds = kinds_of_operators(file, section.ops);
  std::vector<Tensor> tensors = read_tensors(file, section.tensors);
  infer_shapes(file, section, options.shapes, tensors);
  const Uint8Tensors uint8(file, section, tensors);
  NetworkBuilder network(name, where, std::move(tensors), section.inputs, section.outputs);
  std::vector<Op> openings = uint8.open_inputs(network.graph());
  network.begin(tensors_made(TfliteListing(file), section.ops));
  for (Op& op : openings) network.add(std::move(op), network.where_inputs());
  read_ops(file, section.ops, kinds, uint8, network);
  network.check_outputs();
  (void)offline_offsets(file);  // the interpreter believes it
  for (Op& op : uint8.open_outputs(network.graph()))
    network.add(std::move(op), network.where_outputs());
  return with_recurrent_layers(network.finish());
}

Graph import_tflite(const std::filesystem::path& file, const ImportOptions& options) {
  return import_tflite(read_model_file(file, kMaxFileBytes), file.stem().string(), file.string(),
                       options);
}

}  // namespace thimble
