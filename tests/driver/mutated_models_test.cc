// SPDX-License-Identifier: Apache-2.0
// Models with some bytes changed at random: each is refused with a CompileError, does not fit, or
// computes what the reference computes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

#include "tests/support/shared.h"
#include "tests/support/workload.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/run.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "zoo/random.h"

namespace thimble {
namespace {

constexpr int64_t kMostFileBytes = 40 << 10;
constexpr int64_t kMostBytes = 1 << 20, kMostMacs = 2 << 20;

std::vector<std::filesystem::path> small_models() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"models", "ops"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(testing::shared_folder() / folder)) {
      if (entry.path().extension() == ".tflite" &&
          entry.file_size() <= static_cast<uintmax_t>(kMostFileBytes))
        files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

/// Words are what a flatbuffer consists of: extents, offsets, enumerations, zero points.
void mutate(Bytes& file, zoo::Random& random) {
  static constexpr int32_t kWords[] = {0,
                                       1,
                                       -1,
                                       2,
                                       127,
                                       128,
                                       -128,
                                       1 << 16,
                                       std::numeric_limits<int32_t>::max(),
                                       std::numeric_limits<int32_t>::min()};
  const auto last = static_cast<int64_t>(file.size()) - 1;
  const int64_t changes = random.between(1, 4);
  for (int64_t change = 0; change < changes; ++change) {
    const auto at = static_cast<size_t>(random.between(0, last));
    switch (random.between(0, 3)) {
      case 0:
        file[at] = static_cast<uint8_t>(file[at] ^ (1 << random.between(0, 7)));
        break;
      case 1:
        file[at] = static_cast<uint8_t>(file[at] + random.between(-3, 3));
        break;
      case 2:
        file[at] = static_cast<uint8_t>(random.between(0, 255));
        break;
      default: {
        const int32_t word = kWords[random.between(0, std::ssize(kWords) - 1)];
        const size_t start = at / sizeof word * sizeof word;
        if (start + sizeof word <= file.size()) std::memcpy(&file[start], &word, sizeof word);
        break;
      }
    }
  }
}

bool is_small(const Graph& graph) {
  int64_t bytes = 0;
  for (const Tensor& tensor : graph.tensors) bytes += tensor.size_bytes();
  return bytes <= kMostBytes && macs(graph) <= kMostMacs;
}

struct Mutated {
  enum { kRefused, kLarge, kDoesNotFit, kComputed } what;
  std::string fault = {};  ///< of what was computed
};

Mutated mutated(const Bytes& file, const std::string& planner) {
  try {
    const Graph graph = import_tflite(file, "mutated", "mutated.tflite");
    if (!is_small(graph)) return {Mutated::kLarge};
    const Answer answer = compile({.model = source_of(graph),
                                   .graph = {.max_bytes = kMostBytes},
                                   .planner = planner,
                                   .time_limit_seconds = 5});
    const auto* compiled = std::get_if<Compiled>(&answer);
    if (compiled == nullptr) return {Mutated::kDoesNotFit};
    InputCase noise = seeded_case(compiled->graph, 1);
    noise.outputs = run_reference(compiled->graph, {noise}).outputs.at(0);
    return {Mutated::kComputed, run_host(*compiled, {noise}).difference};
  } catch (const CompileError& error) {
    return {Mutated::kRefused, std::string(error.what()).empty() ? "no message" : ""};
  } catch (const std::exception& error) {
    return {Mutated::kComputed, error.what()};
  }
}

class MutatedModels : public ::testing::TestWithParam<uint64_t> {};

TEST_P(MutatedModels, AreRefusedOrComputeTheRightThing) {
  THIMBLE_NEEDS_SHARED();
  static constexpr const char* kPlanners[] = {
      "original", "reorder", "pex", "patch", "stream:granularity=row", "stream:granularity=pixel",
      "motes"};
  static const std::vector<std::filesystem::path> files = small_models();
  const uint64_t count = testing::random_cases(500, 12'500) / testing::kOneIn;
  int computed = 0, refused = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t seed = GetParam() * 100'000 + i;
    zoo::Random random(seed);
    const auto& path = files[static_cast<size_t>(random.between(0, std::ssize(files) - 1))];
    const std::string planner = kPlanners[random.between(0, std::ssize(kPlanners) - 1)];
    Bytes file = read_file(path, kMostFileBytes);
    mutate(file, random);
    SCOPED_TRACE(fmt::format("seed {}: {}, {}", seed, path.filename().string(), planner));
    const Mutated found = mutated(file, planner);
    EXPECT_EQ(found.fault, "");
    computed += found.what == Mutated::kComputed;
    refused += found.what == Mutated::kRefused;
  }
  RecordProperty("computed", computed);
  RecordProperty("refused", refused);
  EXPECT_GT(computed, 0);
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Parts, MutatedModels, ::testing::Range(uint64_t{1}, uint64_t{9}));

}  // namespace
}  // namespace thimble
