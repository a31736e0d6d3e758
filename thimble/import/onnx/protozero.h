// SPDX-License-Identifier: Apache-2.0
// protozero's reader for bytes that may be anybody's: what it only asserts, a field of another kind
// than its number has, is an exception here.
#pragma once

#include <protozero/exception.hpp>

namespace thimble::onnx {

struct WrongField : protozero::exception {
  [[nodiscard]] const char* what() const noexcept override { return "a field of another kind"; }
};

inline void check_field(bool holds) {
  if (!holds) throw WrongField();
}

}  // namespace thimble::onnx

#define protozero_assert(condition) ::thimble::onnx::check_field(condition)
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>  // for tests, which must have the same of both
