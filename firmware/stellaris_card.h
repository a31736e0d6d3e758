// SPDX-License-Identifier: Apache-2.0
// The SD card of the LM3S6965 evaluation board: on SSI 0 (a PL022, "LM3S6965 Data Sheet", chapter
// 13), its chip select is pin 0 of port D, polled.
#pragma once

#include <stdint.h>

#include "sd_card.h"

namespace thimble_firmware {

class StellarisSpi {
 public:
  /// The bus, set up, with the card not selected.
  static const thimble_spi& start() {
    at(0x400FE104) = at(0x400FE104) | 1U << 4;               // clock of SSI 0
    at(0x400FE108) = at(0x400FE108) | 1U << 0 | 1U << 3;     // of ports A and D
    at(kPortA + kFunction) = at(kPortA + kFunction) | 0x34;  // pins 2, 4 and 5 are the SSI's
    at(kPortA + kDigital) = at(kPortA + kDigital) | 0x34;
    at(kPortD + kDirection) = at(kPortD + kDirection) | 1;
    at(kPortD + kDigital) = at(kPortD + kDigital) | 1;
    select(nullptr, 0);
    set_fast(nullptr, 0);
    static const thimble_spi spi = {nullptr, transfer, select, set_fast};
    return spi;
  }

 private:
  static constexpr uint32_t kSsi = 0x40008000, kPortA = 0x40004000, kPortD = 0x40007000;
  // Registers of ports.
  static constexpr uint32_t kDirection = 0x400, kFunction = 0x420, kDigital = 0x51C;
  // Registers of the SSI.
  static constexpr uint32_t kControl0 = 0x00, kControl1 = 0x04, kData = 0x08, kStatus = 0x0C,
                            kPrescale = 0x10;
  static constexpr uint32_t kCanSend = 1U << 1, kCame = 1U << 2;

  static volatile uint32_t& at(uint32_t address) {
    return *reinterpret_cast<volatile uint32_t*>(address);
  }

  static void transfer(void*, const uint8_t* out, uint8_t* in, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      while ((at(kSsi + kStatus) & kCanSend) == 0) {
      }
      at(kSsi + kData) = out != nullptr ? out[i] : 0xFF;
      while ((at(kSsi + kStatus) & kCame) == 0) {
      }
      const uint32_t came = at(kSsi + kData);
      if (in != nullptr) in[i] = static_cast<uint8_t>(came);
    }
  }
  // An address names the pins that a store to it changes.
  static void select(void*, int selected) { at(kPortD + (1U << 2)) = selected != 0 ? 0 : 1; }
  static void set_fast(void*, int fast) {
    at(kSsi + kControl1) = 0;
    at(kSsi + kPrescale) = fast != 0 ? 2 : 32;  // of 12.5 MHz: 6.25 MHz, 390 kHz
    at(kSsi + kControl0) = 7;                   // eight bits, mode 0
    at(kSsi + kControl1) = 2;                   // on
  }
};

/// The card from its first block on.
inline thimble_storage open_card(thimble_sd_card& card, uint32_t bytes) {
  constexpr uint32_t kHalfSecond = 400'000;  // bytes at 6.25 MHz
  static uint8_t cache[THIMBLE_SD_BLOCK];
  card = {&StellarisSpi::start(),
          0,
          (bytes + THIMBLE_SD_BLOCK - 1) / THIMBLE_SD_BLOCK,
          kHalfSecond,
          cache,
          0,
          0,
          0,
          0};
  return thimble_sd_card_open(&card);
}

}  // namespace thimble_firmware
