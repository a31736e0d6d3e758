// SPDX-License-Identifier: Apache-2.0
// Where firmware that is traced takes checksums (thimble_runtime/trace.h), and what these must be.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/program/program.h"
#include "thimble/reference/tensor_values.h"

namespace thimble {

/// Numbers of a tensor's elements, row-major, by the coordinates that a kernel has of them:
/// base + the sums of coordinates times strides.
struct ElementNumbers {
  std::vector<int64_t> leading;  ///< strides of the axes that are looped over
  std::array<int64_t, kKernelAxes> stride{};
  int64_t base = 0;
};

/// What a call writes of a tensor.
struct TracedWrite {
  const Call* call = nullptr;
  ElementNumbers numbers;
};
/// An operand of a stage's call that lies whole in memory when the stage begins.
struct TracedRead {
  const Call* call = nullptr;
  size_t operand = 0;
  Region region;  ///< all of it, in the kernel's coordinates
  ElementNumbers numbers;

  [[nodiscard]] const OperandView& view() const { return call->in[operand]; }
};
/// A step of the schedule, or the loop that several are in: a function of the emitted code or a row
/// of its table.
struct TracedStage {
  std::vector<const Call*> calls;  ///< as written
  std::vector<TracedWrite> writes;
  std::vector<TracedRead> reads;
};

/// Nodes of the program that belong to a step, or to steps in one loop, in order.
[[nodiscard]] std::vector<std::span<const ProgramNode>> nodes_by_step(const Program& program);

/// In order of the stages of a working program (emit/working_program.h), which must outlive them.
/// Sums that others go on with are left out, and rows that come from the caller or go there.
[[nodiscard]] std::vector<TracedStage> traced_stages(const Graph& graph, const Program& program);

struct StageSums {
  std::vector<uint32_t> wrote, read;
};
/// The checksums of an inference that computes `values`, one for each write and read.
[[nodiscard]] std::vector<StageSums> checksums(const Graph& graph, const Program& program,
                                               const std::vector<TracedStage>& stages,
                                               const TensorValues& values);
/// The checksum of bytes, as firmware takes it of constants.
[[nodiscard]] uint32_t checksum(const Bytes& bytes);

}  // namespace thimble
