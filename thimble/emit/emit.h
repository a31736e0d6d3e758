// SPDX-License-Identifier: Apache-2.0
// Program -> a C++ project that an embedded engineer can read: NAME.h (C API), NAME.cc (one
// function a stage), NAME_weights.{h,cc} (weights.h), NAME_labels.cc with names
// of classes, NAME_example.c, and the runtime files it needs.
#pragma once

#include <vector>

#include "thimble/emit/project.h"
#include "thimble/program/program.h"

namespace thimble {

/// Same program and options, same bytes. The program must have passed verify().
[[nodiscard]] std::vector<EmittedFile> emit(const Graph& graph, const Program& program,
                                            const EmitOptions& options);

}  // namespace thimble
