// SPDX-License-Identifier: Apache-2.0
// What holds for each network of the zoo: it has life in it, goes into a .tflite and comes back,
// and its planned program computes what the reference does.
#include <flatbuffers/flatbuffers.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "tests/support/workload.h"
#include "thimble/export/tflite.h"
#include "thimble/import/tensor_file.h"
#include "thimble/import/tflite.h"
#include "thimble/import/tflite/schema.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/reference/interpreter.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

/// All of the zoo, and of the large ones some that are small.
std::vector<std::string> networks() {
  std::vector<std::string> specs = {
      "attention_unet:resolution=32,filters=8", "resunet_a:resolution=64,filters=4",
      "tiny_unet:ports=int8,rows=24,columns=40", "vnet_2d:resolution=32,filters=4"};
  for (const ZooEntry& entry : zoo_entries()) specs.push_back(entry.name);
  return specs;
}

std::string name_of(const std::string& spec) { return spec.substr(0, spec.find(':')); }

/// Letters, digits and underscores alone.
std::string test_name(const std::string& spec) {
  std::string name = spec;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

std::vector<Bytes> seeded_inputs(const Graph& graph, uint64_t seed) {
  std::vector<Bytes> inputs;
  for (const Port& port : graph.inputs) {
    const Tensor& tensor = graph.tensor(port.tensor);
    inputs.push_back(random_bytes(tensor.type, elements(tensor.shape), seed));
  }
  return inputs;
}

/// One; for networks with states a few, of which each goes on from the one before.
std::vector<std::vector<Bytes>> seeded_inferences(const Graph& graph) {
  const uint64_t count = graph.states.empty() ? 1 : 4;
  std::vector<std::vector<Bytes>> result;
  for (uint64_t seed = 1; seed <= count; ++seed) result.push_back(seeded_inputs(graph, seed));
  return result;
}

/// Networks above this many MACs, left out where nobody asks for them. By name: building them takes
/// as long as testing others.
constexpr int64_t kManyMacs = 500'000'000;
const std::set<std::string> kLarge = {"alexnet",         "alexnet_2012",   "amoebanet_a",
                                      "attention_unet",  "darts_cifar10",  "darts_imagenet",
                                      "googlenet",       "mobilenet_v1",   "nasnet_a_cifar10",
                                      "nasnet_a_mobile", "randomly_wired", "resnet18",
                                      "resunet_a",       "vgg16",          "vnet_2d"};
/// As .tflite: networks with states.
const std::set<std::string> kNotWritten = {"audio_preprocessor", "decoder"};

void expect_life(const Graph& graph, const TensorValues& values) {
  for (const Op& op : graph.ops) {
    const Tensor& tensor = graph.tensor(op.outputs[0]);
    const Bytes& bytes = values[op.outputs[0].index()];
    if (bytes.size() < 64 || tensor.type == DType::kBool) continue;
    const std::set<uint8_t> distinct(bytes.begin(), bytes.end());
    // Few of a thousand classes get more than 1/512.
    const bool probabilities = std::holds_alternative<Softmax>(op.attributes);
    EXPECT_GE(distinct.size(), probabilities ? 2U : 8U) << tensor.name << " is nearly constant";
    // A pixel is often the one of two classes, without doubt.
    if (probabilities && tensor.shape.back() == 2) continue;
    const auto highest = std::ranges::count(bytes, uint8_t{127});
    EXPECT_LE(static_cast<double>(highest), 0.1 * static_cast<double>(bytes.size()))
        << tensor.name << " is saturated";
  }
}

void expect_round_trip(const Graph& graph) {
  const Bytes file = export_tflite(graph);
  flatbuffers::Verifier verifier(file.data(), file.size());
  EXPECT_TRUE(tflite::VerifyModelBuffer(verifier));
  const Graph back = import_tflite(file, graph.name, graph.name + ".tflite");
  EXPECT_EQ(back.ops, graph.ops);
  EXPECT_EQ(back.inputs, graph.inputs);
  EXPECT_EQ(back.outputs, graph.outputs);
  ASSERT_GE(back.tensors.size(), graph.tensors.size());
  EXPECT_TRUE(std::equal(graph.tensors.begin(), graph.tensors.end(), back.tensors.begin()));
}

Program planned(const Graph& graph, const char* planner) {
  const PlannerChoice choice = choose_planner(planner);
  const auto answer = std::get<Planned>(choice.planner->plan(graph, {}, {}));
  const Placement placement = place(graph, answer.schedule(), {});
  Program program = lower(graph, answer.schedule(), placement);
  EXPECT_EQ(verify(graph, program).fault, "");
  return program;
}

class EveryNetwork : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryNetwork, IsSoundAndItsProgramEqualsTheReference) {
  const bool large = kLarge.contains(GetParam());
  if (large && !testing::workload().large_networks) {
    GTEST_SKIP() << "above " << kManyMacs << " MACs: set THIMBLE_LARGE_NETWORKS=1 to run it";
  }
  const Graph graph = build_zoo(GetParam());
  EXPECT_EQ(macs(graph) > kManyMacs, large);
  EXPECT_EQ(graph.name, name_of(GetParam()));
  if (!kNotWritten.contains(GetParam())) expect_round_trip(graph);

  const std::vector<std::vector<Bytes>> inferences = seeded_inferences(graph);
  StateValues state = initial_state(graph);
  TensorValues values;
  for (const std::vector<Bytes>& inputs : inferences) values = interpret(graph, inputs, state);
  expect_life(graph, values);

  const Graph rewritten = rewrite(graph);
  for (const char* planner : {"reorder", "pex", "stream:granularity=row"}) {
    const Program program = planned(rewritten, planner);
    const std::vector<Bytes> outputs = execute_in_turn(program, inferences).back();
    ASSERT_EQ(outputs.size(), graph.outputs.size());
    for (size_t k = 0; k < outputs.size(); ++k) {
      EXPECT_TRUE(outputs[k] == values[graph.outputs[k].tensor.index()])
          << planner << ", output " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryNetwork, ::testing::ValuesIn(networks()),
                         [](const auto& network) { return test_name(network.param); });

}  // namespace
}  // namespace thimble
