// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/layer_sensitivity.h"

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/quantise/demands.h"

namespace thimble {
namespace {

constexpr double kMostMacs = 2e10;  ///< of all inferences together
constexpr int64_t kMostSamples = 16;

std::vector<OpId> computing(const Graph& graph, const Formats& formats) {
  std::vector<OpId> ops;
  for (int32_t o = 0; o < std::ssize(graph.ops); ++o) {
    const Op& op = graph.ops[static_cast<size_t>(o)];
    const auto demands =
        demands_of(op.attributes, op.inputs.size(), formats[static_cast<size_t>(o)]);
    if (demands && demands->output != Demands::Output::kTied) ops.push_back(OpId{o});
  }
  return ops;
}

}  // namespace

std::vector<QuantisedLayer> layer_sensitivities(const Graph& real, const Ranges& ranges,
                                                const QuantiseOptions& options,
                                                const QuantisationJudge& judge) {
  const std::vector<OpId> ops = computing(real, options.formats);
  const double each =
      static_cast<double>(std::max<int64_t>(macs(real), 100'000)) * static_cast<double>(ops.size());
  const auto samples = static_cast<int64_t>(kMostMacs / std::max(each, 1.0));
  if (samples == 0) return {};
  std::vector<QuantisedLayer> layers;
  for (const OpId o : ops) {
    QuantiseOptions one = options;
    one.ports = DType::kFloat32;
    one.formats.assign(real.ops.size(), Format::kFloat32);
    one.formats[o.index()] = options.formats[o.index()];
    const Op& op = real.op(o);
    try {
      const Quantised made = quantised(real, ranges, one);
      layers.push_back({o, label(op), name(one.formats[o.index()]),
                        judge.judge(made.graph, std::min(samples, kMostSamples)).relative});
    } catch (const CompileError&) {
      continue;  // it stays in float32, and is named there
    }
  }
  return layers;
}

}  // namespace thimble
