// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/working_program.h"

namespace thimble {
namespace {

std::vector<ProgramNode> working_nodes(const Program& program,
                                       const std::vector<ProgramNode>& nodes) {
  std::vector<ProgramNode> result;
  for (const ProgramNode& node : nodes) {
    visit_node(
        node,
        [&](const Call& call) {
          if (!copies_onto_itself(program, call)) result.push_back(node);
        },
        [&](const TransferCall&) { result.push_back(node); },
        [&](const ProgramLoop& loop) {
          std::vector<ProgramNode> body = working_nodes(program, loop.body);
          if (!body.empty()) result.push_back({ProgramLoop{loop.id, loop.count, std::move(body)}});
        });
  }
  return result;
}

}  // namespace

Program working_program(const Program& program) {
  Program working = program;
  working.nodes = working_nodes(program, program.nodes);
  return working;
}

}  // namespace thimble
