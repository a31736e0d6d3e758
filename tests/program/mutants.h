// SPDX-License-Identifier: Apache-2.0
// Programs made wrong on purpose, to see whether the verifier notices.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thimble/plan/placement.h"
#include "thimble/program/program.h"

namespace thimble::testing {

/// What is wrong with them.
enum class MutantKind : uint8_t {
  kPlan,
  kParameters,
  kConstants,
  kAddresses,
  kScratch,
  kTransfers
};
[[nodiscard]] const char* name(MutantKind kind);
constexpr MutantKind kMutantKinds[] = {MutantKind::kPlan,      MutantKind::kParameters,
                                       MutantKind::kConstants, MutantKind::kAddresses,
                                       MutantKind::kScratch,   MutantKind::kTransfers};

struct Mutant {
  MutantKind kind = MutantKind::kPlan;
  std::string what;  ///< "call 3 dropped"
  std::function<Program()> make;
};

/// Calls dropped, doubled and swapped; regions, chunks, strides and biases off by one; buffers
/// moved by a byte either way; rings one row short; loops one iteration short; accumulators set
/// anew by each chunk, or of another width; operands of two pieces exchanged; outputs a byte
/// further over their inputs than they may lie. Every number of every set of parameters one more or
/// less, sets of one type exchanged; bytes of packed constants changed or exchanged; scratch left
/// out, too small, or elsewhere. Transfers dropped, doubled, moved anywhere in their list, turned
/// round, longer, shorter, with other tokens, tags, buffers, rows and strides. Where there are
/// several memories: buffers in another one.
[[nodiscard]] std::vector<Mutant> mutants(const Graph& graph, const Schedule& schedule,
                                          const Placement& placement);

struct MutantCount {
  int made = 0, caught = 0, harmless = 0;
  std::vector<std::string> missed;  ///< passed the verifier and gave wrong outputs
  std::map<MutantKind, int> made_of, caught_of;
};
/// Verifies each mutant (every `every`-th of them, of one kind alone if asked); those that pass are
/// executed on several inputs, noise and extremes, and must give what the program gives.
[[nodiscard]] MutantCount count_mutants(const Graph& graph, const Schedule& schedule,
                                        const Placement& placement, int every,
                                        std::optional<MutantKind> kind = {});

}  // namespace thimble::testing
