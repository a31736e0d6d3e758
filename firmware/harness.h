/* SPDX-License-Identifier: Apache-2.0
   What a firmware built to be measured runs: the table of models that the harness goes through.
   Whoever builds such a firmware defines thimble_models and thimble_model_count. */
#ifndef THIMBLE_FIRMWARE_HARNESS_H_
#define THIMBLE_FIRMWARE_HARNESS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One model. Its inputs and outputs lie in the arena, at byte offsets. */
struct thimble_model {
  const char* name;
  size_t arena_bytes;
  size_t arena_alignment; /* a power of two */
  size_t input_count;
  const size_t* input_bytes;
  const size_t* input_offsets;
  size_t output_count;
  const size_t* output_bytes;
  const size_t* output_offsets;
  void (*run)(void* arena);
};

extern const struct thimble_model thimble_models[];
extern const size_t thimble_model_count;

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_FIRMWARE_HARNESS_H_ */
