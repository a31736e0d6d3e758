// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "thimble/driver/alternatives.h"
#include "thimble/driver/bundle.h"
#include "thimble/driver/reports.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

double instructions_of(const Bundle& bundle) {
  double sum = 0;
  for (const Compiled& model : bundle.models)
    sum += estimate_of(model).value_or(CoreEstimate{}).estimate.instructions;
  return sum;
}

// Tries requests one after the other, within the time limit of the first.
class BundleTrials {
 public:
  explicit BundleTrials(const BundleRequest& request) : request_(request) {}

  bool attempt(const std::string& options, BundleRequest other) {
    for (Request& model : other.models) {
      model.planner = quick_planner();
      model.time_limit_seconds = seconds_left();
    }
    if (seconds_left() <= 0) return false;
    try {
      const BundleAnswer answer = compile(other);
      const auto* bundle = std::get_if<Bundle>(&answer);
      if (bundle == nullptr || !bundle->fits()) return false;
      found_.push_back({.options = options,
                        .arena_bytes = bundle->arena_bytes(),
                        .instructions = instructions_of(*bundle),
                        .sram_bytes = bundle->verdict.sram_bytes(),
                        .flash_bytes = bundle->verdict.flash_bytes(),
                        .fits = true});
      return true;
    } catch (const CompileError&) {
      return false;  // not for these models
    }
  }

  std::vector<Alternative> found() && { return std::move(found_); }

 private:
  double seconds_left() const {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start_;
    return request_.models.front().time_limit_seconds - gone.count();
  }

  const BundleRequest& request_;
  std::vector<Alternative> found_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::vector<Alternative> tried(const BundleRequest& request, bool sram_lacks, int64_t flash_bytes) {
  constexpr size_t kShown = 3, kMostTried = 6;
  BundleTrials trials(request);
  if (!request.share_arena && sram_lacks) {
    BundleRequest sharing = request;
    sharing.share_arena = true;
    (void)trials.attempt("--share-arena", sharing);
  }
  const std::vector<Target> boards = larger_boards(request.models.front().target, flash_bytes);
  size_t shown = 0;
  for (size_t k = 0; k < std::min(boards.size(), kMostTried) && shown < kShown; ++k) {
    BundleRequest other = request;
    for (Request& model : other.models) {
      model.target = boards[k];
      model.sram_bytes.reset();
      model.flash_bytes.reset();
    }
    shown += trials.attempt("--device " + boards[k].name, other) ? 1 : 0;
  }
  return std::move(trials).found();
}

}  // namespace

std::vector<Alternative> alternatives(const BundleRequest& request, const Bundle& bundle) {
  const Verdict& verdict = bundle.verdict;
  return tried(request, !verdict.fits_sram(), verdict.fits_flash() ? 0 : verdict.flash_bytes());
}

std::vector<Alternative> alternatives(const BundleRequest& request, const BundleInfeasible& no) {
  return tried(request, no.no.flash_lower_bound_bytes == 0, no.no.flash_lower_bound_bytes);
}

}  // namespace thimble
