// SPDX-License-Identifier: Apache-2.0
#include "sealed.h"

namespace thimble::runtime {
namespace {

constexpr uint32_t kMostWritten = 0xFFFFFFFF;
constexpr uint32_t kInnerToken = 0;  // one operation at a time

thimble_sealed& sealed_of(void* context) { return *static_cast<thimble_sealed*>(context); }

bool is_power_of_two(uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }

uint32_t cells_per_block(const thimble_sealed& sealed) {
  return sealed.inner_block / thimble_sealed_stride(&sealed);
}

// Where a cell begins in the inner storage.
uint32_t place_of(const thimble_sealed& sealed, uint32_t cell) {
  const uint32_t stride = thimble_sealed_stride(&sealed);
  if (sealed.inner_block == 0) return cell * stride;
  const uint32_t per_block = cells_per_block(sealed);
  return cell / per_block * sealed.inner_block + cell % per_block * stride;
}

void put_u32(uint32_t value, uint8_t* to) {
  for (uint32_t i = 0; i < 4; ++i) to[i] = static_cast<uint8_t>(value >> (8 * i));
}

/// What a cell is sealed with: its nonce, and its number beside it.
struct Sealing {
  uint8_t nonce[THIMBLE_SEALED_NONCE];
  uint8_t number[4];

  Sealing(const thimble_sealed& sealed, uint32_t cell) {
    for (uint32_t i = 0; i < THIMBLE_SEALED_SALT; ++i) nonce[i] = sealed.salt[i];
    put_u32(sealed.counters[cell], nonce + THIMBLE_SEALED_SALT);
    put_u32(cell, number);
  }
};

int ended(const thimble_storage& inner, int begun) {
  return begun != THIMBLE_STORAGE_OK ? begun : inner.wait(inner.context, kInnerToken);
}

int write_cell(thimble_sealed& sealed, uint32_t cell, const uint8_t* bytes, uint32_t count) {
  if (sealed.written == kMostWritten) return THIMBLE_SEALED_WORN_OUT;
  sealed.counters[cell] = ++sealed.written;
  for (uint32_t i = 0; i < sealed.cell; ++i) sealed.buffer[i] = i < count ? bytes[i] : 0;
  const Sealing sealing(sealed, cell);
  if (sealed.aead->seal(sealed.aead->context, sealing.nonce, sealing.number, sizeof sealing.number,
                        sealed.buffer, sealed.cell, sealed.buffer + sealed.cell) != 0)
    return THIMBLE_SEALED_NO_CIPHER;
  const thimble_storage& inner = *sealed.inner;
  return ended(inner, inner.write_async(inner.context, kInnerToken, place_of(sealed, cell),
                                        sealed.buffer, sealed.cell + THIMBLE_SEALED_TAG));
}

// The whole cell, into the buffer.
int read_cell(thimble_sealed& sealed, uint32_t cell) {
  if (sealed.counters[cell] == 0) return THIMBLE_STORAGE_CORRUPT;  // never written
  const thimble_storage& inner = *sealed.inner;
  const int status =
      ended(inner, inner.read_async(inner.context, kInnerToken, place_of(sealed, cell),
                                    sealed.buffer, sealed.cell + THIMBLE_SEALED_TAG));
  if (status != THIMBLE_STORAGE_OK) return status;
  const Sealing sealing(sealed, cell);
  const int differs =
      sealed.aead->open(sealed.aead->context, sealing.nonce, sealing.number, sizeof sealing.number,
                        sealed.buffer, sealed.cell, sealed.buffer + sealed.cell);
  return differs == 0 ? THIMBLE_STORAGE_OK : THIMBLE_STORAGE_CORRUPT;
}

bool is_inside(const thimble_sealed& sealed, uint32_t offset, uint32_t size) {
  const uint32_t bytes = thimble_sealed_bytes(&sealed);
  return offset <= bytes && size <= bytes - offset;
}

int read_sealed(void* context, uint32_t token, uint32_t offset, void* bytes, uint32_t size) {
  thimble_sealed& sealed = sealed_of(context);
  if (token >= sealed.tokens || !is_inside(sealed, offset, size)) return THIMBLE_STORAGE_FULL;
  auto* to = static_cast<uint8_t*>(bytes);
  int status = THIMBLE_STORAGE_OK;
  for (uint32_t at = offset; at != offset + size && status == THIMBLE_STORAGE_OK;) {
    status = read_cell(sealed, at / sealed.cell);
    if (status != THIMBLE_STORAGE_OK) break;
    uint32_t i = at % sealed.cell;
    for (; i < sealed.cell && at != offset + size; ++i, ++at) *to++ = sealed.buffer[i];
  }
  sealed.statuses[token] = status;
  return THIMBLE_STORAGE_OK;
}

int write_sealed(void* context, uint32_t token, uint32_t offset, const void* bytes, uint32_t size) {
  thimble_sealed& sealed = sealed_of(context);
  if (token >= sealed.tokens || !is_inside(sealed, offset, size)) return THIMBLE_STORAGE_FULL;
  if (offset % sealed.cell != 0) return THIMBLE_STORAGE_WRITE_FAILED;
  int status = THIMBLE_STORAGE_OK;
  for (uint32_t at = 0; at < size && status == THIMBLE_STORAGE_OK; at += sealed.cell)
    status = write_cell(sealed, (offset + at) / sealed.cell,
                        static_cast<const uint8_t*>(bytes) + at, size - at);
  sealed.statuses[token] = status;
  return THIMBLE_STORAGE_OK;
}

int erase_sealed(void* context, uint32_t token, uint32_t offset, uint32_t size) {
  thimble_sealed& sealed = sealed_of(context);
  const uint32_t block = thimble_sealed_block(&sealed);
  if (token >= sealed.tokens || !is_inside(sealed, offset, size)) return THIMBLE_STORAGE_FULL;
  if (block == 0 || offset % block != 0 || size % block != 0) return THIMBLE_STORAGE_ERASE_FAILED;
  const thimble_storage& inner = *sealed.inner;
  for (uint32_t at = offset; at != offset + size; at += sealed.cell)
    sealed.counters[at / sealed.cell] = 0;
  sealed.statuses[token] = ended(
      inner, inner.erase_async(inner.context, kInnerToken, offset / block * sealed.inner_block,
                               size / block * sealed.inner_block));
  return THIMBLE_STORAGE_OK;
}

int wait_for_sealed(void* context, uint32_t token) {
  const thimble_sealed& sealed = sealed_of(context);
  return token < sealed.tokens ? sealed.statuses[token] : int{THIMBLE_STORAGE_FULL};
}

void cancel_sealed(void* context) {
  const thimble_storage& inner = *sealed_of(context).inner;
  if (inner.cancel != nullptr) inner.cancel(inner.context);
}

}  // namespace
}  // namespace thimble::runtime

