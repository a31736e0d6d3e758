// SPDX-License-Identifier: Apache-2.0
// Metadata "OfflineMemoryAllocation": what is read of it, and what is refused.
#include <gmock/gmock.h>

#include "tests/import/tflite_builder.h"
#include "thimble/import/tflite.h"
#include "thimble/import/tflite/interpreter_tensors.h"
#include "thimble/interpreter/arena.h"
#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;

/// Four activations of 64 B one after the other (tensors 0 to 3), with this metadata.
Bytes chain(const std::vector<int32_t>& words, int copies = 1) {
  TfliteBuilder net;
  std::vector<int32_t> tensors;
  for (int k = 0; k < 4; ++k) tensors.push_back(net.tensor({1, 64}));
  for (size_t k = 1; k < 4; ++k)
    net.op(tflite::BuiltinOperator::RELU, {tensors[k - 1]}, {tensors[k]});
  net.inputs({tensors[0]});
  net.outputs({tensors[3]});
  for (int k = 0; k < copies; ++k) {
    auto entry = std::make_unique<tflite::MetadataT>();
    entry->name = kOfflinePlanName;
    entry->buffer = static_cast<uint32_t>(net.model.buffers.size());
    net.model.metadata.push_back(std::move(entry));
    net.model.buffers.push_back(std::make_unique<tflite::BufferT>());
    net.model.buffers.back()->data = bytes_of(words);
  }
  return net.bytes();
}

std::string refusal(const Bytes& file) {
  try {
    (void)import_tflite(file, "net", "net.tflite");
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

TEST(OfflinePlan, IsWhatTheArenaFollows) {
  const InterpreterArena arena = interpreter_arena(chain({1, 0, 4, 0, 64, 0, 128}), "net");
  EXPECT_EQ(arena.greedy_bytes, 128);
  EXPECT_EQ(arena.offline_bytes, 192);
  // Tensors 1 and 3 are the interpreter's to place: around the others.
  EXPECT_EQ(interpreter_arena(chain({1, 0, 4, 0, -1, 0, -1}), "net").offline_bytes, 128);
  EXPECT_EQ(refusal(chain({0, 1, 4, 0, 64, 0, 128, 0, 0})), "") << "older, and padded";
}

TEST(OfflinePlan, IsRefusedWhereItIsMalformed) {
  EXPECT_THAT(refusal(chain({1, 0})), HasSubstr("metadata 'OfflineMemoryAllocation': has 8 bytes"));
  EXPECT_THAT(refusal(chain({7, 0, 4, 0, 64, 0, 64})), HasSubstr("has version 7"));
  EXPECT_THAT(refusal(chain({1, 5, 4, 0, 64, 0, 64})), HasSubstr("is of subgraph 5"));
  EXPECT_THAT(refusal(chain({1, 0, 3, 0, 64, 0})), HasSubstr("is of 3 tensors; the file has 4"));
  EXPECT_THAT(refusal(chain({1, 0, 4, 0, 64})), HasSubstr("ends after 2 of 4 offsets"));
  EXPECT_THAT(refusal(chain({1, 0, 4, 0, 72, 0, 64})), HasSubstr("places tensor 1 at 72; offsets"));
  EXPECT_THAT(refusal(chain({1, 0, 4, 0, -2, 0, 64})), HasSubstr("places tensor 1 at -2"));
  EXPECT_THAT(refusal(chain({1, 0, 4, 0, 48, 0, 64})),
              HasSubstr("tensors 0 and 1 overlap, and both are needed by operator 0"));
  EXPECT_THAT(refusal(chain({1, 0, 4, 0, 64, 64, 0})),
              HasSubstr("tensors 1 and 2 overlap, and both are needed by operator 1"));
  EXPECT_THAT(refusal(chain({1, 0, 4, 0, 64, 0, 64}, 2)), HasSubstr("more than once"));
}

}  // namespace
}  // namespace thimble::testing
