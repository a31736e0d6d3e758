// SPDX-License-Identifier: Apache-2.0
// Rewritten networks made wrong on purpose, to see whether certify() notices.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "thimble/certify/certificate.h"

namespace thimble::testing {

/// What a rewrite did wrong.
enum class WrongRewrite : uint8_t {
  kUnadapted,  ///< constants or attributes of the file's beside fewer channels
  kExchanged,  ///< channels, operands or ports
  kBias,       ///< what removed channels add, dropped or another
  kConstant,   ///< a byte of a constant, or of what was folded
  kClaim,      ///< channels that are kept or removed, what they are
  kPadding,    ///< merged otherwise
  kClamp,      ///< gone where values reach it, or another
  kMerged,     ///< operators that differ are one; one that changes values is gone
  kAttribute,  ///< numbers of an operator
  kPort        ///< order, shape or tensor of a port, the beginning of a variable
};
constexpr WrongRewrite kWrongRewrites[] = {WrongRewrite::kUnadapted, WrongRewrite::kExchanged,
                                           WrongRewrite::kBias,      WrongRewrite::kConstant,
                                           WrongRewrite::kClaim,     WrongRewrite::kPadding,
                                           WrongRewrite::kClamp,     WrongRewrite::kMerged,
                                           WrongRewrite::kAttribute, WrongRewrite::kPort};
[[nodiscard]] const char* name(WrongRewrite kind);

struct RewriteMutant {
  WrongRewrite kind = WrongRewrite::kUnadapted;
  std::string what;
  RewrittenGraph result;
};

/// About `most` of them, of all kinds that the network offers.
[[nodiscard]] std::vector<RewriteMutant> rewrite_mutants(const Graph& file,
                                                         const RewrittenGraph& rewritten,
                                                         uint64_t seed, size_t most);

struct RewriteMutants {
  int made = 0, caught = 0, equal = 0;
  std::vector<std::string> missed;
  std::map<WrongRewrite, int> made_of, caught_of;
};
/// What passes is executed on noise and at many ends: it is equal, or missed.
void count_rewrite_mutants(const Graph& file, uint64_t seed, size_t most, RewriteMutants& count);

}  // namespace thimble::testing
