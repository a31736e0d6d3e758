// SPDX-License-Identifier: Apache-2.0
// Proof that a Program computes its Graph, without inputs: it runs over shadow memories, one for
// each that is written, that know (tensor, element) for every byte that was written. What lies in
// which memory is looked at first (memory_fault.h).
//
// For every call as executed, with the region that it computes now:
//   - each operand holds exactly the elements that the operator's access map demands;
//   - where output and operand overlap, the same at the grain of the kernel's progress;
//   - each output element is produced once, but for steps that recompute, where it may be produced
//     again by steps that recompute; each interval of a reduction is added once, in order;
//   - every element lies in the buffer that the view names, inside of its memory; neither flash nor
//     the caller's inputs are written;
//   - rows come from the caller, and go there, once and in order, untouched by anything but copies.
// For every call as written (call_form.h): parameters and packed constants are its operator's, the
// kernel takes such views and has its scratch, all numbers fit 32 bits.
// At the start the old values of variables are there, at the end, at the same addresses, the new
// ones: an inference may follow another. At the end the outputs are complete, and all rows of a
// streamed input have been taken. It trusts access maps and the kernels' contract (which axes of a
// tensor a kernel walks, its progress), and neither the planner, the layout nor the lowering. Work
// is bounded: a program that does far more than its network needs is not followed to its end, and
// that is its fault.
#pragma once

#include <cstdint>
#include <string>

#include "thimble/program/program.h"

namespace thimble {

struct Verification {
  std::string fault;      ///< empty: the program is right; else step, operator and what is wrong
  bool too_wide = false;  ///< the fault is that a number does not fit 32 bits
  int64_t calls = 0;      ///< executed
  int64_t checked_elements = 0;
  int64_t recomputed_elements = 0;

  [[nodiscard]] bool ok() const { return fault.empty(); }
};

[[nodiscard]] Verification verify(const Graph& graph, const Program& program);

}  // namespace thimble
