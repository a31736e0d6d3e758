// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/feature.h"

#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr std::array kFeatureNames = {
    "call",         "looped",         "row",          "pixel",        "element",
    "quad",         "quad_run",       "quad_product", "quad_strided", "single",
    "single_run",   "single_product", "four",         "four_run",     "four_product",
    "one",          "one_run",        "one_product",  "weight",       "padding_run",
    "padding_quad", "padding_single", "copied",       "ring_pixel",   "ring_run",
    "broken",       "broken_single"};
static_assert(kFeatureNames.size() == std::tuple_size_v<Features>);

}  // namespace

const char* name(Feature feature) {
  const auto k = static_cast<size_t>(feature);
  check(k < kFeatureNames.size(), "unknown Feature");
  return kFeatureNames[k];
}

double dot(const Features& counts, const Features& coefficients) {
  double sum = 0;
  for (size_t k = 0; k < counts.size(); ++k) sum += counts[k] * coefficients[k];
  return sum;
}

}  // namespace thimble
