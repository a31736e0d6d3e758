// SPDX-License-Identifier: Apache-2.0
// Any text is the description of a device or refused.
#include <string>

#include "thimble/model/error.h"
#include "thimble/target/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    (void)thimble::parse_target(std::string(reinterpret_cast<const char*>(data), size),
                                "fuzz.json");
  } catch (const thimble::CompileError&) {
    // The input's fault, and said so.
  }
  return 0;
}
