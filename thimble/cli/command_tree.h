// SPDX-License-Identifier: Apache-2.0
// Subcommands, options and arguments as the command line has them, in plain values: what manual
// pages and completions are written from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// A declaration: CLI11 takes seconds to compile in each file that includes it.
namespace CLI {
class App;
}

namespace thimble {

/// What a shell may offer for a value.
enum class Completion : uint8_t {
  kNothing,
  kWords,  ///< CommandOption::words
  kFile,
  kFolder,
  kModel,    ///< zoo:NAME, or a file
  kNetwork,  ///< NAME of the zoo
  kDevice,
  kCore,
  kPlanner,
  kPaper,
};

struct CommandOption {
  std::vector<std::string> names;  ///< "-o", "--output-folder"; of an argument "MODEL"
  std::string type;                ///< what stands for a value; "": has none
  std::string range;               ///< "1 to 1024"; "": any
  std::string help;
  std::string group;  ///< of the help: "Output"
  std::vector<std::string> words;
  Completion completion = Completion::kNothing;
  bool takes_value = true;
  bool repeated = false;
  bool required = false;
};

struct CommandTree {
  std::string name;  ///< "thimble zoo build"
  std::string help;
  std::string footer;
  std::vector<CommandOption> options, arguments;
  std::vector<CommandTree> commands;
};

[[nodiscard]] CommandTree command_tree(const CLI::App& app);

/// The tree's commands, it itself first, in the order of the help.
[[nodiscard]] std::vector<const CommandTree*> all_commands(const CommandTree& tree);

/// The names that completions offer for a kind of value; none: files, or nothing.
[[nodiscard]] std::vector<std::string> names_of(Completion completion);

}  // namespace thimble
