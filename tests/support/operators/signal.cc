// SPDX-License-Identifier: Apache-2.0
// The audio front end.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/literal.h"
#include "tests/support/operators/op_draw.h"
#include "tests/support/operators/spoil.h"

namespace thimble::testing {

using namespace spoil;

namespace {

constexpr auto kShort = DType::kInt16, kWord = DType::kUInt32;

void as_int8(Graph& g, size_t i) { operand(g, i).type = DType::kInt8; }

TensorId raw_constant(OpDraw& draw, const Shape& shape, DType type) {
  const TensorId t = draw.raw(shape, type);
  draw.fill(t);
  return t;
}
TensorId words(OpDraw& draw, int64_t count) { return draw.raw({count}, kWord); }
int32_t some_bits(OpDraw& draw) { return static_cast<int32_t>(draw.some(0, 31)); }
int32_t some_factor(OpDraw& draw) { return static_cast<int32_t>(draw.some(0, 1 << 20)); }

}  // namespace

Graph literal_of(const SignalWindow&) {
  return Literal()
      .raw({2, 8}, kShort)
      .constant({8}, kShort, {})
      .raw({2, 8}, kShort)
      .op(SignalWindow{3});
}
Claims claims_of(const SignalWindow&) {
  return {.refusals = {
              {"the weights have 1 axis",
               [](Graph& g) {
                 set_shape(g, 1, {1, 8});
               }},
              {"inputs and output are int16", [](Graph& g) { as_int8(g, 0); }},
              {"the weights are a constant", [](Graph& g) { operand(g, 1).data = nullptr; }},
              {"a weight for each index",
               [](Graph& g) {
                 set_shape(g, 0, {2, 7});
               }},
              {"the shift is 0 to 31", [](Graph& g) { attributes<SignalWindow>(g).shift = 32; }}}};
}
void OpDraw::make(const SignalWindow&) {
  const TensorId x = raw(some_shape(1, 4), DType::kInt16);
  const TensorId weights = raw_constant(*this, {at(x).shape.back()}, DType::kInt16);
  op(SignalWindow{some_bits(*this)}, {x, weights}, DType::kInt16, {});
}

Graph literal_of(const SignalAutoShift& a) {
  return Literal().raw({8}, kShort).raw({}, DType::kInt32).op(a);
}
Claims claims_of(const SignalAutoShift&) {
  return {.refusals = {{"the output none", [](Graph& g) { output(g).shape = {1}; }},
                       {"the input is int16, the output int32", [](Graph& g) { as_int8(g, 0); }}}};
}
void OpDraw::make(const SignalAutoShift&) {
  op(SignalAutoShift{}, {raw({some(1, 20)}, DType::kInt16)}, DType::kInt32, {}, Shape{});
}

Graph literal_of(const SignalShift& a) {
  return Literal().raw({8}, kShort).raw({}, DType::kInt32).raw({8}, kShort).op(a);
}
Claims claims_of(const SignalShift&) {
  return {.refusals = {
              {"the shift none", [](Graph& g) { set_shape(g, 1, {1}); }},
              {"input and output are int16, the shift is int32", [](Graph& g) { as_int8(g, 1); }}}};
}
void OpDraw::make(const SignalShift&) {
  const TensorId x = raw({some(1, 20)}, DType::kInt16);
  op(SignalShift{}, {x, maybe_constant(raw({}, DType::kInt32), 0.3)}, DType::kInt16, {});
}

Graph literal_of(const SignalRfft&) {
  return Literal().raw({2, 8}, kShort).raw({2, 14}, kShort).op(SignalRfft{12});
}
Claims claims_of(const SignalRfft&) {
  return {.refusals = {
              {"input and output are int16", [](Graph& g) { as_int8(g, 0); }},
              {"no prime factor above 5", [](Graph& g) { attributes<SignalRfft>(g).size = 14; }},
              {"no prime factor above 5", [](Graph& g) { attributes<SignalRfft>(g).size = 2; }},
              {"no prime factor above 5", [](Graph& g) { attributes<SignalRfft>(g).size = 65536; }},
              {"is at most as long", [](Graph& g) {
                 set_shape(g, 0, {2, 13});
               }}}};
}
void OpDraw::make(const SignalRfft&) {
  Shape x = some_shape(1, 3);
  const auto size = static_cast<int32_t>(2 * some(2, 50));
  x.back() = some(1, size);
  op(SignalRfft{size}, {raw(x, DType::kInt16)}, DType::kInt16, {});
}

Graph literal_of(const SignalIrfft&) {
  return Literal().raw({2, 14}, kShort).raw({2, 12}, kShort).op(SignalIrfft{12});
}
Claims claims_of(const SignalIrfft&) {
  return {.refusals = {
              {"input and output are int16", [](Graph& g) { as_int8(g, 0); }},
              {"no prime factor above 5", [](Graph& g) { attributes<SignalIrfft>(g).size = 14; }},
              {"longer by 2", [](Graph& g) { attributes<SignalIrfft>(g).size = 10; }}}};
}
void OpDraw::make(const SignalIrfft&) {
  Shape x = some_shape(1, 3);
  const auto size = static_cast<int32_t>(2 * some(2, 50));
  x.back() = size + 2;
  op(SignalIrfft{size}, {raw(x, DType::kInt16)}, DType::kInt16, {});
}

Graph literal_of(const SignalEnergy&) {
  return Literal().raw({8}, kShort).raw({4}, kWord).op(SignalEnergy{1, 3});
}
Claims claims_of(const SignalEnergy&) {
  return {.refusals = {{"inputs and output have 1 axis",
                        [](Graph& g) {
                          set_shape(g, 0, {2, 4});
                        }},
                       {"the input is int16, the output uint32", [](Graph& g) { as_int8(g, 0); }},
                       {"pairs of numbers", [](Graph& g) { set_shape(g, 0, {9}); }},
                       {"at most the number of pairs",
                        [](Graph& g) { attributes<SignalEnergy>(g).end = 5; }},
                       {"at most the number of pairs",
                        [](Graph& g) { attributes<SignalEnergy>(g).begin = -1; }}}};
}
void OpDraw::make(const SignalEnergy&) {
  const int64_t count = some(1, 12), begin = some(0, count);
  op(SignalEnergy{static_cast<int32_t>(begin), static_cast<int32_t>(some(begin, count))},
     {raw({2 * count}, DType::kInt16)}, DType::kUInt32, {});
}

Graph literal_of(const SignalFilterBank& a) {
  Literal literal;
  literal.raw({600}, kWord);
  for (const int64_t count : {600, 600, 4, 4, 4}) literal.constant({count}, kShort, {});
  return literal.raw({3}, DType::kUInt64).op(a);
}
Claims claims_of(const SignalFilterBank&) {
  return {.refusals = {
              {"there are 6 inputs", [](Graph& g) { op(g).inputs.pop_back(); }},
              {"the output uint64", [](Graph& g) { as_int8(g, 0); }},
              {"all but the input are constants", [](Graph& g) { operand(g, 4).data = nullptr; }},
              {"bands lie inside", [](Graph& g) { set_shape(g, 0, {513}); }}}};
}
void OpDraw::make(const SignalFilterBank&) {
  const int64_t bands = some(2, 9), energies = some(1, 20), weights = some(1, 40);
  std::vector<int16_t> first_energy, first_weight, counts;
  for (int64_t k = 0; k < bands; ++k) {
    const int64_t energy = some(0, energies), weight = some(0, weights);
    first_energy.push_back(static_cast<int16_t>(energy));
    first_weight.push_back(static_cast<int16_t>(weight));
    counts.push_back(static_cast<int16_t>(some(0, std::min(energies - energy, weights - weight))));
  }
  std::vector<TensorId> inputs{words(*this, energies),
                               raw_constant(*this, {weights}, DType::kInt16),
                               raw_constant(*this, {weights}, DType::kInt16)};
  for (const std::vector<int16_t>& values : {first_energy, first_weight, counts}) {
    inputs.push_back(raw({bands}, DType::kInt16));
    Bytes bytes(values.size() * sizeof(int16_t));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    graph_.tensor(inputs.back()).data = std::make_shared<const Bytes>(std::move(bytes));
  }
  op(SignalFilterBank{}, inputs, DType::kUInt64, {});
}

Graph literal_of(const SignalSquareRoot& a) {
  return Literal().raw({8}, DType::kUInt64).raw({}, DType::kInt32).raw({8}, kWord).op(a);
}
Claims claims_of(const SignalSquareRoot&) {
  return {.refusals = {{"the shift int32, the output uint32", [](Graph& g) { as_int8(g, 1); }}}};
}
void OpDraw::make(const SignalSquareRoot&) {
  const TensorId x = raw({some(1, 20)}, DType::kUInt64);
  op(SignalSquareRoot{}, {x, maybe_constant(raw({}, DType::kInt32), 0.3)}, DType::kUInt32, {});
}

Graph literal_of(const SignalNoise&) {
  return Literal()
      .raw({8}, kWord)
      .raw({8}, kWord)
      .raw({8}, kWord)
      .op(SignalNoise{{400, 980}, {15984, 15404}, 10, 14, false});
}
Claims claims_of(const SignalNoise&) {
  return {.refusals = {{"inputs and output are uint32", [](Graph& g) { as_int8(g, 0); }},
                       {"both inputs have the same shape", [](Graph& g) { set_shape(g, 1, {7}); }},
                       {"smoothing is not negative",
                        [](Graph& g) { attributes<SignalNoise>(g).one_minus_smoothing[1] = -1; }},
                       {"smoothing is not negative",
                        [](Graph& g) { attributes<SignalNoise>(g).bits = 32; }}}};
}
void OpDraw::make(const SignalNoise&) {
  const int64_t count = some(1, 20);
  op(SignalNoise{{some_factor(*this), some_factor(*this)},
                 {some_factor(*this), some_factor(*this)},
                 some_bits(*this),
                 some_bits(*this),
                 maybe(0.5)},
     {words(*this, count), words(*this, count)}, DType::kUInt32, {});
}

Graph literal_of(const SignalSubtraction&) {
  return Literal()
      .raw({8}, kWord)
      .raw({8}, kWord)
      .raw({8}, kWord)
      .op(SignalSubtraction{819, 10, 14});
}
Claims claims_of(const SignalSubtraction&) {
  return {.refusals = {{"what remains is not negative",
                        [](Graph& g) { attributes<SignalSubtraction>(g).smoothing_bits = -1; }}}};
}
void OpDraw::make(const SignalSubtraction&) {
  const int64_t count = some(1, 20);
  op(SignalSubtraction{some_factor(*this), some_bits(*this), some_bits(*this)},
     {words(*this, count), words(*this, count)}, DType::kUInt32, {});
}

Graph literal_of(const SignalPcan&) {
  return Literal()
      .raw({8}, kWord)
      .raw({8}, kWord)
      .constant({125}, kShort, {})
      .raw({8}, kWord)
      .op(SignalPcan{6});
}
Claims claims_of(const SignalPcan&) {
  return {.refusals = {
              {"3 inputs: signal, noise and gains", [](Graph& g) { op(g).inputs.pop_back(); }},
              {"the gains int16", [](Graph& g) { as_int8(g, 1); }},
              {"the gains are a constant", [](Graph& g) { operand(g, 2).data = nullptr; }},
              {"there are 125 gains",
               [](Graph& g) {
                 set_shape(g, 2, {124});
                 operand(g, 2).data = std::make_shared<Bytes>(248);
               }},
              {"the shift is 0 to 63", [](Graph& g) { attributes<SignalPcan>(g).shift = 64; }}}};
}
void OpDraw::make(const SignalPcan&) {
  const int64_t count = some(1, 20);
  const TensorId signal = words(*this, count), noise = words(*this, count);
  op(SignalPcan{static_cast<int32_t>(some(0, 63))},
     {signal, noise, raw_constant(*this, {125}, DType::kInt16)}, DType::kUInt32, {});
}

Graph literal_of(const SignalLog&) {
  return Literal().raw({8}, kWord).raw({8}, kShort).op(SignalLog{64, 3});
}
Claims claims_of(const SignalLog&) {
  return {.refusals = {{"the input is uint32, the output int16", [](Graph& g) { as_int8(g, 0); }},
                       {"the correction 0 to 31 bits",
                        [](Graph& g) { attributes<SignalLog>(g).scale = -1; }}}};
}
void OpDraw::make(const SignalLog&) {
  op(SignalLog{static_cast<int32_t>(some(0, 0x7FFFFFFF)), some_bits(*this)},
     {words(*this, some(1, 20))}, DType::kInt16, {});
}

}  // namespace thimble::testing
