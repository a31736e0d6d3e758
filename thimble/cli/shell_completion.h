// SPDX-License-Identifier: Apache-2.0
// Completions of the command line for shells: scripts that hold all names, so that a shell starts
// nothing to complete a word.
#pragma once

#include <string>

#include "thimble/cli/command_tree.h"

namespace thimble {

[[nodiscard]] std::string bash_completion(const CommandTree& tree);
[[nodiscard]] std::string zsh_completion(const CommandTree& tree);
[[nodiscard]] std::string fish_completion(const CommandTree& tree);

/// What a menu has room for: the help up to the first semicolon or bracket.
[[nodiscard]] std::string short_help(const std::string& help);
/// The last part of a command's name.
[[nodiscard]] std::string last_word(const std::string& name);
/// Each kind of names that a shell keeps once: "_thimble_devices" and the like.
struct NameList {
  Completion completion;
  const char* name;
};
[[nodiscard]] const std::vector<NameList>& name_lists();
/// "_thimble_devices"; "" where a kind has no names.
[[nodiscard]] std::string list_of(Completion completion);

}  // namespace thimble
