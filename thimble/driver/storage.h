// SPDX-License-Identifier: Apache-2.0
// Block storage that a request names.
//
//   --storage qspi                           of the device: its granule, blocks, size, queue
//   --storage card:write=512,size=4M         one that no device describes
//   --storage card:write=512,write_speed=1M  and how fast it is
//   --storage qspi,compress                  the device's, and records are compressed there
#pragma once

#include <map>
#include <optional>
#include <string>

#include "thimble/driver/request.h"
#include "thimble/plan/transfer_wait.h"
#include "thimble/program/program.h"

namespace thimble {

struct RequestedStorage {
  ScheduleMemory memory;
  StorageFigures figures;   ///< what is not known is left out
  int64_t chunk_bytes = 0;  ///< as Limits::storage_chunk_bytes
};

/// Nothing, where the request names none. Throws CompileError: what does not read as above, a
/// storage that the device does not have (listing those it has), one whose granule is not known.
[[nodiscard]] std::optional<RequestedStorage> requested_storage(const Request& request);

/// What the storages cost that a plan for the request may use, by their names in schedules: those
/// of the target, and one that the request describes. Throws CompileError, as above.
[[nodiscard]] std::map<std::string, StorageFigures> storage_figures(const Request& request);
/// For searches, on a core with this clock (0: 100 MHz). Speeds that are not known are 1 MB/s,
/// other times 0.
[[nodiscard]] TransferCycles storage_cycles(const StorageFigures& figures, int64_t clock_hz);
/// Nothing, where a figure is not known.
[[nodiscard]] std::optional<TransferEnergy> storage_energy(const StorageFigures& figures);
/// Bytes of the device's flash that the program's storage takes from code and weights, in whole
/// blocks: none, if the storage lies elsewhere or the request itself says how much flash there is.
[[nodiscard]] int64_t flash_taken_bytes(const Program& program, const Request& request);

}  // namespace thimble
