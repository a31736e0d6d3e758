// SPDX-License-Identifier: Apache-2.0
#include "nrf51_nvmc.h"

namespace thimble::runtime {
namespace {

// "nRF51 Series Reference Manual", v3.0, registers of the NVMC.
constexpr uint32_t kController = 0x4001E000;
constexpr uint32_t kReady = 0x400, kConfig = 0x504, kErasePage = 0x508;
enum Mode : uint32_t { kReadOnly = 0, kWriteEnabled = 1, kEraseEnabled = 2 };

constexpr uint32_t kPageBytes = 1024;
constexpr uint32_t kWordBytes = 4;
constexpr uint32_t kErased = 0xFFFFFFFF;
// An erasure takes 22.3 ms ("nRF51822 Product Specification", v3.1): 356,800 cycles of 16 MHz, and
// a poll at least 5.
constexpr uint32_t kMostPolls = 100'000;

volatile uint32_t& word_at(uint32_t address) {
  return *reinterpret_cast<volatile uint32_t*>(uintptr_t{address});
}

bool becomes_ready() {
  for (uint32_t poll = 0; poll < kMostPolls; ++poll)
    if ((word_at(kController + kReady) & 1) != 0) return true;
  return false;
}

/// What the controller may do while one exists.
class Enabled {
 public:
  explicit Enabled(Mode mode) { word_at(kController + kConfig) = mode; }
  ~Enabled() { word_at(kController + kConfig) = kReadOnly; }
  Enabled(const Enabled&) = delete;
  Enabled& operator=(const Enabled&) = delete;
};

thimble_nrf51_nvmc& flash_of(void* context) { return *static_cast<thimble_nrf51_nvmc*>(context); }

bool in_range(const thimble_nrf51_nvmc& flash, uint32_t offset, uint32_t size) {
  return offset <= flash.size && size <= flash.size - offset;
}

// The last word is filled up with ones, as erased flash is.
uint32_t next_word(const uint8_t* bytes, uint32_t left) {
  uint32_t word = kErased;
  for (uint32_t i = 0; i < kWordBytes && i < left; ++i) {
    word &= ~(0xFFu << (8 * i));
    word |= static_cast<uint32_t>(bytes[i]) << (8 * i);
  }
  return word;
}

int read_flash(void* context, uint32_t, uint32_t offset, void* bytes, uint32_t size) {
  const thimble_nrf51_nvmc& flash = flash_of(context);
  if (!in_range(flash, offset, size)) return THIMBLE_STORAGE_FULL;
  const auto* from = reinterpret_cast<const volatile uint8_t*>(uintptr_t{flash.begin + offset});
  for (uint32_t i = 0; i < size; ++i) static_cast<uint8_t*>(bytes)[i] = from[i];
  return THIMBLE_STORAGE_OK;
}

int8_t write_words(uint32_t address, const uint8_t* bytes, uint32_t size) {
  const Enabled enabled(kWriteEnabled);
  for (uint32_t at = 0; at < size; at += kWordBytes) {
    const uint32_t word = next_word(bytes + at, size - at);
    volatile uint32_t& target = word_at(address + at);
    if (target != kErased) return THIMBLE_STORAGE_WRITE_FAILED;
    target = word;
    if (!becomes_ready()) return THIMBLE_STORAGE_TIMED_OUT;
    if (target != word) return THIMBLE_STORAGE_WRITE_FAILED;
  }
  return THIMBLE_STORAGE_OK;
}

int write_flash(void* context, uint32_t token, uint32_t offset, const void* bytes, uint32_t size) {
  thimble_nrf51_nvmc& flash = flash_of(context);
  if (!in_range(flash, offset, size)) return THIMBLE_STORAGE_FULL;
  if (token >= THIMBLE_NRF51_TOKENS || offset % kWordBytes != 0)
    return THIMBLE_STORAGE_WRITE_FAILED;
  flash.statuses[token] =
      write_words(flash.begin + offset, static_cast<const uint8_t*>(bytes), size);
  return THIMBLE_STORAGE_OK;
}

bool is_erased(uint32_t page) {
  for (uint32_t at = 0; at < kPageBytes; at += kWordBytes)
    if (word_at(page + at) != kErased) return false;
  return true;
}

int8_t erase_pages(uint32_t begin, uint32_t end) {
  for (uint32_t page = begin; page != end; page += kPageBytes) {
    if (is_erased(page)) continue;  // spares the page
    const Enabled enabled(kEraseEnabled);
    word_at(kController + kErasePage) = page;
    if (!becomes_ready()) return THIMBLE_STORAGE_TIMED_OUT;
    if (!is_erased(page)) return THIMBLE_STORAGE_ERASE_FAILED;
  }
  return THIMBLE_STORAGE_OK;
}

int erase_flash(void* context, uint32_t token, uint32_t offset, uint32_t size) {
  thimble_nrf51_nvmc& flash = flash_of(context);
  if (!in_range(flash, offset, size)) return THIMBLE_STORAGE_FULL;
  if (offset % kPageBytes != 0 || size % kPageBytes != 0 || token >= THIMBLE_NRF51_TOKENS)
    return THIMBLE_STORAGE_ERASE_FAILED;
  flash.statuses[token] = erase_pages(flash.begin + offset, flash.begin + offset + size);
  return THIMBLE_STORAGE_OK;
}

int wait_for_flash(void* context, uint32_t token) {
  thimble_nrf51_nvmc& flash = flash_of(context);
  if (token >= THIMBLE_NRF51_TOKENS) return THIMBLE_STORAGE_OK;  // of a read
  const int status = flash.statuses[token];
  flash.statuses[token] = THIMBLE_STORAGE_OK;
  return status;
}

}  // namespace
}  // namespace thimble::runtime

thimble_storage thimble_nrf51_nvmc_open(thimble_nrf51_nvmc* flash, uint32_t begin, uint32_t size) {
  using namespace thimble::runtime;
  *flash = {};
  flash->begin = begin;
  flash->size = begin % kPageBytes == 0 ? size - size % kPageBytes : 0;
  return {flash, read_flash, write_flash, erase_flash, wait_for_flash, nullptr};
}
