// SPDX-License-Identifier: Apache-2.0
// Attributes of operators over time (attributes.h).
#pragma once

#include <cstdint>
#include <memory>

#include "thimble/model/activation.h"

namespace thimble {

struct Graph;

/// What SVDF makes of its input at this time. inputs: x [B,K], weights [F,K], constant. output
/// [B,F,1], the newest column of the state: int8, where the zero point is added after the clamp and
/// wraps around, int16 or float32.
struct SvdfFeatures {
  bool operator==(const SvdfFeatures&) const = default;
};

/// inputs: a state with M indices along `axis`, which is not negative, and what is new, which has K
/// of these and no other extent that differs. output: the state later: its indices [K, M), then the
/// new ones.
struct ShiftIn {
  int axis = 0;
  bool operator==(const ShiftIn&) const = default;
};

/// The rest of SVDF. inputs: state [B,F,M], weights over time [F,M] of its type, bias [U], both
/// constant. output [B,U]: unit u sums the products of the filters [u F/U, (u+1) F/U).
struct SvdfOutput {
  Activation activation = Activation::kNone;  ///< of float32 alone
  bool operator==(const SvdfOutput&) const = default;
};

/// A layer of long short-term memory over a sequence. inputs: x [B,T,K]; state [B,3H], a row of
/// which is the hidden state (H int8), then the bytes of the cell state (H int16, symmetric); then
/// constants of the gates input, forget, cell, output: weights [4,H,K] of x, with a scale for each
/// gate, weights [4,H,H] of the hidden state likewise, bias [4,H]. output [B,TH+2H]: the hidden
/// state after each time, then the bytes of the cell state, so that its last 3H are the new state.
/// In float32 the cell state has H elements: state [B,2H], output [B,TH+H].
struct Lstm {
  float cell_scale = 0;   ///< a power of two; 0 in float32
  int32_t cell_clip = 0;  ///< of the quantised cell state, in both directions; 0: none
  float real_clip = 0;    ///< of that in float32
  bool reverse = false;   ///< the last time comes first; float32 alone
  bool operator==(const Lstm&) const = default;
};

/// What a unit of a Recurrent makes of its gates. Each gate has the sum s of its bias and of the
/// products of its weights with x and with the hidden state h.
enum class Cell : uint8_t {
  kTanh,            ///< one gate: tanh(s)
  kRelu,            ///< one gate: max(s, 0)
  kGru,             ///< (1 - u) tanh(sx + r sh) + u h: sx, sh are the parts of x and of h
  kGruResetBefore,  ///< (1 - u) tanh(s) + u h, where s has the products with r h, of all units
};

/// Update u, reset r (both logistic), candidate; or one.
constexpr int64_t gates_of(Cell cell) { return cell == Cell::kTanh || cell == Cell::kRelu ? 1 : 3; }
/// Those of the gates; kGru's last one is that of sx, and one of sh follows.
constexpr int64_t biases_of(Cell cell) { return gates_of(cell) + (cell == Cell::kGru ? 1 : 0); }

/// A layer with a hidden state over a sequence, in float32. inputs: x [B,T,K]; the hidden state
/// before [B,H]; then constants: weights [G,H,K] of x, weights [G,H,H] of the hidden state, biases
/// [biases_of(cell),H]. output [B,T,H]: the hidden state after each time.
struct Recurrent {
  Cell cell = Cell::kTanh;
  bool reverse = false;  ///< the last time comes first
  bool operator==(const Recurrent&) const = default;
};

/// A layer over one sequence whose step is a network: RNN, GRU and LSTM of int8, operator by
/// operator as converters write them. inputs: x [1,T,K]; the states before, one behind the other,
/// [1,S]. output [1,T,H]: the first state after each time. int8.
struct StepLoop {
  /// inputs: x at one time, then the states before, [..,K] of one row each; outputs: the states
  /// after.
  std::shared_ptr<const Graph> step;
  bool reverse = false;     ///< the last time comes first
  bool last_alone = false;  ///< the output is [1,1,H]: the first state after all times
  bool operator==(const StepLoop&) const = default;
};

}  // namespace thimble
