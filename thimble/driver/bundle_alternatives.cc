// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "thimble/driver/alternatives.h"
#include "thimble/driver/bundle.h"
#include "thimble/driver/reports.h"
#include "thimble/driver/request_fields.h"
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

  /// Bytes of SRAM that are needed, at least; nothing: not known.
  std::optional<int64_t> attempt(const std::string& options, BundleRequest other) {
    for (Request& model : other.models) {
      model.planner = quick_planner();
      model.time_limit_seconds = seconds_left();
    }
    if (seconds_left() <= 0) return std::nullopt;
    try {
      const BundleAnswer answer = compile(other);
      if (const auto* no = std::get_if<BundleInfeasible>(&answer)) return no->no.lower_bound_bytes;
      const auto* bundle = std::get_if<Bundle>(&answer);
      if (bundle == nullptr) return std::nullopt;
      if (!bundle->fits()) return bundle->verdict.sram_bytes();
      found_.push_back({.options = options,
                        .arena_bytes = bundle->arena_bytes(),
                        .instructions = instructions_of(*bundle),
                        .sram_bytes = bundle->verdict.sram_bytes(),
                        .flash_bytes = bundle->verdict.flash_bytes(),
                        .fits = true});
      return bundle->verdict.sram_bytes();
    } catch (const CompileError&) {
      return std::nullopt;  // not for these models
    }
  }

  [[nodiscard]] size_t count() const { return found_.size(); }
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
    (void)trials.attempt(request_field("share_arena").option, sharing);
  }
  const std::vector<Target> boards = larger_boards(request.models.front().target, flash_bytes);
  const size_t before = trials.count();
  int64_t least_sram = 0;  // by what did not fit the boards before
  size_t tried = 0;
  for (const Target& board : boards) {
    if (trials.count() - before == kShown || tried == kMostTried) break;
    if (board.sram_bytes() < least_sram) continue;
    BundleRequest other = request;
    const RequestField& device = request_field("device");
    for (Request& model : other.models) {
      set_field(model, device, {board.name});
      model.sram_bytes.reset();
      model.flash_bytes.reset();
    }
    ++tried;
    const size_t found = trials.count();
    const std::optional<int64_t> needed = trials.attempt(option_words(device, {board.name}), other);
    if (needed && trials.count() == found) least_sram = std::max(least_sram, *needed);
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
