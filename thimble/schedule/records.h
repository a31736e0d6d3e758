// SPDX-License-Identifier: Apache-2.0
// Tensors in block storage: arrays of records, which transfers move whole (docs/memories.md).
//
//   x [1,40,60,16], 32 B written at once     40 records of 960 B, one per row; tags of 160 B
//
// Records of a buffer with chunk_bytes are compressed where that is shorter, so that they lie at
// the same addresses, and pass through a passage: a buffer of the arena with a chunk
// (thimble_runtime/compressed_transfers.h).
#pragma once

#include <cstdint>
#include <string>

#include "thimble/schedule/schedule.h"

namespace thimble {

/// What of a tensor is one record: a position along the outermost axis in memory that has several,
/// unless that is little: then all of it.
struct RecordForm {
  int axis = -1;  ///< of the tensor; -1: one record
  int64_t count = 1;
  int64_t record_bytes = 0;
  int64_t stride_bytes = 0;  ///< from one to the next: whole granules
  [[nodiscard]] int64_t stored_bytes() const { return count * stride_bytes; }
};
constexpr int64_t kLeastRecordBytes = 64;
/// buffer: of a tensor's values, without a ring. write_bytes: of a granule.
[[nodiscard]] RecordForm record_form(const Buffer& buffer, int64_t write_bytes);

/// A record's CRC32, kept in memory that is addressed.
constexpr int64_t kTagBytes = 4;

/// The chunk in which records of `form` are compressed that are written in granules, where about
/// at_most bytes are taken for it: whole granules, at least one, and no more than there can be
/// on the way. 0: that saves nothing, as a record is a granule.
[[nodiscard]] int64_t chunk_bytes(const RecordForm& form, int64_t write_bytes, int64_t at_most);
constexpr int64_t kUsualChunkBytes = 256;  // a page of NOR flash
/// What of a record is read before anybody knows how long it is: whole granules, at most a chunk,
/// no more than each has but for the last granule.
[[nodiscard]] int64_t first_bytes(int64_t record_bytes, int64_t write_bytes, int64_t chunk_bytes);
/// Bytes of the passage for chunks.
[[nodiscard]] int64_t passage_bytes(int64_t chunk_bytes);

/// Storage with packed constants begins with an image of them: the records of each buffer of them,
/// one right behind the other, a label (thimble_runtime/transfers.h), and what is left of a granule
/// or block.
constexpr int64_t kImageLabelBytes = 32;
/// Where the label lies, behind records that end there.
[[nodiscard]] int64_t image_label_address(int64_t records_end);
/// Where the records lie, per buffer; -1: it is not in an image.
[[nodiscard]] std::vector<int64_t> image_addresses(const Schedule& schedule);
/// Bytes of the image in that memory; 0: there is none.
[[nodiscard]] int64_t image_bytes(const Schedule& schedule, MemoryId memory);

[[nodiscard]] bool is_stored(const Schedule& schedule, BufferId buffer);
/// Bytes that the buffer takes in its memory: in storage, of its records.
[[nodiscard]] int64_t placed_bytes(const Schedule& schedule, const Buffer& buffer);

/// The buffers of a transfer that begins or that a step waits for.
struct TransferSides {
  BufferId stored, held;
  bool reads = false;  ///< from storage
};
/// step: kBegin, or kWait for one, well formed.
[[nodiscard]] TransferSides sides_of(const Schedule& schedule, const Step& step);

/// The records that a step's region has, cut to those there are. step: kBegin.
[[nodiscard]] IntervalExpr records_of(const Schedule& schedule, const Step& step);

/// Bytes of records that a schedule moves as it executes, without what fills granules.
struct MovedRecords {
  int64_t written = 0, read = 0;
  int64_t constants = 0;  ///< of what is read, packed ones
};
[[nodiscard]] MovedRecords moved_records(const Schedule& schedule);

/// Empty, or why records of a buffer in storage do not lie in another one as they are.
[[nodiscard]] std::string held_fault(const Buffer& held, const Buffer& stored);
/// Empty, or what is wrong with a step that is a transfer; its buffers exist.
[[nodiscard]] std::string transfer_fault(const Schedule& schedule, const Step& step);

/// Makes a copy between storage and another memory two steps: one that begins it and one that
/// waits. tags: of the buffer in storage; passage: invalid where it is not compressed.
struct BegunAndEnded {
  Step begin, wait;
};
[[nodiscard]] BegunAndEnded as_transfer(Step copy, BufferId tags, BufferId passage, TokenId token);
/// A buffer for the tags of a buffer in storage.
[[nodiscard]] BufferId add_tags(Schedule& schedule, BufferId stored);
/// A passage for its records; invalid if they are not compressed.
[[nodiscard]] BufferId add_passage(Schedule& schedule, BufferId stored);

}  // namespace thimble
