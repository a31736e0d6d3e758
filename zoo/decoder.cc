// SPDX-License-Identifier: Apache-2.0
// A decoder as LLaMA has it (Touvron et al. 2023), one token an inference: RMS norms (Zhang and
// Sennrich 2019), rotary positions (Su et al. 2021, "RoFormer"), queries in groups (Ainslie et al.
// 2023, "GQA"), gated units (Shazeer 2020, "GLU variants improve transformer"). Keys and values of
// the tokens before are states, and so is their number: a reset begins a new text.
//
//   x = embedding[token];  per layer: x += attention(norm(x)), x += unit(norm(x));  head(norm(x))
#include <fmt/format.h>

#include <cmath>

#include "thimble/model/error.h"
#include "zoo/attention.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

constexpr float kEpsilon = 1e-5F;
constexpr double kBase = 10'000;  ///< for the wavelengths, RoFormer's

struct Decoder {
  int64_t layers, width, heads, kv_heads, hidden, context, vocabulary;

  [[nodiscard]] int64_t head_width() const { return width / heads; }
  [[nodiscard]] int64_t groups() const { return heads / kv_heads; }  ///< queries for each key
};

/// What all layers ask of the token's position in the text.
struct Position {
  TensorId cos, sin;  ///< [1, width of a head]; the first half of sin is negated
  TensorId begins;    ///< where in a cache it goes
  TensorId filled;    ///< bool [context]: there is a token, this one included
};

/// [context, width of a head]: both halves have one angle, the first the sign besides.
std::vector<float> rotary_table(const Decoder& d, double (*function)(double), double first_sign) {
  const int64_t half = d.head_width() / 2;
  std::vector<float> values;
  for (int64_t position = 0; position < d.context; ++position) {
    for (int64_t k = 0; k < d.head_width(); ++k) {
      const double exponent = static_cast<double>(k % half) / static_cast<double>(half);
      const double angle = static_cast<double>(position) / std::pow(kBase, exponent);
      values.push_back(static_cast<float>((k < half ? first_sign : 1) * function(angle)));
    }
  }
  return values;
}

/// Counts the tokens, which a reset sets to 0. Behind the last row there is no more: each token
/// takes the place of the one before, since GATHER and DYNAMIC_UPDATE_SLICE stay within.
Position next_position(Builder& net, const Decoder& d) {
  const TensorId position = net.state("position", {1}, DType::kInt32);
  net.keep(position, net.add(position, net.integers("one", {1})));
  const Shape extents{d.context, d.head_width()};
  const auto rotation = [&](const char* name, double (*function)(double), double first_sign) {
    return net.gather(net.table(name, extents, rotary_table(d, function, first_sign)), position);
  };
  std::vector<int32_t> rows;
  for (int64_t row = 0; row < d.context; ++row) rows.push_back(static_cast<int32_t>(row));
  return {.cos = rotation("cos", std::cos, 1),
          .sin = rotation("sin", std::sin, -1),
          .begins = net.mul(position, net.integers("row_axis", {0, 1, 0})),
          .filled = net.compare(Relation::kLessEqual, net.integers("rows", rows), position)};
}

/// Turns pairs (k, k + half) of each head: x cos + (second half, first half) (-sin, sin).
TensorId rotated(Builder& net, TensorId x, const Position& position) {
  Shape extents = net.shape(x);
  const int last = static_cast<int>(extents.size()) - 1;
  extents.back() /= 2;
  const int64_t half = extents.back();
  const TensorId first = net.slice(x, {0, 0, 0}, extents);
  const TensorId second = net.slice(x, {0, 0, half}, extents);
  const TensorId turned = net.mul(net.concat({second, first}, last), position.sin);
  return net.add(net.mul(x, position.cos), turned);
}

/// The cache with this token's row: [heads of keys, context, width of a head].
TensorId cached(Builder& net, const char* name, TensorId row, const Position& position,
                const Decoder& d) {
  const TensorId before = net.state(name, {d.kv_heads, d.context, d.head_width()});
  const TensorId after = net.update_slice(before, row, position.begins);
  net.keep(before, after);
  return after;
}

