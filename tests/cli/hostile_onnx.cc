// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/hostile_onnx.h"

#include <cstdint>

#include "thimble/import/onnx/protozero.h"

namespace thimble::testing {
namespace {

using protozero::pbf_writer;

// Numbers of fields in onnx.proto.
enum : uint32_t { kIr = 1, kGraph = 7, kOpsets = 8 };                            // a model
enum : uint32_t { kNodes = 1, kInitializers = 5, kInputs = 11, kOutputs = 12 };  // a graph
enum : uint32_t { kFloat = 1, kString = 8 };                                     // types

std::string value(const std::string& name, const std::vector<int64_t>& shape,
                  int32_t type = kFloat) {
  std::string tensor;
  {
    pbf_writer of_tensor(tensor);
    of_tensor.add_int32(1, type);
    pbf_writer of_shape(of_tensor, 2);
    for (const int64_t extent : shape) {
      pbf_writer dimension(of_shape, 1);
      extent > 0 ? dimension.add_int64(1, extent) : dimension.add_string(2, "n");
    }
  }
  std::string result;
  pbf_writer info(result);
  info.add_string(1, name);
  pbf_writer kind(info, 2);
  kind.add_message(1, tensor);
  return result;
}

struct Node {
  std::string op;
  std::vector<std::string> inputs, outputs;
};

std::string written(const Node& node) {
  std::string result;
  pbf_writer writer(result);
  for (const std::string& input : node.inputs) writer.add_string(1, input);
  for (const std::string& output : node.outputs) writer.add_string(2, output);
  writer.add_string(4, node.op);
  return result;
}

/// Numbers of float32; external: the file that they are said to be in.
std::string initializer(const std::string& name, const std::vector<int64_t>& shape,
                        const std::string& raw, const std::string& external = "") {
  std::string result;
  pbf_writer writer(result);
  for (const int64_t extent : shape) writer.add_int64(1, extent);
  writer.add_int32(2, kFloat);
  writer.add_string(8, name);
  if (external.empty()) {
    writer.add_string(9, raw);
    return result;
  }
  writer.add_int32(14, 1);
  pbf_writer location(writer, 13);
  location.add_string(1, "location");
  location.add_string(2, external);
  return result;
}

struct Model {
  std::vector<Node> nodes = {{"Relu", {"x"}, {"y"}}};
  std::vector<std::string> initializers = {};
  std::string input = value("x", {1, 4}), output = value("y", {1, 4});
};

std::string written(const Model& model) {
  std::string graph;
  {
    pbf_writer writer(graph);
    for (const Node& node : model.nodes) writer.add_message(kNodes, written(node));
    for (const std::string& each : model.initializers) writer.add_message(kInitializers, each);
    writer.add_message(kInputs, model.input);
    writer.add_message(kOutputs, model.output);
  }
  std::string result;
  pbf_writer writer(result);
  writer.add_int64(kIr, 8);
  writer.add_message(kGraph, graph);
  pbf_writer opset(writer, kOpsets);
  opset.add_int64(2, 13);
  return result;
}

std::string chain(size_t operators) {
  Model model{.nodes = std::vector<Node>(operators),
              .output = value(std::to_string(operators), {1, 4})};
  for (size_t k = 0; k < operators; ++k)
    model.nodes[k] = {"Relu", {k == 0 ? "x" : std::to_string(k)}, {std::to_string(k + 1)}};
  return written(model);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> hostile_onnx() {
  const std::string whole = written(Model{});
  const std::string four(16, '\1');
  return {
      {"nothing", ""},
      {"half of one", whole.substr(0, whole.size() / 2)},
      {"text", "a model\n"},
      {"nodes that read each other",
       written(Model{.nodes = {{"Relu", {"z"}, {"y"}}, {"Relu", {"y"}, {"z"}}}})},
      {"a node that reads what nobody makes", written(Model{.nodes = {{"Relu", {"w"}, {"y"}}}})},
      {"two nodes that make one value",
       written(Model{.nodes = {{"Relu", {"x"}, {"y"}}, {"Tanh", {"x"}, {"y"}}}})},
      {"an output that nobody makes", written(Model{.output = value("z", {1, 4})})},
      {"an operator that nobody knows", written(Model{.nodes = {{"Frobnicate", {"x"}, {"y"}}}})},
      {"a node without its operand", written(Model{.nodes = {{"Add", {"x"}, {"y"}}}})},
      {"weights with too few bytes",
       written(Model{.nodes = {{"Add", {"x", "w"}, {"y"}}},
                     .initializers = {initializer("w", {1, 4}, "abc")}})},
      {"weights of 2^50 elements",
       written(Model{.nodes = {{"Add", {"x", "w"}, {"y"}}},
                     .initializers = {initializer("w", {1 << 25, 1 << 25}, four)}})},
      {"weights in a file that is elsewhere",
       written(Model{.nodes = {{"Add", {"x", "w"}, {"y"}}},
                     .initializers = {initializer("w", {1, 4}, "", "../../etc/passwd")}})},
      {"weights in a file that is not there",
       written(Model{.nodes = {{"Add", {"x", "w"}, {"y"}}},
                     .initializers = {initializer("w", {1, 4}, "", "weights.bin")}})},
      {"100,001 operators", chain(100'001)},
      {"an input with an open extent", written(Model{.input = value("x", {1, 0})})},
      {"an input of strings", written(Model{.input = value("x", {1, 4}, kString)})},
      {"an input of 2^42 elements", written(Model{.input = value("x", {int64_t{1} << 40, 4})})},
      {"operands that do not stretch to each other",
       written(Model{.nodes = {{"Add", {"x", "w"}, {"y"}}},
                     .initializers = {initializer("w", {3}, four.substr(0, 12))}})},
  };
}

}  // namespace thimble::testing
