/* SPDX-License-Identifier: Apache-2.0
   What a firmware built to be measured runs: the table of models that the harness goes through.
   Whoever builds such a firmware defines thimble_models and thimble_model_count. */
#ifndef THIMBLE_FIRMWARE_HARNESS_H_
#define THIMBLE_FIRMWARE_HARNESS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Instead of an offset: the tensor lies outside of the arena. */
#define THIMBLE_OUTSIDE ((size_t)-1)

/* One model. Its inputs and outputs lie in the arena, at byte offsets, or in memory of their own,
   which `run` is given: `outside` has a pointer for each of them, those of inputs first. */
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
  void (*run)(void* arena, void* const* outside);
  void (*reset)(void* arena); /* NULL: nothing is kept between inferences */
};

extern const struct thimble_model thimble_models[];
extern const size_t thimble_model_count;

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_FIRMWARE_HARNESS_H_ */
