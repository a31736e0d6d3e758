// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/reset.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/emit/checks.h"
#include "thimble/emit/names.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

std::string arena_of_state(const Program& program, const ProgramState& state) {
  return arena_name(program, program.memory_of(state.before.buffer));
}

// A loop for each run of equal bytes.
std::string fill_loops(const Program& program, const ProgramState& state) {
  const Bytes& bytes = *state.initial;
  const int64_t begin = program.address(state.before.buffer);
  std::string text;
  for (auto at = bytes.begin(); at != bytes.end();) {
    const auto end = std::find_if(at, bytes.end(), [&](uint8_t byte) { return byte != *at; });
    text += fmt::format("  for (int32_t k = {}; k < {}; ++k) {}[k] = {};\n",
                        begin + (at - bytes.begin()), begin + (end - bytes.begin()),
                        arena_of_state(program, state), static_cast<int>(static_cast<int8_t>(*at)));
    at = end;
  }
  return text;
}

}  // namespace

std::string reset_declaration(const Program& program, const CallerSide& side,
                              const std::string& name) {
  if (program.states.empty()) return "";
  std::string text = fmt::format(
      "\n/* Before the first inference, and whenever a sequence begins anew. {0} bytes are kept "
      "from "
      "one\n   inference to the next, at the places below: nobody else may write there in between. "
      "*/\nvoid {1}_reset({2});\n",
      with_separators(state_bytes(program)), name, side.arena_parameter(""));
  for (size_t k = 0; k < program.states.size(); ++k) {
    const ProgramPort& port = program.states[k].before;
    text += fmt::format("enum {{ {0}_{1}_offset = {2}, {0}_{1}_bytes = {3} }}; /* of the {4} */\n",
                        name, port_label("state", k, program.states.size()),
                        program.address(port.buffer), port.size_bytes,
                        arena_of_state(program, program.states[k]));
  }
  return text;
}

std::string reset_definition(const Program& program, const CallerSide& side,
                             const std::string& name) {
  if (program.states.empty()) return "";
  std::vector<std::string> used;
  std::string pointers;
  for (const std::string& arena : side.arenas) {
    if (std::ranges::none_of(program.states, [&](const ProgramState& state) {
          return arena_of_state(program, state) == arena;
        }))
      continue;
    used.push_back(arena);
    pointers += fmt::format("  int8_t* const {0} = static_cast<int8_t*>({1});\n", arena,
                            side.memories_type.empty() ? arena + "_bytes" : "memories->" + arena);
  }
  std::string text = fmt::format("\nvoid {}_reset({}) {{\n", name, side.arena_parameter("_bytes"));
  text += checks_text(arena_conditions(side, used, name)) + pointers;
  for (const ProgramState& state : program.states) text += fill_loops(program, state);
  return text + "}\n";
}

}  // namespace thimble