uint32_t thimble_sealed_stride(const thimble_sealed* sealed) {
  const uint32_t granule = sealed->inner_granule;
  return (sealed->cell + THIMBLE_SEALED_TAG + granule - 1) & ~(granule - 1);
}

uint32_t thimble_sealed_block(const thimble_sealed* sealed) {
  if (thimble_sealed_bytes(sealed) == 0) return 0;
  return sealed->inner_block / thimble_sealed_stride(sealed) * sealed->cell;
}

uint32_t thimble_sealed_bytes(const thimble_sealed* sealed) {
  using thimble::runtime::is_power_of_two;
  const uint32_t granule = sealed->inner_granule, block = sealed->inner_block;
  constexpr uint32_t kMostCell = 1U << 16;
  if (!is_power_of_two(sealed->cell) || sealed->cell > kMostCell || !is_power_of_two(granule) ||
      granule > kMostCell || block % granule != 0)
    return 0;
  const uint32_t stride = thimble_sealed_stride(sealed);
  if (sealed->buffer_size < stride) return 0;
  const uint32_t there =
      block == 0 ? sealed->inner_size / stride : sealed->inner_size / block * (block / stride);
  uint32_t cells = there < sealed->counter_count ? there : sealed->counter_count;
  if (block >= stride) cells -= cells % (block / stride);  // whole blocks
  return cells * sealed->cell;
}

thimble_storage thimble_sealed_open(thimble_sealed* sealed) {
  using namespace thimble::runtime;
  sealed->written = 0;
  for (uint32_t i = 0; i < sealed->counter_count; ++i) sealed->counters[i] = 0;
  const bool erases = sealed->inner_block != 0 && sealed->inner->erase_async != nullptr;
  return {sealed,          read_sealed,  write_sealed, erases ? erase_sealed : nullptr,
          wait_for_sealed, cancel_sealed};
}
