// SPDX-License-Identifier: Apache-2.0
#include "thimble/layout/problem_csv.h"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <system_error>

#include "thimble/model/error.h"

namespace thimble::layout {
namespace {

/// Longer ones are cut where a message quotes them.
constexpr size_t kQuoted = 40;

class ProblemReader {
 public:
  ProblemReader(std::string_view text, const std::string& where) : rest_(text), where_(where) {}

  NamedProblem read() {
    if (next_line() != kProblemHeading) {
      fault(fmt::format("'{}' is not the heading '{}'", quoted(line_), kProblemHeading));
    }
    while (!rest_.empty()) {
      if (!next_line().empty()) add_buffer();
    }
    return std::move(result_);
  }

 private:
  std::string_view next_line() {
    const size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return line_;
  }

  void add_buffer() {
    std::vector<std::string_view> fields;
    for (size_t begin = 0; begin <= line_.size();) {
      const size_t end = std::min(line_.find(',', begin), line_.size());
      fields.push_back(line_.substr(begin, end - begin));
      begin = end + 1;
    }
    if (fields.size() != 4) {
      fault(fmt::format("'{}' has {} fields, not the 4 of '{}'", quoted(line_), fields.size(),
                        kProblemHeading));
    }
    const std::string id(fields[0]);
    if (id.empty()) fault("a buffer without an id");
    if (!known_.insert(id).second) fault(fmt::format("a second buffer '{}'", quoted(id)));
    const int64_t lower = integer(fields[1], "lower"), upper = integer(fields[2], "upper");
    const int64_t size = integer(fields[3], "size");
    if (lower >= upper) fault(fmt::format("lower {} is not below upper {}", lower, upper));
    if (size < 0) fault(fmt::format("size {} is negative", size));
    if (size > kMostBytes - total_) {
      fault(fmt::format("with {} bytes more, all buffers have more than {}", size, kMostBytes));
    }
    total_ += size;
    result_.ids.push_back(id);
    result_.problem.buffers.push_back(
        {.size_bytes = size, .lives = {{lower, upper}}, .address = {}});
  }

  [[nodiscard]] int64_t integer(std::string_view text, const char* column) const {
    int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc::result_out_of_range) {
      fault(fmt::format("{} '{}' is beyond 64 bits", column, quoted(text)));
    }
    if (error != std::errc() || at != end) {
      fault(fmt::format("{} '{}' is not an integer", column, quoted(text)));
    }
    return value;
  }

  static std::string quoted(std::string_view text) {
    std::string result(text.substr(0, kQuoted));
    for (char& c : result) c = c < ' ' || c > '~' ? '?' : c;
    return text.size() > kQuoted ? result + "..." : result;
  }

  [[noreturn]] void fault(const std::string& what) const {
    throw CompileError(fmt::format("{}, line {}", where_, number_), what);
  }

  std::string_view rest_, line_;
  const std::string where_;
  int64_t number_ = 0, total_ = 0;
  std::set<std::string> known_;
  NamedProblem result_;
};

}  // namespace

NamedProblem problem_from_csv(std::string_view text, const std::string& where) {
  return ProblemReader(text, where).read();
}

std::string solution_csv(const NamedProblem& named, const std::vector<int64_t>& addresses) {
  std::string result = fmt::format("{}\n", kSolutionHeading);
  for (size_t i = 0; i < addresses.size(); ++i) {
    const Buffer& buffer = named.problem.buffers[i];
    result += fmt::format("{},{},{},{},{}\n", named.ids[i], buffer.lives[0].begin,
                          buffer.lives[0].end, buffer.size_bytes, addresses[i]);
  }
  return result;
}

}  // namespace thimble::layout
