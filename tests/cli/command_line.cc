// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/shared.h"

namespace thimble::testing {

namespace fs = std::filesystem;

ProcessResult CommandLine::thimble(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), THIMBLE_PROGRAM);
  return run_process(
      {.arguments = std::move(arguments), .working_folder = folder(), .timeout_seconds = 300});
}

ProcessResult CommandLine::thimble_as_is(std::vector<std::string> arguments) const {
  arguments.insert(arguments.end(), {"--planner", "original"});
  return thimble(std::move(arguments));
}

ProcessResult CommandLine::redirected(const std::string& redirection,
                                      std::vector<std::string> arguments) const {
  const std::vector<std::string> shell = {"sh", "-c", "exec \"$0\" \"$@\" " + redirection,
                                          THIMBLE_PROGRAM};
  arguments.insert(arguments.begin(), shell.begin(), shell.end());
  return run_process({.arguments = std::move(arguments), .working_folder = folder()});
}

void CommandLine::write(const std::string& file, const std::string& text) const {
  std::ofstream out(folder() / file, std::ios::binary);
  out << text;
  ASSERT_TRUE(out.good()) << file;
}

std::string CommandLine::read(const std::string& file) const {
  std::ifstream in(folder() / file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> CommandLine::names() const {
  std::vector<std::string> result;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder()))
    result.push_back(entry.path().filename().string());
  std::sort(result.begin(), result.end());
  return result;
}

std::string shared_model(const std::string& name) {
  return (shared_folder() / "models" / (name + ".tflite")).string();
}

std::string shared_golden(const std::string& name) {
  return (shared_folder() / "golden" / (name + ".golden.safetensors")).string();
}

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

nlohmann::json json_of(const std::string& text) { return nlohmann::json::parse(text); }

}  // namespace thimble::testing
