// SPDX-License-Identifier: Apache-2.0
#include "thimble/toolchain/link_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace thimble {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LinkMap, ListsWhatIsKept) {
  const char* map = R"(Discarded input sections

 .text.unused   0x00000000       0x40 model.o

Linker script and memory map

.text           0x00000000      0x24e
 *(.text .text.*)
 .text          0x00000000        0x0 model.o
 .text.run      0x00000000       0x1c model.o
                0x00000000                run(void*)
 .text._ZN7thimble7runtime7conv_2dE
                0x0000001c      0x210 my kernels/conv_2d.o
 *fill*         0x0000022c        0x4
 .text.div      0x00000230       0x1e /usr/lib/libgcc.a(_udivmoddi4.o)

.bss            0x20000000       0x14
 .bss.zero      0x20000000       0x10 model.o
 COMMON         0x20000010        0x4 model.o
 .debug_info    0x00000000      0x999 model.o
)";
  EXPECT_THAT(
      parse_link_map(map),
      ElementsAre(
          LinkedSection{".text.run", "model.o", 0x1c},
          LinkedSection{".text._ZN7thimble7runtime7conv_2dE", "my kernels/conv_2d.o", 0x210},
          LinkedSection{".text.div", "/usr/lib/libgcc.a(_udivmoddi4.o)", 0x1e},
          LinkedSection{".bss.zero", "model.o", 0x10}, LinkedSection{"COMMON", "model.o", 4}));
}

TEST(LinkMap, OfNothingIsEmpty) { EXPECT_THAT(parse_link_map("no map"), IsEmpty()); }

}  // namespace
}  // namespace thimble
