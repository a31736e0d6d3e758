// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/cores_report.h"

#include "thimble/report/table.h"
#include "thimble/target/core.h"
#include "thimble/target/latency.h"
#include "thimble/toolchain/board.h"

namespace thimble {

std::string cores_text() {
  Table table;
  table.groups = {{"",
                   {{"core", false},
                    {"kernels", false},
                    {"time", false},
                    {"run --on qemu", false},
                    {"compiler", false}}}};
  for (const Core& core : known_cores()) {
    std::string kernels;
    for (const InstructionSet set : core.sets)
      kernels += (kernels.empty() ? "" : ", ") + std::string(name(set));
    table.rows.push_back({core.name, kernels,
                          latency_model(core.name) ? "estimated" : "not estimated",
                          boards_of(core.name).empty() ? "-" : "yes", core.compiler.program});
  }
  return aligned_text(table, 0) +
         "\nNames go without \"cortex-\", in any case and with any hyphens; extensions as GCC "
         "takes them (cortex-m4+nofp),\nand other rv32... as -march takes them. Other boards: "
         "`thimble devices`.\n";
}

}  // namespace thimble
