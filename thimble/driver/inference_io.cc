// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/inference_io.h"

#include <fmt/format.h>

#include "thimble/model/error.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

// Axes of extent 1 say nothing about the order of the elements; a single axis is the flat list.
bool same_elements(const Shape& given, const Shape& wanted) {
  const auto without_ones = [](Shape shape) {
    std::erase(shape, 1);
    return shape;
  };
  return elements(given) == elements(wanted) &&
         (given.size() == 1 || without_ones(given) == without_ones(wanted));
}

Bytes fitting(const Graph& graph, const Port& port, const NamedTensor& given,
              const std::string& where) {
  const Tensor& wanted = graph.tensor(port.tensor);
  const Shape shape = caller_shape(graph, port);
  if (given.type != wanted.type || !same_elements(given.shape, shape)) {
    throw CompileError(where, fmt::format("is {} {}; the network's '{}' is {} {}", name(given.type),
                                          to_string(given.shape), wanted.name, name(wanted.type),
                                          to_string(shape)));
  }
  return given.data;
}

const NamedTensor* find(const TensorFile& file, const std::string& key) {
  const auto it = file.tensors.find(key);
  return it == file.tensors.end() ? nullptr : &it->second;
}

// One value of the port per inference: the tensor's leading axis may count them.
std::vector<Bytes> stacked(const Graph& graph, const Port& port, const NamedTensor& given,
                           const std::string& where) {
  const int64_t wanted = graph.tensor(port.tensor).size_bytes();
  const auto count = static_cast<int64_t>(given.data.size()) / wanted;
  if (given.shape.empty() || count < 2 || given.shape[0] % count != 0)
    return {fitting(graph, port, given, where)};
  Shape shape = given.shape;
  shape[0] /= count;
  std::vector<Bytes> result;
  for (int64_t k = 0; k < count && (k + 1) * wanted <= static_cast<int64_t>(given.data.size());
       ++k) {
    const auto begin = given.data.begin() + k * wanted;
    result.push_back(
        fitting(graph, port, {given.type, shape, Bytes(begin, begin + wanted)}, where));
  }
  return result;
}

const NamedTensor& found(const TensorFile& file, const std::string& key, const std::string& name,
                         const std::string& where) {
  const NamedTensor* given = find(file, key);
  if (given == nullptr) given = find(file, name);
  if (given == nullptr)
    throw CompileError(where, fmt::format("has neither '{}' nor '{}'", key, name));
  return *given;
}

// For messages; a .npy file has one tensor and no names.
std::string place_of(const std::string& file, const std::string& key) {
  return file.ends_with(".npy") ? file : file + ": " + key;
}

std::vector<Bytes> ports_from(const Graph& graph, const std::vector<Port>& ports,
                              const TensorFile& file, const std::string& prefix,
                              const std::string& where) {
  std::vector<Bytes> result;
  for (size_t k = 0; k < ports.size(); ++k) {
    const std::string key = fmt::format("{}.{}", prefix, k);
    const NamedTensor& given = found(file, key, graph.tensor(ports[k].tensor).name, where);
    result.push_back(fitting(graph, ports[k], given, place_of(where, key)));
  }
  return result;
}

// A .npy file holds one tensor, which has no name.
void check_inputs(const Graph& graph, const std::string& file) {
  if (!file.ends_with(".npy") || graph.inputs.size() == 1) return;
  throw CompileError(file, fmt::format("holds one tensor, the network has {} inputs; use "
                                       ".safetensors with input.0, input.1, ...",
                                       graph.inputs.size()));
}

void add_operators(const TensorFile& file, InputCase& into) {
  for (const auto& [key, value] : file.tensors) {
    int op = 0, output = 0, read = 0;
    if (std::sscanf(key.c_str(), "op.%d.%d%n", &op, &output, &read) == 2 &&
        static_cast<size_t>(read) == key.size()) {
      into.ops[{op, output}] = value;
    }
  }
}

}  // namespace

std::vector<Bytes> caller_outputs(const Graph& graph, const TensorValues& values) {
  std::vector<Bytes> outputs;
  for (const Port& port : graph.outputs)
    outputs.push_back(to_port(graph, port, values[port.tensor.index()]));
  return outputs;
}

InputCase seeded_case(const Graph& graph, uint64_t seed) {
  InputCase result{.name = fmt::format("seed {}", seed), .inputs = {}, .outputs = {}, .ops = {}};
  for (size_t k = 0; k < graph.inputs.size(); ++k) {
    const Tensor& t = graph.tensor(graph.inputs[k].tensor);
    result.inputs.push_back(
        random_bytes(t.type, elements(t.shape), seed + (static_cast<uint64_t>(k) << 32)));
  }
  return result;
}

