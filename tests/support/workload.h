// SPDX-License-Identifier: Apache-2.0
// How much of the long tests runs: less where everything is slow, more in .ci/nightly.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace thimble::testing {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

/// Tests that go through many random cases take one in so many of them. With the sanitizers a case
/// takes about ten times as long, and what they look for does not need a rare one.
constexpr int kOneIn = kSanitized ? 10 : 1;

/// What a run of the tests is asked for by environment variables that are set to 1.
struct Workload {
  bool nightly;         ///< THIMBLE_NIGHTLY: many more random cases
  bool all_mutants;     ///< THIMBLE_ALL_MUTANTS: every mutant instead of a sample
  bool large_networks;  ///< THIMBLE_LARGE_NETWORKS: networks of the zoo above 1 G MACs
  bool update;          ///< THIMBLE_UPDATE: golden texts and data files are written anew
};

inline Workload workload() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return {set("THIMBLE_NIGHTLY"), set("THIMBLE_ALL_MUTANTS"), set("THIMBLE_LARGE_NETWORKS"),
          set("THIMBLE_UPDATE")};
}

/// How many random cases a test takes.
inline uint64_t random_cases(uint64_t usual, uint64_t nightly) {
  return workload().nightly ? nightly : usual;
}

}  // namespace thimble::testing
