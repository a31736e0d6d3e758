// SPDX-License-Identifier: Apache-2.0
// Block storage that a request names.
//
//   --storage qspi                           of the device: its granule, blocks, size, queue
//   --storage card:write=512,size=4M         one that no device describes
//   --storage qspi,compress                  the device's, and records are compressed there
#pragma once

#include <optional>

#include "thimble/driver/request.h"

namespace thimble {

struct RequestedStorage {
  ScheduleMemory memory;
  int64_t chunk_bytes = 0;  ///< as Limits::storage_chunk_bytes
};

/// Nothing, where the request names none. Throws CompileError: what does not read as above, a
/// storage that the device does not have (listing those it has), one whose granule is not known.
[[nodiscard]] std::optional<RequestedStorage> requested_storage(const Request& request);

}  // namespace thimble
