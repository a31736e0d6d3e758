// SPDX-License-Identifier: Apache-2.0
// The lines of a trace, in one place: what a Program executes and what emitted code executes are
// written alike. C++17, and of the runtime's headers alone: recorders of emitted code include it.
//
//   params 0 = conv_2d_0_weights:9c1f... conv_2d_0_bias:01aa... 3 3 1 1 ...
//   conv_2d params 0 | input arena+0 bias 0 modulus 0 channel 0 strides 4608 192 8 1 | arena+576
//   ... receive row 3 at arena+192, 192 bytes
#pragma once

#include <cstdio>
#include <string>

#include "thimble/target/kernels/fields.h"

namespace thimble {

/// FNV-1a, of the bytes of a constant.
inline uint64_t trace_hash(const void* data, size_t bytes) {
  uint64_t hash = 14695981039346656037U;
  for (size_t k = 0; k < bytes; ++k)
    hash = (hash ^ static_cast<const unsigned char*>(data)[k]) * 1099511628211U;
  return hash;
}

/// A constant by its name and content.
inline std::string trace_constant(const std::string& name, const void* data, size_t bytes) {
  char hash[20];
  std::snprintf(hash, sizeof(hash), ":%016llx",
                static_cast<unsigned long long>(trace_hash(data, bytes)));
  return name + hash;
}

/// Bytes from the start of a memory, maybe before it: of constants that were brought there.
inline std::string trace_place(const std::string& memory, long long bytes) {
  return memory + (bytes < 0 ? "" : "+") + std::to_string(bytes);
}

/// All numbers and pointers of a kernel's parameters; constant(pointer) names what it points to.
template <class Params, class Constant>
std::string trace_params(const Params& params, const Constant& constant) {
  std::string text;
  each_leaf(params, [&](const auto& leaf) {
    using Leaf = std::remove_const_t<std::remove_reference_t<decltype(leaf)>>;
    if constexpr (std::is_pointer_v<Leaf>) {
      text += " " + constant(leaf);
    } else if constexpr (std::is_floating_point_v<Leaf>) {
      char hexadecimal[40];
      std::snprintf(hexadecimal, sizeof(hexadecimal), " %a", static_cast<double>(leaf));
      text += hexadecimal;
    } else {
      text += " " + std::to_string(leaf);
    }
  });
  return text;
}

/// place: where its data lie, "arena+16".
inline std::string trace_view(const std::string& place, const runtime::View& v) {
  char numbers[160];
  std::snprintf(numbers, sizeof(numbers), " bias %d modulus %d channel %d strides %d %d %d %d",
                static_cast<int>(v.bias), static_cast<int>(v.modulus), static_cast<int>(v.channel),
                static_cast<int>(v.stride[0]), static_cast<int>(v.stride[1]),
                static_cast<int>(v.stride[2]), static_cast<int>(v.stride[3]));
  return " | " + place + numbers;
}

inline std::string trace_region(const runtime::Region& r) {
  std::string text = " | region";
  for (int axis = 0; axis < 4; ++axis)
    text += " " + std::to_string(r.begin[axis]) + ".." + std::to_string(r.end[axis]);
  return text;
}

inline std::string trace_chunk(int begin, int end) {
  return " | chunk " + std::to_string(begin) + ".." + std::to_string(end);
}

/// verb: "receive" or "deliver".
inline std::string trace_row(const char* verb, long row, const std::string& place, long bytes) {
  return std::string(verb) + " row " + std::to_string(row) + " at " + place + ", " +
         std::to_string(bytes) + " bytes";
}

}  // namespace thimble
