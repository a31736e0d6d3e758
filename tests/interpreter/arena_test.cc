// SPDX-License-Identifier: Apache-2.0
// The arena as computed, beside what the interpreter was measured to take (bench/baseline.md of the
// shared data, with CMSIS-NN): tensors exactly, but for one network's scratch of those kernels; its
// structures within 4 %.
#include "thimble/interpreter/arena.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/import/file_bytes.h"

namespace thimble {
namespace {

TEST(InterpreterArena, IsWhatTheInterpreterTakes) {
  THIMBLE_NEEDS_SHARED();
  struct Measured {
    const char* model;
    int64_t tensors, structures, scratch = 0;  ///< of CMSIS-NN, in no gap
  };
  for (const Measured& m :
       std::initializer_list<Measured>{{"ad01_int8", 768, 1812},
                                       {"kws_ref_model", 16000, 6820},
                                       {"person_detect", 55296, 27012},
                                       {"vww_96_int8", 73728, 26980},
                                       {"pretrainedResnet_quant", 49728, 5268, 576},
                                       {"tinyengine_vww", 161472, 58336},
                                       {"mcunetv2_large", 2451840, 150272},
                                       {"mobilenet_v2", 2451840, 148756}}) {
    const Bytes file = read_file(testing::model_path(m.model), int64_t{1} << 30);
    const InterpreterArena arena = interpreter_arena(file, m.model);
    EXPECT_EQ(arena.greedy_bytes, m.tensors - m.scratch) << m.model;
    EXPECT_LT(std::abs(arena.structures_bytes - m.structures) * 25, m.structures) << m.model;
    EXPECT_FALSE(arena.offline_bytes) << m.model;
  }
}

}  // namespace
}  // namespace thimble
