// SPDX-License-Identifier: Apache-2.0
#include "thimble/toolchain/stack_usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace thimble {
namespace {

using ::testing::ElementsAre;

constexpr const char* kModel = R"ci(graph: { title: "net.cc"
node: { title: "net.cc:_ZN1aL5stageEv" label: "void a::stage()\nnet.cc:3:1\n40 bytes (static)" }
node: { title: "_Z4convv" label: "void conv()\nkernels.h:1:1" shape : ellipse }
edge: { sourcename: "net.cc:_ZN1aL5stageEv" targetname: "_Z4convv" label: "net.cc:5:67" }
node: { title: "net.cc:_ZN1aL4rowsEv" label: "void a::rows()\nnet.cc:8:1\n16 bytes (static)" }
edge: { sourcename: "net.cc:_ZN1aL4rowsEv" targetname: "__indirect_call" }
node: { title: "net.cc:_ZN1aL4stepEv" label: "void a::step()\nnet.cc:9:1\n100 bytes (static)" }
node: { title: "net_run" label: "void net_run()\nnet.cc:10:1\n8 bytes (static)" }
edge: { sourcename: "net_run" targetname: "net.cc:_ZN1aL5stageEv" }
edge: { sourcename: "net_run" targetname: "net.cc:_ZN1aL4rowsEv" }
}
)ci";
constexpr const char* kKernel = R"ci(graph: { title: "conv.cc"
node: { title: "conv.cc:_Z4convv" label: "void conv()\nconv.cc:3:1\n24 bytes (static)" }
edge: { sourcename: "conv.cc:_Z4convv" targetname: "__aeabi_ldivmod" }
}
)ci";
constexpr const char* kLibrary =
    "00008000 <__aeabi_ldivmod>:\n"
    "    8000:\tpush\t{r4, r5-r7, lr}\n"
    "    8002:\tsub\tsp, #12\n"
    "    8004:\tbl\t9000 <__udivmoddi4>\n"
    "    8006:\tb.n\t8004 <__aeabi_ldivmod+0x4>\n\n"
    "00009000 <__udivmoddi4>:\n"
    "    9000:\tstmdb\tsp!, {r4, r5, r6, r7, r8, lr}\n"
    "    9002:\tvpush\t{d8-d9}\n"
    "    9004:\tstr.w\tlr, [sp, #-4]!\n";

TEST(StackUsage, AddsUpFramesAlongTheDeepestChain) {
  StackUsage usage;
  usage.add_call_graph(kModel);
  EXPECT_EQ(usage.deepest_bytes("net_run"), 8 + 16 + 100) << "through the table of steps";
  usage.add_call_graph(kKernel);
  usage.add_disassembly(kLibrary);
  EXPECT_EQ(usage.deepest_bytes("__udivmoddi4"), 24 + 16 + 4);
  EXPECT_EQ(usage.deepest_bytes("_Z4convv"), 24 + (20 + 12) + 44);
  EXPECT_EQ(usage.deepest_bytes("net_run"), 8 + 40 + 24 + 32 + 44);
  EXPECT_EQ(usage.frame_bytes("_ZN1aL5stageEv"), 40);
  EXPECT_THAT(usage.entries(), ElementsAre("net_run"));
}

TEST(StackUsage, FollowsRiscV) {
  StackUsage usage;
  usage.add_disassembly(
      "80000000 <__divdi3>:\n"
      "80000000:\tadd\tsp,sp,-32\n"
      "80000004:\tjal\t80000100 <__clzsi2>\n"
      "80000100 <__clzsi2>:\n"
      "80000100:\taddi\tsp,sp,-16\n");
  EXPECT_EQ(usage.deepest_bytes("__divdi3"), 48);
}

TEST(StackUsage, EndsWhereFunctionsCallEachOther) {
  StackUsage usage;
  usage.add_disassembly(
      "0 <a>:\n 0:\tpush\t{r4}\n 2:\tbl\t8 <b>\n8 <b>:\n 8:\tpush\t{r4, r5}\n 9:\tbl\t0 <a>\n");
  EXPECT_EQ(usage.deepest_bytes("a"), 12);
  EXPECT_EQ(usage.deepest_bytes("none"), 0);
}

}  // namespace
}  // namespace thimble
