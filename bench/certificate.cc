// SPDX-License-Identifier: Apache-2.0
// What the check of the rewrites costs, in processor time, beside the whole of `compile`:
//   certificate ../shared/models/{mobilenet_v2,...}.tflite > bench/results/certificate.csv
#include <fmt/format.h>

#include <ctime>
#include <filesystem>

#include "thimble/certify/certify.h"
#include "thimble/driver/driver.h"
#include "thimble/rewrites/rewrites.h"

namespace {

using namespace thimble;

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void measure(const std::string& model) {
  const Source source = load(model);
  const RewrittenGraph rewritten = rewrite_with_certificate(source.graph);
  const double begin = seconds();
  const Certification proof = certify(source.graph, rewritten);
  const double certified = seconds();
  const Answer answer = compile({.model = source, .emission = Emission{}});
  const double compiled = seconds() - certified;
  fmt::print("{},{},{},{},{:.4f},{:.3f},{:.2f}\n", std::filesystem::path(model).stem().string(),
             proof.same_ops, proof.checked_ops, proof.inferences, certified - begin, compiled,
             100 * (certified - begin) / compiled);
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print(
      "# build/dev/bench/certificate "
      "../shared/models/{{mobilenet_v2,mcunetv2_large,...}}.tflite\n");
  fmt::print("model,same_ops,checked_ops,inferences,certify_seconds,compile_seconds,percent\n");
  for (int k = 1; k < argc; ++k) measure(argv[k]);
  return 0;
}
