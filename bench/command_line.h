// SPDX-License-Identifier: Apache-2.0
// Options of the programs here. Only command_line.cc sees the library that parses them, which takes
// a compiler seven seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace thimble {

class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& description);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  using Value = std::variant<bool*, int*, int64_t*, uint64_t*, double*, std::string*,
                             std::vector<double>*, std::vector<std::string>*>;
  struct Check {
    bool required = false;
    bool positive = false;
    bool one_each = false;             ///< of a list: one value each time the option is given
    std::vector<std::string> allowed;  ///< if there are any
  };
  /// name: "--option", or "NAME" of what stands without one. The value is the default, and must
  /// outlive run().
  void add(const std::string& name, Value value, const std::string& help, const Check& check);
  void add(const std::string& name, Value value, const std::string& help);

  /// The program and its arguments, of absolute paths the last part: for the first line of what it
  /// writes. Set by run().
  [[nodiscard]] const std::string& command() const { return command_; }

  /// The program's exit status: that of `work`, or 1 with one message if it throws.
  [[nodiscard]] int run(int argc, char** argv, const std::function<int()>& work);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::string program_, command_;
};

}  // namespace thimble
