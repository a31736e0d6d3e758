// SPDX-License-Identifier: Apache-2.0
// The built executable, run as a user runs it, in a folder of its own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble::testing {

class CommandLine : public ::testing::Test {
 protected:
  /// `thimble ARGUMENTS...` in folder().
  [[nodiscard]] ProcessResult thimble(std::vector<std::string> arguments) const;
  /// thimble() with `--planner original`, where a test is about something else than the plan: the
  /// default planner searches.
  [[nodiscard]] ProcessResult thimble_as_is(std::vector<std::string> arguments) const;
  /// `thimble` with a redirection of the shell: "> /dev/full", ">&-".
  [[nodiscard]] ProcessResult redirected(const std::string& redirection,
                                         std::vector<std::string> arguments) const;

  void write(const std::string& file, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& file) const;
  /// Names in folder(), sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

/// A file of shared/models or shared/golden.
[[nodiscard]] std::string shared_model(const std::string& name);
[[nodiscard]] std::string shared_golden(const std::string& name);
[[nodiscard]] std::string text_of(const Bytes& bytes);
/// Here so that one file compiles the parser.
[[nodiscard]] nlohmann::json json_of(const std::string& text);

}  // namespace thimble::testing
