// SPDX-License-Identifier: Apache-2.0
#include "erase_ahead.h"

namespace {

thimble_erase_ahead& twice_of(void* context) { return *static_cast<thimble_erase_ahead*>(context); }

bool is_inside(const thimble_erase_ahead& twice, uint32_t offset, uint32_t size) {
  return offset <= twice.area && size <= twice.area - offset;
}

// Ends the erase ahead that is in flight. What failed is not erased.
void end_ahead(thimble_erase_ahead& twice) {
  if (twice.ahead == 0) return;
  twice.ahead = 0;
  if (twice.inner->wait(twice.inner->context, twice.token) != THIMBLE_STORAGE_OK)
    twice.begin = twice.end = 0;
}

// Begins to erase these bytes of the area that is not used; if it does not begin, they will be
// erased when they are asked for.
void begin_ahead(thimble_erase_ahead& twice, uint32_t offset, uint32_t size) {
  const uint32_t other = (1 - twice.used) * twice.area;
  const thimble_storage& inner = *twice.inner;
  twice.ahead =
      inner.erase_async(inner.context, twice.token, other + offset, size) == THIMBLE_STORAGE_OK;
  twice.begin = twice.ahead != 0 ? offset : 0;
  twice.end = twice.ahead != 0 ? offset + size : 0;
}

int read_twice(void* context, uint32_t token, uint32_t offset, void* bytes, uint32_t size) {
  thimble_erase_ahead& twice = twice_of(context);
  if (!is_inside(twice, offset, size)) return THIMBLE_STORAGE_FULL;
  if (twice.had == token + 1) twice.had = 0;
  return twice.inner->read_async(twice.inner->context, token, twice.used * twice.area + offset,
                                 bytes, size);
}

int write_twice(void* context, uint32_t token, uint32_t offset, const void* bytes, uint32_t size) {
  thimble_erase_ahead& twice = twice_of(context);
  if (!is_inside(twice, offset, size)) return THIMBLE_STORAGE_FULL;
  if (twice.had == token + 1) twice.had = 0;
  return twice.inner->write_async(twice.inner->context, token, twice.used * twice.area + offset,
                                  bytes, size);
}

int erase_twice(void* context, uint32_t token, uint32_t offset, uint32_t size) {
  thimble_erase_ahead& twice = twice_of(context);
  if (!is_inside(twice, offset, size)) return THIMBLE_STORAGE_FULL;
  end_ahead(twice);
  const bool erased = twice.begin <= offset && offset + size <= twice.end;
  if (erased) {
    twice.used = 1 - twice.used;
    twice.had = token + 1;
  } else {
    const thimble_storage& inner = *twice.inner;
    const int status =
        inner.erase_async(inner.context, token, twice.used * twice.area + offset, size);
    if (status != THIMBLE_STORAGE_OK) return status;
    twice.had = 0;
  }
  begin_ahead(twice, offset, size);
  return THIMBLE_STORAGE_OK;
}

int wait_for_twice(void* context, uint32_t token) {
  thimble_erase_ahead& twice = twice_of(context);
  if (twice.had != token + 1) return twice.inner->wait(twice.inner->context, token);
  twice.had = 0;
  return THIMBLE_STORAGE_OK;
}

// An erase ahead ends, too, done or not.
void cancel_twice(void* context) {
  thimble_erase_ahead& twice = twice_of(context);
  if (twice.inner->cancel == nullptr) {
    end_ahead(twice);
  } else {
    twice.inner->cancel(twice.inner->context);
    twice.begin = twice.end = 0;
    twice.ahead = 0;
  }
  twice.had = 0;
}

}  // namespace

thimble_storage thimble_erase_ahead_open(thimble_erase_ahead* twice) {
  return {twice, read_twice, write_twice, erase_twice, wait_for_twice, cancel_twice};
}
