// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/board_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr std::string_view kBegins = "thimble ";
constexpr size_t kTag = 4, kHash = 16;

struct Line {
  size_t number = 0;
  std::string_view tag, what;
  std::vector<std::string_view> words;
};

bool is_hexadecimal(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

class Reader {
 public:
  explicit Reader(const std::string& where) : where_(where) {}

  void read(std::string_view text) {
    for (size_t number = 1; !text.empty(); ++number) {
      const size_t end = std::min(text.find('\n'), text.size());
      read_line(text.substr(0, end), number);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  BoardLog log;

 private:
  void read_line(std::string_view text, size_t number) {
    const size_t begin = text.find(kBegins);
    if (begin == std::string_view::npos) return;
    text.remove_prefix(begin);
    const size_t sum_at = text.rfind(" #");
    if (text.size() < kBegins.size() + kTag + 1 ||
        !is_hexadecimal(text.substr(kBegins.size(), kTag)))
      return;  // somebody writes of Thimble
    uint32_t wanted = 256, sum = 0;
    if (sum_at != std::string_view::npos && sum_at + 4 <= text.size())
      wanted = hexadecimal(text.substr(sum_at + 2, 2)).value_or(256);
    for (const char c : text.substr(0, sum_at)) sum += static_cast<uint8_t>(c);
    if (wanted != (sum & 255U)) {
      log.damaged.push_back(number);
      return;
    }
    Line line{.number = number, .tag = text.substr(kBegins.size(), kTag), .what = {}, .words = {}};
    text = text.substr(0, sum_at).substr(kBegins.size() + kTag);
    while (!text.empty()) {
      text.remove_prefix(1);  // a space
      const size_t end = std::min(text.find(' '), text.size());
      line.words.push_back(text.substr(0, end));
      text.remove_prefix(end);
    }
    line_ = &line;
    if (line.words.empty()) refuse();
    line.what = line.words[0];
    line.words.erase(line.words.begin());
    take(line);
  }

  void take(const Line& line) {
    if (line.what == "trace") {
      expect(3);
      log.traces.push_back({.origin = origin()});
      trace_of_[std::string(line.tag)] = log.traces.size();
      profile_of_.erase(std::string(line.tag));
    } else if (line.what == "profile") {
      expect(4);
      log.profiles.push_back({.origin = origin(), .inferences = number(3)});
      profile_of_[std::string(line.tag)] = log.profiles.size();
      trace_of_.erase(std::string(line.tag));
    } else if (const auto profile = profile_of_.find(std::string(line.tag));
               profile != profile_of_.end()) {
      take_cycles(line, log.profiles[profile->second - 1]);
    } else if (const auto trace = trace_of_.find(std::string(line.tag)); trace != trace_of_.end()) {
      take_trace(line, log.traces[trace->second - 1]);
    }  // else the log begins within an inference
  }

  void take_cycles(const Line& line, MeasuredCycles& profile) {
    if (line.what == "cycles") {
      expect(2);
      if (number(0) >= profile.origin.stages) refuse();
      profile.cycles[number(0)] = sum(1, 16);
    } else if (line.what == "whole") {
      expect(1);
      profile.whole = sum(0, 16);
    } else if (line.what == "end") {
      profile.ended = true;
      profile_of_.erase(std::string(line.tag));
    } else {
      refuse();
    }
  }

  void take_trace(const Line& line, TracedInference& trace) {
    if (line.what == "input" || line.what == "state") {
      expect(3);
      auto& bytes = (line.what == "input" ? trace.inputs : trace.states)[number(0)];
      put(line.words[2], static_cast<size_t>(sum(1, 8)), bytes);
    } else if (line.what == "constant") {
      expect(2);
      trace.constants[number(0)] = static_cast<uint32_t>(sum(1, 8));
    } else if (line.what == "read" || line.what == "wrote") {
      expect(3);
      auto& sums = line.what == "read" ? trace.read : trace.wrote;
      sums[{number(0), number(1)}] = static_cast<uint32_t>(sum(2, 8));
    } else if (line.what == "end") {
      trace.ended = true;
      trace_of_.erase(std::string(line.tag));
    } else {
      refuse();
    }
  }

  void put(std::string_view digits, size_t from, Bytes& bytes) {
    // In order, and no more than the log itself is long.
    if (digits.size() % 2 != 0 || from > bytes.size()) refuse();
    bytes.resize(std::max(bytes.size(), from + digits.size() / 2));
    for (size_t k = 0; k < digits.size(); k += 2) {
      const std::optional<uint64_t> value = hexadecimal(digits.substr(k, 2));
      if (!value) refuse();
      bytes[from + k / 2] = static_cast<uint8_t>(*value);
    }
  }

  LogOrigin origin() {
    for (const size_t k : {0, 1}) {
      if (line_->words[k].size() != kHash || !is_hexadecimal(line_->words[k])) refuse();
    }
    return {.model = std::string(line_->words[0]),
            .plan = std::string(line_->words[1]),
            .stages = number(2),
            .line = line_->number};
  }

  static std::optional<uint64_t> hexadecimal(std::string_view text) {
    uint64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }
  void expect(size_t words) const {
    if (line_->words.size() != words) refuse();
  }
  uint32_t number(size_t k) const {
    const std::string_view text = line_->words[k];
    uint32_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size()) refuse();
    return value;
  }
  uint64_t sum(size_t k, size_t digits) const {
    const std::optional<uint64_t> value = hexadecimal(line_->words[k]);
    if (line_->words[k].size() != digits || !value) refuse();
    return *value;
  }
  [[noreturn]] void refuse() const {
    throw CompileError(fmt::format("{}:{}", where_, line_->number),
                       "is no line that emitted code writes, though its sum is right: was it "
                       "written by another version of Thimble?");
  }

  const std::string& where_;
  const Line* line_ = nullptr;
  std::map<std::string, size_t> trace_of_, profile_of_;  ///< by tag; numbers from 1 on
};

}  // namespace

BoardLog read_board_log(std::string_view text, const std::string& where) {
  Reader reader(where);
  reader.read(text);
  return std::move(reader.log);
}

}  // namespace thimble
