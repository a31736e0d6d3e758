// SPDX-License-Identifier: Apache-2.0
// How large a model or a plan may be: checked before anything takes memory in proportion. A file of
// 400 bytes can ask for gigabytes of activations; constants have their bytes in the file.
#pragma once

#include <cstdint>
#include <string>

#include "thimble/model/graph.h"
#include "thimble/schedule/schedule.h"

namespace thimble {

/// Throws CompileError, which names --max-bytes, if the activations have more bytes between them.
void check_bytes(const Graph& graph, int64_t max_bytes);
/// check_bytes() of the buffers of a well-formed plan; `where` names its file.
void check_bytes(const Schedule& schedule, int64_t max_bytes, const std::string& where);

}  // namespace thimble
