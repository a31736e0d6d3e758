// SPDX-License-Identifier: Apache-2.0
// What the linker took: the map that GNU ld writes (-Map), as a list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace thimble {

/// A section of an object that is in the program.
struct LinkedSection {
  std::string section;  ///< of the object: ".text.conv_2d"
  std::string object;   ///< "model_0001.o"; "/usr/lib/.../libgcc.a(_udivmoddi4.o)"
  int64_t size_bytes = 0;
  bool operator==(const LinkedSection&) const = default;
};

/// Sections dropped by --gc-sections, padding between sections and debugging information are left
/// out.
[[nodiscard]] std::vector<LinkedSection> parse_link_map(const std::string& map);

}  // namespace thimble
