// SPDX-License-Identifier: Apache-2.0
// Ways to quantise a network, tried one after the other by the noise that they leave.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "thimble/driver/quantisation_judge.h"
#include "thimble/driver/quantisation_request.h"
#include "thimble/quantise/histogram.h"
#include "thimble/report/quantisation_report.h"

namespace thimble {

struct ObservedValues {
  Ranges ranges;
  Histograms histograms;

  [[nodiscard]] bool empty() const { return ranges.empty(); }
};

/// A network that computes what the original does, and what its tensors take.
struct RealNetwork {
  Graph graph;
  ObservedValues observed;
};

/// A way to quantise, and what came of it.
struct QuantisationAttempt {
  std::string method;
  std::shared_ptr<const RealNetwork> real;
  Ranges ranges;
  Quantised made;
  OutputNoise noise;
};

class QuantisationSearch {
 public:
  /// request and samples must outlive it.
  QuantisationSearch(const QuantisationRequest& request, const CalibrationSamples& samples);

  /// The best way that was found.
  [[nodiscard]] QuantisationAttempt run();
  /// run()'s network and ranges in other formats, with weights rounded by error unless that was
  /// refused. quick: by few samples.
  [[nodiscard]] QuantisationAttempt in_formats(const QuantisationAttempt& best, Formats formats,
                                               bool quick);

  [[nodiscard]] const std::vector<MethodTried>& tried() const { return tried_; }
  [[nodiscard]] const QuantisationJudge& judge() const { return judge_; }
  [[nodiscard]] const QuantiseOptions& options() const { return options_; }
  [[nodiscard]] const Counted& counted() const { return counted_; }

 private:
  template <class Observed, class Observe>
  Observed observed(const Observe& observe);
  QuantisationAttempt attempt(std::string method, std::shared_ptr<const RealNetwork> real,
                              Ranges ranges, int64_t samples = kMostJudged);
  void note(const QuantisationAttempt& attempt);
  void take(QuantisationAttempt& best, QuantisationAttempt other, double worth_it);
  std::shared_ptr<const RealNetwork> equalised_network();
  [[nodiscard]] Ranges clipped(const RealNetwork& real, RangeChoice choice) const;
  void clip(QuantisationAttempt& best);
  void clip_groups(QuantisationAttempt& best, const std::vector<Ranges>& ways);
  void round(QuantisationAttempt& best);
  void refine(QuantisationAttempt& attempt, bool rounds, int64_t most_samples = 0);
  void finish(QuantisationAttempt& attempt, std::string method, int64_t samples = kMostJudged);

  const QuantisationRequest& request_;
  const std::vector<SampleInputs>& samples_;
  Counted counted_;
  QuantisationJudge judge_;
  QuantiseOptions options_;
  std::vector<MethodTried> tried_;
};

}  // namespace thimble
