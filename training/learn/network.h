// SPDX-License-Identifier: Apache-2.0
// A network of float32 as LibTorch executes it, a batch at a time, with constants that learn.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble::training {

/// What comes between: each is called for what it is of, and gives what takes its place. None need
/// be there.
struct Taps {
  /// An activation: each input of the network, and what each operator computes.
  std::function<torch::Tensor(TensorId t, torch::Tensor x)> activation = {};
  /// Weights of CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED: their output channels come first.
  std::function<torch::Tensor(const Op& op, torch::Tensor weights)> weights = {};
  /// The sums of CONV_2D or FULLY_CONNECTED, bias included, before its activation; an undefined
  /// tensor: as usual.
  std::function<torch::Tensor(const Op& op, torch::Tensor x, torch::Tensor weights,
                              torch::Tensor bias)>
      sums = {};
};

/// Images are N x C x H x W (in memory, channels come last), all else is as in the graph; the batch
/// comes first.
class Network {
 public:
  /// normalise: a batch normalisation stands behind each CONV_2D and DEPTHWISE_CONV_2D, whose bias
  /// is 0 then. Throws CompileError for operators that cannot be trained, and networks that do not
  /// score classes.
  explicit Network(Graph graph, bool normalise);

  /// Weights as a network begins with (He et al. 2015), biases of 0.
  void initialise(uint64_t seed);
  /// The scores, before SOFTMAX. training: batch normalisations take the batch's statistics.
  [[nodiscard]] torch::Tensor scores(torch::Tensor x, bool training, const Taps& taps = {});
  /// As the graph has one sample, to the batch that scores() takes.
  [[nodiscard]] torch::Tensor batch(const std::vector<float>& samples) const;

  /// All that learns, by the name of its tensor, and statistics, which do not.
  [[nodiscard]] const std::map<std::string, torch::Tensor>& parameters() const { return learnt_; }
  [[nodiscard]] const std::map<std::string, torch::Tensor>& statistics() const { return seen_; }
  /// The constant that a parameter is, or the activation that one of a normalisation is of.
  [[nodiscard]] std::optional<TensorId> constant_of(const std::string& name) const;
  [[nodiscard]] TensorId normalised_tensor(const std::string& name) const;
  /// How much a channel counts that operator o makes: magnitudes of its normalisation's factors, or
  /// of its weights.
  [[nodiscard]] std::vector<float> magnitudes(OpId o) const;

  /// The graph with what was learnt; normalisations are folded into weights and biases.
  [[nodiscard]] Graph learnt_graph() const;
  [[nodiscard]] const Graph& graph() const { return graph_; }
  /// The tensor whose values scores() gives.
  [[nodiscard]] TensorId scores_tensor() const { return scores_; }

 private:
  [[nodiscard]] torch::Tensor& learnt(TensorId constant);
  [[nodiscard]] torch::Tensor weighted(const Op& op, torch::Tensor x, bool training,
                                       const Taps& taps);
  [[nodiscard]] torch::Tensor computed(const Op& op, const std::vector<torch::Tensor>& x) const;
  [[nodiscard]] torch::Tensor value(TensorId t, const std::vector<torch::Tensor>& values) const;

  Graph graph_;
  bool normalise_;
  TensorId scores_;
  std::map<std::string, torch::Tensor> learnt_, seen_;
  std::vector<std::string> names_;  ///< by TensorId, of constants that learn; empty: of others
};

}  // namespace thimble::training