/// x: [1, width]. A head of keys is of a group of queries.
TensorId cached_attention(Builder& net, TensorId x, const Position& position, const Decoder& d) {
  constexpr float kMasked = -40;  // against scores of a deviation of 6 (calibrate.cc), nothing
  const Shape grouped{d.kv_heads, d.groups(), d.head_width()};
  const Shape row{d.kv_heads, 1, d.head_width()};
  const int64_t kv_width = d.kv_heads * d.head_width();
  const TensorId queries = rotated(net, net.reshape(linear(net, x, d.width), grouped), position);
  const TensorId key = rotated(net, net.reshape(linear(net, x, kv_width), row), position);
  const TensorId value = net.reshape(linear(net, x, kv_width), row);
  const TensorId keys = cached(net, "keys", key, position, d);
  const TensorId values = cached(net, "values", value, position, d);
  const double scale = 1 / std::sqrt(static_cast<double>(d.head_width()));
  const TensorId scores = net.mul(net.batch_matmul(queries, keys, true),
                                  net.number("scale", static_cast<float>(scale)));
  const TensorId masked = net.select(position.filled, scores, net.number("masked", kMasked));
  const TensorId attended = net.batch_matmul(net.softmax(masked), values);
  return linear(net, net.reshape(attended, {1, d.width}), d.width);
}

/// SwiGLU: silu(gate) up, projected.
TensorId gated_unit(Builder& net, TensorId x, const Decoder& d) {
  const TensorId gate = linear(net, x, d.hidden), up = linear(net, x, d.hidden);
  const TensorId silu = net.mul(gate, net.sigmoid(gate));
  return linear(net, net.mul(silu, up), d.width);
}

void check_decoder(const std::string& name, const Decoder& d) {
  check_heads(name, {1, d.width, d.heads});
  if (d.heads % d.kv_heads != 0) {
    throw CompileError("zoo:" + name, fmt::format("the heads, {}, are no multiple of kv_heads, {}",
                                                  d.heads, d.kv_heads));
  }
  if (d.head_width() % 2 != 0) {
    throw CompileError("zoo:" + name,
                       fmt::format("a head of {} channels, width / heads, has no halves to rotate",
                                   d.head_width()));
  }
}

Graph decoder(const std::string& name, const Parameters& parameters) {
  const Decoder d{.layers = parameters.integer("layers"),
                  .width = parameters.integer("width"),
                  .heads = parameters.integer("heads"),
                  .kv_heads = parameters.integer("kv_heads"),
                  .hidden = parameters.integer("hidden"),
                  .context = parameters.integer("context"),
                  .vocabulary = parameters.integer("vocabulary")};
  check_decoder(name, d);
  Builder net(name, 2023);
  const TensorId token = net.index_input();
  const Position position = next_position(net, d);
  TensorId x = net.gather(net.random_table("embedding", {d.vocabulary, d.width}), token);
  for (int64_t layer = 0; layer < d.layers; ++layer) {
    net.scope(fmt::format("layer_{}", layer));
    x = net.add(x, cached_attention(net, rms_norm(net, x, kEpsilon), position, d));
    x = net.add(x, gated_unit(net, rms_norm(net, x, kEpsilon), d));
  }
  net.scope("");
  return net.finish({linear(net, rms_norm(net, x, kEpsilon), d.vocabulary)});
}

}  // namespace

std::vector<Network> decoder_networks() {
  return {{"decoder",
           "one token of a decoder as LLaMA has it; caches of keys and values are states",
           {whole_number("layers", 6, 1, 64, "attention and gated unit"),
            whole_number("width", 256, 2, 4096, "channels of a token"),
            whole_number("heads", 8, 1, 64, "with queries; divides the width"),
            whole_number("kv_heads", 4, 1, 64, "with keys and values; divides the heads"),
            whole_number("hidden", 704, 1, 16384, "channels of the gated unit"),
            whole_number("context", 64, 1, 4095, "tokens that the caches hold"),
            whole_number("vocabulary", 1024, 2, 65536, "different tokens")},
           decoder}};
}

}  // namespace thimble::zoo
