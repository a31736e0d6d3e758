// SPDX-License-Identifier: Apache-2.0
// The decoders and the encoder of stb, compiled here alone.
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include "thimble/inputs/stb.h"
