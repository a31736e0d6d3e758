// SPDX-License-Identifier: Apache-2.0
// Packed constants as they lie in block storage: an array of records, each of which is what a call
// of so many output channels reads, with a check behind it.
//
//   conv_2d, 64 channels of 576 weights, 16 to a record: 4 records of 9,372 B
//     record r   weights of channels [16 r, 16 r + 16)   9,216 B
//                bias, multipliers, shifts of these      64 + 64 + 16 B
//                CRC-32                                       4 B... and what aligns them to 4
//
// A kernel finds the constants of channel c at `constants + c * bytes of a channel`. So it is
// handed pointers to where channel 0 would lie.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thimble/target/kernels/kernel.h"

namespace thimble {

/// The constants of an operator, packed for a kernel, as records.
struct PackedRecords {
  OpId op;
  KernelId kernel;
  int64_t channels = 0;  ///< output channels of a record; as many as there are: one record

  [[nodiscard]] bool valid() const { return op.valid(); }
  bool operator==(const PackedRecords&) const = default;
};

struct RecordLayout {
  /// What a record has of one constant.
  struct Part {
    int64_t offset = 0;             ///< in the record
    int64_t bytes = 0;              ///< of a full record
    int64_t bytes_of_channels = 0;  ///< from the part of channel 0 to that of a record's first, per
                                    ///< record: 0 where there is one
    bool operator==(const Part&) const = default;
  };
  int64_t channels = 0;  ///< of a record
  int64_t count = 1;
  int64_t record_bytes = 0;  ///< with the check: a multiple of kRecordAlignment
  std::vector<Part> parts;   ///< per constant
  bool operator==(const RecordLayout&) const = default;
};
constexpr int64_t kRecordAlignment = 4, kRecordCheckBytes = 4;

/// The output channels of an operator, as PackedRecords counts them.
[[nodiscard]] int64_t packed_channels(const Graph& graph, const Op& op);

/// Sizes of constants, without their bytes.
struct PackedSize {
  int64_t bytes = 0, part_channels = 0;
};
[[nodiscard]] std::vector<PackedSize> packed_sizes(const std::vector<PackedConstant>& constants);

/// Of how many channels' multiples records can be, if there are to be several: 0: there is one.
[[nodiscard]] int64_t record_grain(const std::vector<PackedSize>& sizes);

/// The records of constants of these sizes; nothing if they cannot be cut so. channels: of the
/// operator.
[[nodiscard]] std::optional<RecordLayout> record_layout(const std::vector<PackedSize>& sizes,
                                                        int64_t channels_of_record,
                                                        int64_t channels);
/// Packs the constants to know their sizes.
[[nodiscard]] std::optional<RecordLayout> record_layout(const Graph& graph,
                                                        const PackedRecords& records);

/// One record, without its check: what lies behind the last channel is 0.
[[nodiscard]] Bytes record_bytes(const std::vector<const PackedConstant*>& constants,
                                 const RecordLayout& layout, int64_t record);

}  // namespace thimble
