// SPDX-License-Identifier: Apache-2.0
// Figure 1 of the operator reordering paper:
//
//   t0 1568 > op1 > t1 3136 > op2 > t2 1568 > op3 > t3 512 > op5 > t5 256 > op7 > t7 512
//                        '--> op4 > t4 512 > op6 > t6 256 -----------------'
//
// 5,216 bytes in the order 1 to 7, 4,960 in the order 1, 4, 6, 2, 3, 5, 7.
#include "zoo/builder.h"
#include "zoo/networks.h"

namespace thimble::zoo {

Graph reordering_figure1() {
  Builder net("reordering_figure1", 1);
  const TensorId t0 = net.input({1, 14, 14, 8});
  const TensorId t1 = net.conv(t0, {.channels = 16, .kernel = 1});
  const TensorId t2 = net.conv(t1, {.channels = 8, .kernel = 1});
  const TensorId t3 = net.conv(t2, {.channels = 32, .kernel = 3, .stride = 4});  // 4 x 4 x 32
  const TensorId t4 = net.conv(t1, {.channels = 32, .kernel = 3, .stride = 4});
  const TensorId t5 = net.conv(t3, {.channels = 16, .kernel = 1});
  const TensorId t6 = net.conv(t4, {.channels = 16, .kernel = 1});
  return net.finish({net.concat({t5, t6}, 3)});
}

}  // namespace thimble::zoo
