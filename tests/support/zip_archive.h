// SPDX-License-Identifier: Apache-2.0
// Zip archives of one member, for tests of what reads them.
#pragma once

#include <zlib.h>

#include <string>

#include "thimble/model/error.h"

namespace thimble::testing {

inline std::string little_endian(uint32_t value, int bytes) {
  std::string result;
  for (int k = 0; k < bytes; ++k) result += static_cast<char>(value >> (8 * k) & 0xFF);
  return result;
}

inline std::string deflated(const std::string& text) {
  z_stream stream = {};
  check(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
  std::string result(compressBound(text.size()), '\0');
  std::string from = text;
  stream.next_in = reinterpret_cast<Bytef*>(from.data());
  stream.avail_in = static_cast<uInt>(from.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  check(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib");
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

/// base: where the archive begins, if its offsets count from somewhere before that.
inline std::string zip_archive(const std::string& name, const std::string& text, bool deflate,
                               uint32_t base = 0) {
  const std::string data = deflate ? deflated(text) : text;
  const std::string sizes = little_endian(static_cast<uint32_t>(data.size()), 4) +
                            little_endian(static_cast<uint32_t>(text.size()), 4) +
                            little_endian(static_cast<uint32_t>(name.size()), 2);
  const std::string common = little_endian(deflate ? 8 : 0, 2) + std::string(8, '\0') + sizes;
  const std::string local =
      "PK\3\4" + std::string("\x14\0\0\0", 4) + common + std::string(2, '\0') + name + data;
  const std::string entry = "PK\1\2" + std::string("\x14\0\x14\0\0\0", 6) + common +
                            std::string(12, '\0') + little_endian(base, 4) + name;
  return local + entry + "PK\5\6" + std::string(4, '\0') + little_endian(1, 2) +
         little_endian(1, 2) + little_endian(static_cast<uint32_t>(entry.size()), 4) +
         little_endian(base + static_cast<uint32_t>(local.size()), 4) + std::string(2, '\0');
}

}  // namespace thimble::testing
