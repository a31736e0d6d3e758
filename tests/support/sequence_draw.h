// SPDX-License-Identifier: Apache-2.0
// Random operators that go through a sequence.
#pragma once

#include "tests/support/signal_draw.h"

namespace thimble::testing {

class SequenceDraw : public SignalDraw {
 public:
  using SignalDraw::SignalDraw;

 protected:
  using SignalDraw::make;
  void make(const SvdfFeatures&);
  void make(const ShiftIn&);
  void make(const SvdfOutput&);
  void make(const Lstm&);

 private:
  /// Weights of float32, or of int8.
  void make_float_lstm(int64_t batch, int64_t times, int64_t inputs, int64_t units);
};

}  // namespace thimble::testing
