// SPDX-License-Identifier: Apache-2.0
// How much of the long tests runs where everything is slow.
#pragma once

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

}  // namespace thimble::testing
