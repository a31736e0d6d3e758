// SPDX-License-Identifier: Apache-2.0
// What importers share, in a format that consists of this file.
#include "thimble/import/network_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/import/movements.h"
#include "thimble/import/refusal.h"
#include "thimble/import/section.h"
#include "thimble/import/unsupported.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;
using ::testing::ThrowsMessage;

Tensor tensor(std::string name, Shape shape) {
  return {.name = std::move(name),
          .shape = std::move(shape),
          .type = DType::kInt8,
          .quantization = {{0.5F}, {0}, 0},
          .data = nullptr};
}

TensorId id(int32_t number) { return {number}; }

/// x -> y, by operator 7 of the file.
struct OneOperator {
  OneOperator() : network("n", "f.x", {tensor("x", {2, 3}), tensor("y", {6})}, {id(0)}, {id(1)}) {
    network.begin({false, true});
  }
  [[nodiscard]] FileOp op() {
    return {.where = place_of("f.x", "FLATTEN", 7),
            .number = 7,
            .tensors = network.tensors(),
            .inputs = {id(0)},
            .outputs = {id(1)}};
  }
  NetworkBuilder network;
};

TEST(NetworkBuilder, GivesTheLastOperatorOfAnExpansionTheFilesNumber) {
  OneOperator one;
  const FileOp op = one.op();
  Expansion steps(op, one.network.tensors());
  finish_with(steps, rearranged(steps, input_of(op), {2, 3}, {1, 0}, {6}));
  one.network.add(steps.done(), op);
  one.network.check_outputs();
  const Graph graph = one.network.finish();
  std::vector<int> numbers;
  for (const Op& made : graph.ops) numbers.push_back(made.file_index);
  EXPECT_THAT(numbers, ElementsAre(-1, -1, -1, 7));
  EXPECT_EQ(graph.tensors[2].name, "y/0");
  EXPECT_EQ(graph.tensors[3].shape, (Shape{3, 2}));
}

TEST(NetworkBuilder, CopiesAnOutputThatIsAnInput) {
  NetworkBuilder network("n", "f.x", {tensor("x", {2})}, {id(0)}, {id(0)});
  network.begin({false});
  network.check_outputs();
  const Graph graph = network.finish();
  ASSERT_EQ(graph.ops.size(), 1U);
  EXPECT_EQ(graph.outputs[0].tensor, id(1));
}

TEST(NetworkBuilder, RefusesAnOutputThatNothingMakes) {
  OneOperator one;
  EXPECT_THAT(
      [&] { one.network.check_outputs(); },
      ThrowsMessage<ImportError>("f.x: network outputs: no operator computes tensor 1 'y'"));
}

TEST(NetworkBuilder, RefusesASecondWriter) {
  OneOperator one;
  const Op op{Reshape{}, {id(0)}, {id(1)}, 7};
  one.network.add(op, "f.x: FLATTEN #7");
  EXPECT_THAT([&] { one.network.add(op, "f.x: FLATTEN #8"); },
              ThrowsMessage<Damage>("f.x: FLATTEN #8: is damaged: it writes tensor 1 'y', which "
                                    "has a value already"));
}

TEST(NetworkBuilder, SaysWhatOperatorAndTensorAnErrorIsAbout) {
  OneOperator one;
  EXPECT_THAT([&] { (void)integers(one.op(), 0, "axes"); },
              ThrowsMessage<ImportError>("f.x: FLATTEN #7: its axes are of type int8; supported "
                                         "are int32 and int64"));
}

/// Operator k makes tensor k + 1 of tensor k, or `reads[k]`; the last is the output.
struct Chain : Listing {
  Chain(std::vector<int32_t> read, size_t refused) : reads(std::move(read)), unsupported(refused) {}
  [[nodiscard]] std::string where() const override { return "f.x"; }
  [[nodiscard]] std::vector<TensorId> inputs() const override { return {id(0)}; }
  [[nodiscard]] std::vector<TensorId> outputs() const override {
    return {outputs_of(op_count() - 1)};
  }
  [[nodiscard]] size_t tensor_count() const override { return op_count() + 1; }
  [[nodiscard]] std::string_view tensor_name(size_t t) const override { return t == 0 ? "x" : ""; }
  [[nodiscard]] size_t op_count() const override { return reads.size(); }
  [[nodiscard]] bool is_supported(size_t op) const override { return op != unsupported; }
  [[nodiscard]] std::vector<TensorId> inputs_of(size_t op) const override {
    return {id(reads[op])};
  }
  [[nodiscard]] std::vector<TensorId> outputs_of(size_t op) const override {
    return {id(static_cast<int32_t>(op) + 1)};
  }
  std::vector<int32_t> reads;
  size_t unsupported;
};

TEST(Section, LeavesOutWhatIsNotSupportedAndWhatReadsItWhereNothingNeedsIt) {
  EXPECT_THAT(section_of(Chain({0, 0, 2, 1}, 1), {}).ops, ElementsAre(0, 3));
  EXPECT_THAT(section_of(Chain({0, 0, 2, 3}, 1), {}).ops, ElementsAre(0, 1, 2, 3));
}

TEST(Section, HoldsWhatATensorNeeds) {
  const Section section = section_of(Chain({0, 1, 2, 3}, 9), {"2"});
  EXPECT_THAT(section.ops, ElementsAre(0, 1));
  EXPECT_THAT(section.tensors, ElementsAre(true, true, true, false, false));
}

TEST(UnsupportedOps, AreNamedWithTheirNumbers) {
  UnsupportedOps ops;
  for (const size_t number : {2, 3, 5, 8}) ops.add("WHERE", number);
  ops.add("RANGE", 4);
  EXPECT_THAT([&] { ops.refuse("f.x", 9, Help::kNone); },
              ThrowsMessage<Refusal>("f.x: WHERE #2: is not supported, as 5 of 9 operators: WHERE "
                                     "#2, #3, #5 and 1 more, RANGE #4; docs/supported_ops.md lists "
                                     "those that are"));
}

}  // namespace
}  // namespace thimble
