// SPDX-License-Identifier: Apache-2.0
// What stb_image 2.27 does not look at: a JPEG whose Huffman table has more codes than there is
// room for.
#pragma once

#include "thimble/model/graph.h"

namespace thimble {

/// Whether some table of a JPEG has more than 256 codes, which no true one has. Other files: no.
[[nodiscard]] bool has_overlong_table(const Bytes& bytes);

/// Whether a chunk of a PNG claims more bytes than the file has. Other files: no.
[[nodiscard]] bool has_overlong_chunk(const Bytes& bytes);

}  // namespace thimble
