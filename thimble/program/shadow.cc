// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/shadow.h"

#include <algorithm>

namespace thimble {
namespace {

uint32_t step_of(ShadowByte byte) { return byte.content == 0 ? 0 : 1; }

}  // namespace

uint32_t Contents::number(const Content& content) {
  const auto [it, added] = numbers_.try_emplace(content, static_cast<uint32_t>(contents_.size()));
  if (added) contents_.push_back(content);
  return it->second;
}

ShadowMemory::ShadowMemory(int64_t bytes)
    : size_bytes_(bytes), pages_(static_cast<size_t>((bytes + kPage - 1) / kPage)) {}

ShadowByte ShadowMemory::at(int64_t address) const {
  const Page& page = pages_[static_cast<size_t>(address / kPage)];
  return page ? page[static_cast<size_t>(address % kPage)] : ShadowByte{};
}

void ShadowMemory::write(int64_t address, ShadowByte next, int64_t bytes) {
  const uint32_t step = step_of(next);
  while (bytes > 0) {
    Page& page = pages_[static_cast<size_t>(address / kPage)];
    const int64_t begin = address % kPage, count = std::min(bytes, kPage - begin);
    if (!page && next.content != 0) page = std::make_unique<ShadowByte[]>(kPage);
    if (page) {
      ShadowByte* const cells = page.get() + begin;
      for (int64_t k = 0; k < count; ++k)
        cells[k] = {next.content, next.byte + step * static_cast<uint32_t>(k)};
    }
    next.byte += step * static_cast<uint32_t>(count);
    address += count;
    bytes -= count;
  }
}

int64_t ShadowMemory::first_other(int64_t address, ShadowByte next, int64_t bytes) const {
  const uint32_t step = step_of(next);
  while (bytes > 0) {
    const Page& page = pages_[static_cast<size_t>(address / kPage)];
    const int64_t begin = address % kPage, count = std::min(bytes, kPage - begin);
    if (!page) return address;
    const ShadowByte* const cells = page.get() + begin;
    bool same = true;
    for (int64_t k = 0; k < count; ++k) {
      same &= cells[k].content == next.content &&
              cells[k].byte == next.byte + step * static_cast<uint32_t>(k);
    }
    for (int64_t k = 0; !same && k < count; ++k) {
      if (cells[k] != ShadowByte{next.content, next.byte + step * static_cast<uint32_t>(k)})
        return address + k;
    }
    next.byte += step * static_cast<uint32_t>(count);
    address += count;
    bytes -= count;
  }
  return -1;
}

}  // namespace thimble
