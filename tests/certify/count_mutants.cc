// SPDX-License-Identifier: Apache-2.0
// Which mutants certify() notices, and whether the others are any.
#include <fmt/format.h>

#include <algorithm>

#include "tests/certify/mutants.h"
#include "tests/support/extreme_inputs.h"
#include "tests/support/random_network.h"
#include "thimble/certify/certify.h"
#include "thimble/model/error.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble::testing {
namespace {

bool gives_the_same(const Graph& file, const Graph& now, uint64_t seed) {
  std::vector<std::vector<Bytes>> sets = extreme_inputs(file, 4, seed);
  for (uint64_t k = 0; k < 6; ++k) sets.push_back(noise(file, seed + k));
  return std::ranges::all_of(sets, [&](const std::vector<Bytes>& inputs) {
    return expected_outputs(file, inputs) == expected_outputs(now, inputs);
  });
}

bool is_caught(const Graph& file, const RewrittenGraph& mutant) {
  try {
    return !certify(file, mutant).ok();
  } catch (const InternalError&) {
    return true;
  }
}

}  // namespace

const char* name(WrongRewrite kind) {
  static constexpr const char* kNames[] = {"unadapted", "exchanged", "bias",   "constant",  "claim",
                                           "padding",   "clamp",     "merged", "attribute", "port"};
  return kNames[static_cast<size_t>(kind)];
}

void count_rewrite_mutants(const Graph& file, uint64_t seed, size_t most, RewriteMutants& count) {
  const RewrittenGraph rewritten = rewrite_with_certificate(file);
  for (const RewriteMutant& mutant : rewrite_mutants(file, rewritten, seed, most)) {
    ++count.made;
    ++count.made_of[mutant.kind];
    if (is_caught(file, mutant.result)) {
      ++count.caught;
      ++count.caught_of[mutant.kind];
    } else if (gives_the_same(file, mutant.result.graph, seed)) {
      ++count.equal;
    } else {
      count.missed.push_back(fmt::format("{}, {}, {}", seed, name(mutant.kind), mutant.what));
    }
  }
}

}  // namespace thimble::testing
