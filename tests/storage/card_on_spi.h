// SPDX-License-Identifier: Apache-2.0
// An SD card at the other end of an SPI bus, as the specification has it ("SD Specifications, Part
// 1, Physical Layer Simplified Specification", chapter 7): byte for byte, with faults on request.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "runtime/storage/sd_card.h"

namespace thimble::testing {

class CardOnSpi {
 public:
  struct Kind {
    bool by_blocks = true;     ///< SDHC; else SDSC
    bool version_1 = false;    ///< it does not know CMD8
    uint32_t blocks = 1024;    ///< a multiple of 1,024
    int powers_up_within = 3;  ///< ACMD41 until it is ready
  };
  enum class Fault {
    kNone,
    kSilent,          ///< the command is not answered
    kFlippedCommand,  ///< a bit of it, on the way to the card
    kFlippedAnswer,   ///< a bit of what the card says first, which has no check
    kFlippedData,     ///< a bit of a block, on the way
    kReadError,       ///< a token that says so in place of a block
    kWriteError,      ///< an answer that says so; nothing is written
    kBusy,            ///< it does not become ready again; only taking it out helps
    kRemoved,         ///< it is taken out, and put back some commands later
  };
  /// What goes wrong with the n-th command.
  using Faults = std::function<Fault(int n)>;

  explicit CardOnSpi(const Kind& kind);
  CardOnSpi(const CardOnSpi&) = delete;
  CardOnSpi& operator=(const CardOnSpi&) = delete;

  std::vector<uint8_t> bytes;
  Faults faults;
  int commands = 0;
  int64_t bus_bytes = 0;
  int struck = 0;  ///< faults that took place

  /// Must not outlive it.
  [[nodiscard]] const thimble_spi* bus() const { return &bus_; }

 private:
  enum class Mode { kCommands, kReading, kWriting };

  static void transfer(void* context, const uint8_t* out, uint8_t* in, uint32_t count);
  static void select(void* context, int selected);

  uint8_t exchange(uint8_t out);
  void power_off();
  void execute();
  void answer(std::initializer_list<int> bytes);
  void answer_block(const uint8_t* data, uint32_t size);
  void take_data(uint8_t byte);
  void end_block();
  [[nodiscard]] bool strikes(Fault fault);

  const Kind kind_;
  thimble_spi bus_;
  bool selected_ = false, idle_ = true, spi_ = false, checks_ = false, app_ = false, many_ = false;
  bool busy_for_ever_ = false;
  int removed_for_ = 0;  ///< commands
  int power_ups_ = 0;
  Mode mode_ = Mode::kCommands;
  Fault fault_ = Fault::kNone;  ///< of the command that is executed
  uint64_t place_ = 0;          ///< of the next block, in bytes
  std::vector<uint8_t> frame_, data_;
  bool in_block_ = false;
  std::deque<uint8_t> answers_;
};

}  // namespace thimble::testing
