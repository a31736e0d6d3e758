// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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

std::optional<Alternative> fitting(const std::string& options, BundleRequest request) {
  for (Request& model : request.models) model.planner = quick_planner();
  try {
    const BundleAnswer answer = compile(request);
    const auto* bundle = std::get_if<Bundle>(&answer);
    if (bundle == nullptr || !bundle->fits()) return std::nullopt;
    return Alternative{.options = options,
                       .arena_bytes = bundle->arena_bytes(),
                       .instructions = instructions_of(*bundle),
                       .sram_bytes = bundle->verdict.sram_bytes(),
                       .flash_bytes = bundle->verdict.flash_bytes(),
                       .fits = true};
  } catch (const CompileError&) {
    return std::nullopt;  // not for these models
  }
}

}  // namespace

std::vector<Alternative> alternatives(const BundleRequest& request, const Bundle& bundle) {
  constexpr size_t kShown = 3, kMostTried = 6;
  std::vector<Alternative> found;
  if (!request.share_arena && !bundle.verdict.fits_sram()) {
    BundleRequest sharing = request;
    sharing.share_arena = true;
    if (auto other = fitting("--share-arena", sharing)) found.push_back(*other);
  }
  const std::vector<Target> boards =
      larger_boards(request.models.front().target,
                    bundle.verdict.fits_flash() ? 0 : bundle.verdict.flash_bytes());
  const size_t sharing = found.size();
  for (size_t k = 0; k < std::min(boards.size(), kMostTried); ++k) {
    if (found.size() - sharing == kShown) break;
    BundleRequest other = request;
    for (Request& model : other.models) {
      model.target = boards[k];
      model.sram_bytes.reset();
      model.flash_bytes.reset();
    }
    if (auto fits = fitting("--device " + boards[k].name, other)) found.push_back(*fits);
  }
  return found;
}

}  // namespace thimble
