// SPDX-License-Identifier: Apache-2.0
// Seconds of the processor to a layout within the capacity in the file's name, and to the least
// arena found in so much work (layout.h): layout_bench FOLDER [WORK] > results/layout.csv
// The first COUNT generated problems (tests/layout/generated_problems.h) of each family:
// layout_bench --generated COUNT SECONDS FAMILY... > results/layout_generated.csv
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "generated_problems.h"
#include "thimble/layout/layout.h"
#include "thimble/layout/problem_csv.h"

namespace {

using thimble::layout::Problem;

Problem read_problem(const std::filesystem::path& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return thimble::layout::problem_from_csv(text, path.string()).problem;
}

/// Processor time of the process, in seconds.
double processor_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

struct Timed {
  thimble::layout::Solution solution;
  double seconds = 0;
};

Timed timed(const Problem& problem, const thimble::layout::SearchLimits& limits) {
  const double start = processor_time();
  Timed result{.solution = thimble::layout::exact(problem, limits)};
  result.seconds = processor_time() - start;
  return result;
}

constexpr double kForEver = 1e7;
constexpr int kMostBuffers = 500;

int bench_generated(int count, double seconds, const std::vector<std::string>& families) {
  using namespace thimble::layout;
  fmt::print("# command: layout_bench --generated {} {:g} {}; seconds of one processor\n", count,
             seconds, fmt::join(families, " "));
  fmt::print("problem,buffers,lower_bound_bytes,capacity_bytes,arena_bytes,fits,nodes,seconds\n");
  for (const std::string& family : families) {
    for (int number = 0; number < count; ++number) {
      const GeneratedProblem generated = generated_problem(family, number, kMostBuffers);
      const double start = processor_time();
      const thimble::TimeLimit limit(kForEver, [&] { return processor_time() - start < seconds; });
      const Solution found =
          exact(generated.problem, {.work = int64_t{1} << 60,
                                    .good_enough_bytes = generated.capacity_bytes,
                                    .time = &limit});
      const double taken = processor_time() - start;
      const std::string fault = validate(generated.problem, found.addresses);
      if (!fault.empty()) {
        fmt::print(stderr, "{}: {}\n", generated.name, fault);
        return 4;
      }
      fmt::print("{},{},{},{},{},{},{},{:.2f}\n", generated.name, generated.problem.buffers.size(),
                 lower_bound_bytes(generated.problem), generated.capacity_bytes, found.arena_bytes,
                 found.arena_bytes <= generated.capacity_bytes, found.nodes, taken);
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr,
               "usage: layout_bench FOLDER [WORK]\n"
               "       layout_bench --generated COUNT SECONDS FAMILY...\n");
    return 1;
  }
  if (argc > 4 && std::string(argv[1]) == "--generated") {
    return bench_generated(std::atoi(argv[2]), std::atof(argv[3]), {argv + 4, argv + argc});
  }
  const int64_t work = argc > 2 ? std::strtoll(argv[2], nullptr, 10) : thimble::layout::kSearchWork;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (entry.path().extension() == ".csv") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  fmt::print("# command: layout_bench ../shared/bench/layout {}; seconds of one processor\n", work);
  fmt::print(
      "problem,buffers,lower_bound_bytes,greedy_by_size_bytes,capacity_bytes,seconds,nodes,"
      "fits,least_bytes,least_seconds,proven_optimal\n");
  for (const auto& path : paths) {
    const Problem problem = read_problem(path);
    const std::string stem = path.stem().string();
    const int64_t capacity = std::strtoll(stem.substr(stem.find('.') + 1).c_str(), nullptr, 10);
    const Timed fit = timed(problem, {.work = work, .good_enough_bytes = capacity});
    const Timed least = timed(problem, {.work = work, .good_enough_bytes = {}});
    for (const Timed* t : {&fit, &least}) {
      const std::string fault = thimble::layout::validate(problem, t->solution.addresses);
      if (fault.empty()) continue;
      fmt::print(stderr, "{}: {}\n", stem, fault);
      return 4;
    }
    fmt::print("{},{},{},{},{},{:.3f},{},{},{},{:.3f},{}\n", stem.substr(0, stem.find('.')),
               problem.buffers.size(), thimble::layout::lower_bound_bytes(problem),
               thimble::layout::greedy_by_size(problem).arena_bytes, capacity, fit.seconds,
               fit.solution.nodes, fit.solution.arena_bytes <= capacity, least.solution.arena_bytes,
               least.seconds, least.solution.proven_optimal);
    std::fflush(stdout);
  }
  return 0;
}
