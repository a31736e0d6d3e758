// SPDX-License-Identifier: Apache-2.0
#include "bench/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <type_traits>

namespace thimble {
namespace {

std::string shown(const std::filesystem::path& argument) {
  const std::string text = (argument.is_absolute() ? argument.filename() : argument).string();
  return text.find_first_of(" *") == std::string::npos ? text : "'" + text + "'";
}

}  // namespace

struct CommandLine::Parser {
  CLI::App app;
};

CommandLine::CommandLine(const std::string& program, const std::string& description)
    : parser_(new Parser{CLI::App{description, program}}), program_(program) {}

CommandLine::~CommandLine() = default;

void CommandLine::add(const std::string& name, Value value, const std::string& help,
                      const Check& check) {
  std::visit(
      [&](auto* to) {
        CLI::Option* option = nullptr;
        if constexpr (std::is_same_v<decltype(to), bool*>) {
          option = parser_->app.add_flag(name, *to, help);
        } else {
          option = parser_->app.add_option(name, *to, help);
        }
        option->required(check.required);
        if (check.positive) option->check(CLI::PositiveNumber);
        if (check.one_each) option->allow_extra_args(false);
        if (!check.allowed.empty()) option->check(CLI::IsMember(check.allowed));
      },
      value);
}

void CommandLine::add(const std::string& name, Value value, const std::string& help) {
  add(name, value, help, {});
}

int CommandLine::run(int argc, char** argv, const std::function<int()>& work) {
  command_ = program_;
  for (int k = 1; k < argc; ++k) command_ += " " + shown(argv[k]);
  try {
    parser_->app.parse(argc, argv);
    return work();
  } catch (const CLI::ParseError& error) {
    return parser_->app.exit(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program_, error.what());
    return 1;
  }
}

}  // namespace thimble
