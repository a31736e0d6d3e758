// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/board_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>

#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr std::string_view kBegins = "thimble ";
constexpr size_t kTag = 4, kHash = 16;

struct Line {
  size_t number = 0;
  std::string tag;
  std::string_view what = {};
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
    text = from_mark(text);
    if (text.empty()) return;
    const size_t sum_at = text.find(" #");
    uint32_t wanted = 256, sum = 0;
    if (sum_at != std::string_view::npos && sum_at + 4 <= text.size())
      wanted = hexadecimal(text.substr(sum_at + 2, 2)).value_or(256);
    for (const char c : text.substr(0, sum_at)) sum += static_cast<uint8_t>(c);
    if (wanted != (sum & 255U)) {
      log.damaged.push_back(number);
      ++lost_;
      return;
    }
    Line line{.number = number, .tag = std::string(text.substr(kBegins.size(), kTag)), .words = {}};
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

  // The last beginning of a line in it: one that was broken off may stand before. Empty: none, as
  // where somebody writes of Thimble.
  static std::string_view from_mark(std::string_view text) {
    for (size_t at = text.rfind(kBegins); at != std::string_view::npos;
         at = at == 0 ? std::string_view::npos : text.rfind(kBegins, at - 1)) {
      const std::string_view from = text.substr(at);
      if (from.size() > kBegins.size() + kTag && is_hexadecimal(from.substr(kBegins.size(), kTag)))
        return from;
    }
    return {};
  }

  void take(const Line& line) {
    const auto is = [&](std::initializer_list<std::string_view> words) {
      return std::ranges::find(words, line.what) != words.end();
    };
    if (is({"trace", "profile"})) {
      begin(line);
    } else if (is({"cycles", "whole", "end"}) && profile_of_.contains(line.tag)) {
      take_cycles(line, log.profiles[profile_of_.at(line.tag)]);
    } else if (is({"input", "state", "constant", "read", "wrote", "end"}) &&
               trace_of_.contains(line.tag)) {
      take_trace(line, log.traces[trace_of_.at(line.tag)]);
    } else if (is({"cycles", "whole", "input", "state", "constant", "read", "wrote", "end"})) {
      ++lost_;  // the line that began it is
    } else {
      refuse();
    }
  }

  void begin(const Line& line) {
    trace_of_.erase(line.tag);
    profile_of_.erase(line.tag);
    if (line.what == "profile") {
      expect(4);
      profile_of_[line.tag] = log.profiles.size();
      log.profiles.push_back({.origin = origin(), .inferences = number(3)});
      return;
    }
    expect(3);
    const auto before = ended_.find(line.tag);
    trace_of_[line.tag] = log.traces.size();
    log.traces.push_back({.origin = origin()});
    if (before != ended_.end() && before->second.lost == lost_)
      log.traces.back().goes_on_from = before->second.line;
    ended_.erase(line.tag);
  }

  void take_cycles(const Line& line, MeasuredCycles& profile) {
    if (line.what == "cycles") {
      expect(2);
      if (number(0) >= profile.origin.stages) refuse();
      profile.cycles[number(0)] = sum(1, 16);
    } else if (line.what == "whole") {
      expect(1);
      profile.whole = sum(0, 16);
    } else {
      profile.ended = true;
      profile_of_.erase(line.tag);
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
    } else if (line.what == "end") {
      trace.ended = true;
      ended_[line.tag] = {trace.origin.line, lost_};
      trace_of_.erase(line.tag);
    } else {
      expect(3);
      auto& sums = line.what == "read" ? trace.read : trace.wrote;
      sums[{number(0), number(1)}] = static_cast<uint32_t>(sum(2, 8));
    }
  }

  void put(std::string_view digits, size_t from, Bytes& bytes) {
    if (digits.size() % 2 != 0) refuse();
    if (from > bytes.size()) return;  // those before are lost: too few are left, which is seen
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
  size_t lost_ = 0;  ///< lines that are damaged, or are of what has no beginning
  std::map<std::string, size_t> trace_of_, profile_of_;  ///< by tag: what has not ended
  struct Ended {
    size_t line, lost;
  };
  std::map<std::string, Ended> ended_;  ///< by tag: the last inference
};

}  // namespace

BoardLog read_board_log(std::string_view text, const std::string& where) {
  Reader reader(where);
  reader.read(text);
  return std::move(reader.log);
}

}  // namespace thimble