std::vector<InputCase> file_cases(const Graph& graph, const std::string& file) {
  check_inputs(graph, file);
  if (!graph.states.empty()) {
    std::vector<InputCase> cases;
    for (std::vector<Bytes>& inputs : input_sets(graph, read_tensors(file), file)) {
      cases.push_back({.name = fmt::format("inference {} of {}", cases.size(), file),
                       .inputs = std::move(inputs),
                       .outputs = {},
                       .ops = {},
                       .goes_on = !cases.empty()});
    }
    return cases;
  }
  return {{.name = file,
           .inputs = ports_from(graph, graph.inputs, read_tensors(file), "input", file),
           .outputs = {},
           .ops = {}}};
}

std::vector<std::vector<Bytes>> input_sets(const Graph& graph, const TensorFile& content,
                                           const std::string& file) {
  check_inputs(graph, file);
  std::vector<std::vector<Bytes>> result;
  std::string prefix;
  for (int seed = 2; seed == 2 || find(content, prefix + "input.0") != nullptr; ++seed) {
    const size_t first = result.size();
    for (size_t k = 0; k < graph.inputs.size(); ++k) {
      const std::string key = fmt::format("{}input.{}", prefix, k);
      const Port& port = graph.inputs[k];
      const std::vector<Bytes> values =
          stacked(graph, port, found(content, key, graph.tensor(port.tensor).name, file),
                  place_of(file, key));
      if (k == 0) result.resize(first + values.size());
      if (result.size() != first + values.size()) {
        throw CompileError(file, fmt::format("{} has {} inferences, the inputs before it {}", key,
                                             values.size(), result.size() - first));
      }
      for (size_t n = 0; n < values.size(); ++n) result[first + n].push_back(values[n]);
    }
    prefix = fmt::format("seed{}/", seed);
  }
  return result;
}

std::vector<InputCase> golden_cases(const Graph& graph, const std::string& file) {
  const TensorFile golden = read_tensors(file);
  std::vector<InputCase> cases;
  cases.push_back({.name = "the golden's first case",
                   .inputs = ports_from(graph, graph.inputs, golden, "input", file),
                   .outputs = ports_from(graph, graph.outputs, golden, "output", file),
                   .ops = {}});
  add_operators(golden, cases[0]);
  for (int seed = 2; find(golden, fmt::format("seed{}/input.0", seed)) != nullptr; ++seed) {
    const std::string prefix = fmt::format("seed{}/", seed);
    cases.push_back({.name = fmt::format("seed {} of the golden", seed),
                     .inputs = ports_from(graph, graph.inputs, golden, prefix + "input", file),
                     .outputs = ports_from(graph, graph.outputs, golden, prefix + "output", file),
                     .ops = {}});
  }
  const size_t seeds = cases.size();
  for (size_t turn = 1; turn <= seeds; ++turn) {
    const std::string prefix = fmt::format("seq{}/", turn);
    if (find(golden, prefix + "output.0") == nullptr) break;
    cases.push_back({.name = fmt::format("turn {} of the golden's sequence", turn),
                     .inputs = cases[turn - 1].inputs,
                     .outputs = ports_from(graph, graph.outputs, golden, prefix + "output", file),
                     .ops = {},
                     .goes_on = turn > 1});
  }
  return cases;
}

void check_output_name(const Graph& graph, const std::string& file) {
  if (file.ends_with(".npy")) {
    if (graph.outputs.size() == 1) return;
    throw CompileError(
        file,
        fmt::format("a .npy file holds one tensor, the network has {} outputs; use .safetensors",
                    graph.outputs.size()));
  }
  if (!file.ends_with(".safetensors"))
    throw CompileError(file, "outputs go to .npy or .safetensors files");
}

void write_outputs(const Graph& graph, const std::vector<Bytes>& outputs, const std::string& file) {
  check_output_name(graph, file);
  TensorFile content;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const Port& port = graph.outputs[k];
    content.tensors[fmt::format("output.{}", k)] = {graph.tensor(port.tensor).type,
                                                    caller_shape(graph, port), outputs[k]};
  }
  if (file.ends_with(".npy")) {
    write_npy(file, content.tensors.at("output.0"));
  } else {
    write_safetensors(file, content);
  }
}

}  // namespace thimble
