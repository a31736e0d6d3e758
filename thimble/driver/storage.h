// SPDX-License-Identifier: Apache-2.0
// Block storage that a request names.
//
//   --storage qspi                           of the device: its granule, blocks, size, queue
//   --storage card:write=512,size=4M         one that no device describes
#pragma once

#include <optional>

#include "thimble/driver/request.h"
#include "thimble/program/program.h"

namespace thimble {

/// Nothing, where the request names none. Throws CompileError: what does not read as above, a
/// storage that the device does not have (listing those it has), one whose granule is not known.
[[nodiscard]] std::optional<ScheduleMemory> requested_storage(const Request& request);

/// Bytes of the device's flash that the program's storage takes from code and weights, in whole
/// blocks: none, if the storage lies elsewhere or the request itself says how much flash there is.
[[nodiscard]] int64_t flash_taken_bytes(const Program& program, const Request& request);

}  // namespace thimble
