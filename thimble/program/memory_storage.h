// SPDX-License-Identifier: Apache-2.0
// Block storage in the host's memory, which can tell what it is asked. C++17, and of the runtime's
// headers alone: drivers of emitted code include it.
//
//   write qspi token 1 offset 960 size 960 at arena+0
//   wait qspi token 1
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "thimble_runtime/storage.h"

namespace thimble {

/// Operations take place when they are waited for, so that nothing that touches their bytes before
/// goes unnoticed.
class MemoryStorage {
 public:
  using Line = std::function<void(const std::string&)>;
  using Place = std::function<std::string(const void*)>;

  /// line: is told of each operation; null: nobody. place: names a pointer in these.
  MemoryStorage(std::string name, int64_t size_bytes, Line line = nullptr, Place place = nullptr)
      : name_(std::move(name)),
        bytes_(static_cast<size_t>(size_bytes)),
        line_(std::move(line)),
        place_(std::move(place)) {}

  /// Must not outlive it.
  [[nodiscard]] thimble_storage driver() {
    return {this, begin_read, begin_write, begin_erase, wait, cancel};
  }
  [[nodiscard]] std::vector<uint8_t>& bytes() { return bytes_; }
  /// That were asked for and waited for, so far.
  [[nodiscard]] int64_t written_bytes() const { return written_bytes_; }
  [[nodiscard]] int64_t read_bytes() const { return read_bytes_; }

 private:
  struct Begun {
    uint32_t offset = 0, size = 0;
    void* into = nullptr;
    const void* from = nullptr;
  };

  int begin(const char* verb, uint32_t token, const Begun& begun, const void* memory) {
    if (line_)
      line_(std::string(verb) + " " + name_ + " token " + std::to_string(token) + " offset " +
            std::to_string(begun.offset) + " size " + std::to_string(begun.size) +
            (memory == nullptr ? "" : " at " + place_(memory)));
    if (size_t{begun.offset} + begun.size > bytes_.size()) return THIMBLE_STORAGE_FULL;
    begun_[token] = begun;
    return THIMBLE_STORAGE_OK;
  }

  int end(uint32_t token) {
    if (line_) line_("wait " + name_ + " token " + std::to_string(token));
    const auto found = begun_.find(token);
    if (found == begun_.end()) return THIMBLE_STORAGE_READ_FAILED;
    const Begun begun = found->second;
    begun_.erase(found);
    uint8_t* const at = bytes_.data() + begun.offset;
    if (begun.into != nullptr) {
      std::memcpy(begun.into, at, begun.size);
      read_bytes_ += begun.size;
    } else if (begun.from != nullptr) {
      std::memcpy(at, begun.from, begun.size);
      written_bytes_ += begun.size;
    } else {
      std::memset(at, 0xff, begun.size);
    }
    return THIMBLE_STORAGE_OK;
  }

  static int begin_read(void* context, uint32_t token, uint32_t offset, void* into, uint32_t size) {
    return static_cast<MemoryStorage*>(context)->begin("read", token, {offset, size, into, nullptr},
                                                       into);
  }
  static int begin_write(void* context, uint32_t token, uint32_t offset, const void* from,
                         uint32_t size) {
    return static_cast<MemoryStorage*>(context)->begin("write", token,
                                                       {offset, size, nullptr, from}, from);
  }
  static int begin_erase(void* context, uint32_t token, uint32_t offset, uint32_t size) {
    return static_cast<MemoryStorage*>(context)->begin("erase", token,
                                                       {offset, size, nullptr, nullptr}, nullptr);
  }
  static int wait(void* context, uint32_t token) {
    return static_cast<MemoryStorage*>(context)->end(token);
  }
  static void cancel(void* context) { static_cast<MemoryStorage*>(context)->begun_.clear(); }

  std::string name_;
  std::vector<uint8_t> bytes_;
  int64_t written_bytes_ = 0, read_bytes_ = 0;
  Line line_;
  Place place_;
  std::map<uint32_t, Begun> begun_;
};

}  // namespace thimble
