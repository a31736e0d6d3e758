// SPDX-License-Identifier: Apache-2.0
// The command that was given, in words that give the same again. What is said of an option is what
// the command line has of it, so that none can be forgotten: one that is new appears by itself.
#pragma once

#include <string>

// A declaration: CLI11 takes seconds to compile in each file that includes it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace thimble {

/// An option that says where an answer goes, or in which form, and decides nothing of it.
CLI::Option* as_output(CLI::Option* option);
/// An option that adds to what is said, and changes no emitted code.
CLI::Option* as_remark(CLI::Option* option);

/// "thimble compile kws.tflite --sram 64K --until 'a b'": all that was given but for outputs. Of
/// paths the last part: where a file lies is the machine's affair.
[[nodiscard]] std::string command_text(const CLI::App& command);
/// Without remarks, too: what decides the bytes of emitted code.
[[nodiscard]] std::string emitting_command_text(const CLI::App& command);

}  // namespace thimble
