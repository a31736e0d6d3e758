// SPDX-License-Identifier: Apache-2.0
// Tensors that no converter writes, from flatbuffers made by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tflite_builder.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

using tflite::TensorType;

/// A model of those tensors and one operator without operands: refused at the latest for its
/// inputs.
std::string message_of(flatbuffers::FlatBufferBuilder& builder,
                       const std::vector<flatbuffers::Offset<tflite::Tensor>>& tensors) {
  const std::vector ops = {tflite::CreateOperator(builder)};
  const std::vector networks = {tflite::CreateSubGraph(builder, builder.CreateVector(tensors), 0, 0,
                                                       builder.CreateVector(ops))};
  const std::vector codes = {tflite::CreateOperatorCode(builder)};
  const std::vector buffers = {tflite::CreateBuffer(builder)};
  const auto model =
      tflite::CreateModel(builder, 3, builder.CreateVector(codes), builder.CreateVector(networks),
                          0, builder.CreateVector(buffers));
  tflite::FinishModelBuffer(builder, model);
  try {
    (void)import_tflite({builder.GetBufferPointer(), builder.GetSize()}, "net", "net.tflite");
  } catch (const CompileError& error) {
    return error.what();
  }
  return "(imported)";
}

TEST(TfliteParameterRefusal, DataNamedOverAndOver) {
  flatbuffers::FlatBufferBuilder builder;
  const auto name = builder.CreateString(std::string(100'000, 'n'));
  const std::vector tensors(1000, tflite::CreateTensor(builder, 0, TensorType::INT8, 0, name));
  EXPECT_EQ(message_of(builder, tensors),
            "net.tflite: is damaged: its tensors name the same data over and over");
}

/// The verifier lets elements of 8 bytes stand at multiples of 4; UBSan sees a load from there.
TEST(TfliteParameterRefusal, MisalignedZeroPointsAreStillRead) {
  for (const int words_in_front : {0, 1}) {
    flatbuffers::FlatBufferBuilder builder;
    const auto scales = builder.CreateVector(std::vector<float>{1.0F});
    builder.StartVector(2, 4);  // two words that are then called one int64: 999
    builder.PushElement<uint32_t>(0);
    builder.PushElement<uint32_t>(999);
    const flatbuffers::Offset<flatbuffers::Vector<int64_t>> zero_points(builder.EndVector(1));
    // The builder works towards the front: what comes later shifts the vector.
    for (int i = 0; i < words_in_front; ++i) builder.PushElement<uint32_t>(0);
    const auto quantization =
        tflite::CreateQuantizationParameters(builder, 0, 0, scales, zero_points);
    const std::vector tensors = {
        tflite::CreateTensor(builder, 0, TensorType::INT8, 0, 0, quantization)};
    EXPECT_EQ(message_of(builder, tensors),
              "net.tflite: tensor 0 '': is damaged: zero point 999 is outside of int8");
  }
}

}  // namespace
}  // namespace thimble::testing
