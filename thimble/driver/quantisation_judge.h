// SPDX-License-Identifier: Apache-2.0
// A float network beside what was made of it, on samples.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "thimble/driver/calibration_samples.h"
#include "thimble/quantise/noise.h"
#include "thimble/quantise/range.h"
#include "thimble/reference/tensor_values.h"

namespace thimble {

/// Calls work(k, worker) for all k < count, with progress; from several threads.
using Counted = std::function<void(const char* what, size_t count,
                                   const std::function<void(size_t k, size_t worker)>& work)>;

/// What a network's outputs are beside the float one's.
struct OutputNoise {
  std::vector<Noise> ports;
  /// By which methods are compared: of each sample the noise for its signal, of all samples the
  /// mean. Of outputs that end in SOFTMAX or LOGISTIC it is of what these read (less the mean of
  /// all classes), so that all samples count, not those alone that lie between two classes; and
  /// sure ones, whose scores are large, no more than others.
  double relative = 0;
  int64_t samples = 0;
  std::optional<int64_t> agreeing;  ///< of the samples, with the same best class; nothing: it has
                                    ///< no classes
  std::optional<int64_t> right;     ///< of the samples, by their labels; nothing: not known
};

class QuantisationJudge {
 public:
  /// real, samples and counted must outlive it. Outputs of float32 are computed once. names: of the
  /// network's classes; empty: not known.
  QuantisationJudge(const Graph& real, const CalibrationSamples& samples,
                    const std::vector<std::string>& names, const Counted& counted);

  /// made: with real's ports, of float32 or integers. most: samples at most (0: all), from all over
  /// the set.
  [[nodiscard]] OutputNoise judge(const Graph& made, int64_t most = 0) const;
  /// The best class of every sample for the float network; empty: it has none.
  [[nodiscard]] const std::vector<size_t>& classes() const { return classes_; }
  /// What a tensor of the float network takes in all samples.
  [[nodiscard]] const Range& seen(TensorId t) const { return seen_[t.index()]; }
  /// How many of the samples that judge() takes the float network gets right.
  [[nodiscard]] std::optional<int64_t> right(int64_t most = 0) const;

 private:
  struct Expected {
    std::vector<std::vector<float>> outputs, scores;  ///< by port; empty: no float32
  };

  const Graph& real_;
  const std::vector<SampleInputs>& samples_;
  const Counted& counted_;
  std::vector<Expected> expected_;
  Ranges seen_;
  std::vector<size_t> classes_, truths_;  ///< by sample; empty: not known
};

/// in_parallel on `jobs` threads.
[[nodiscard]] Counted counted_by(
    int jobs, std::function<void(const char* what, size_t done, size_t of)> progress);

/// Noise of tensors in all samples, at most kMostJudged of them: by TensorId of real. made_tensors:
/// what each is in `made`; invalid: nothing.
[[nodiscard]] std::vector<Noise> tensor_noise(const Graph& real, const Graph& made,
                                              const std::vector<TensorId>& made_tensors,
                                              const std::vector<SampleInputs>& samples,
                                              const Counted& counted);
/// So many samples are judged at most.
constexpr int64_t kMostJudged = 200;

/// A sample in the types of another network's ports: float32 as the nearest integers.
[[nodiscard]] SampleInputs inputs_for(const Graph& made, const Graph& real,
                                      const SampleInputs& inputs);
/// The values of a tensor, constant or computed.
[[nodiscard]] std::vector<float> numbers_of(const Graph& graph, const TensorValues& values,
                                            TensorId t);

}  // namespace thimble
