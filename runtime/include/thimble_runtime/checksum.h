// SPDX-License-Identifier: Apache-2.0
// A checksum of a tensor's elements that does not depend on the order in which they are written:
// each adds its bits times an odd number of its own, modulo 2^32. Firmware that is traced and
// `thimble diagnose` share it.
#pragma once

#include <stdint.h>

namespace thimble::runtime {

/// What element `number`, row-major in its tensor, adds. bits: of the element, from the lowest on.
constexpr uint32_t checksum_term(uint64_t bits, uint32_t number) noexcept {
  const uint32_t odd = (number * 2654435761U) | 1U;
  const auto low = static_cast<uint32_t>(bits), high = static_cast<uint32_t>(bits >> 32);
  return (low + 1U) * odd + high * (odd ^ 0x5bd1e994U);
}

}  // namespace thimble::runtime
