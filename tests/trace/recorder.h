// SPDX-License-Identifier: Apache-2.0
// Writes the trace of emitted code to standard output: every call of a kernel, as the kernels in
// recording_kernels.cc see it. C++17, compiled by the tests together with what was emitted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "thimble/program/trace_text.h"

namespace thimble {

/// A memory that pointers may point into.
struct TracedMemory {
  std::string name;
  const void* begin;
  size_t bytes;
  bool constant;  ///< named by its content, too
};

/// The arena comes first.
void set_memories(const TracedMemory* memories, size_t count);
/// "arena+16"; ends the process with a message for a pointer into none of the memories.
std::string place_of(const void* pointer);
/// Likewise, of a transfer: "elsewhere" for a pointer into none of them, a label that is compared.
std::string place_of_transfer(const void* pointer);
void write_line(const std::string& line);

/// Rows that are pushed leave no call behind: before each, the arena is all zero; the bytes that
/// are not zero when the next line is written, or when pushed() is called, are the row's.
void expect_row(long row);
void pushed();

/// Number of a set of parameters, told by its text, in the order of first use.
size_t params_number(const std::string& text, bool& added);
std::string constant_of(const void* pointer);

template <class Params>
std::string traced_params(const Params& p) {
  bool added = false;
  const std::string text = trace_params(p, constant_of);
  const std::string name = "params " + std::to_string(params_number(text, added));
  if (added) write_line(name + " =" + text);
  return " " + name;
}

std::string traced_views(std::initializer_list<const runtime::View*> views);

}  // namespace thimble
