// SPDX-License-Identifier: Apache-2.0
// Random operators of the audio front end.
#pragma once

#include "tests/support/op_draw.h"

namespace thimble::testing {

class SignalDraw : public OpDraw {
 public:
  using OpDraw::OpDraw;

 protected:
  void make(const SignalWindow&);
  void make(const SignalAutoShift&);
  void make(const SignalShift&);
  void make(const SignalRfft&);
  void make(const SignalIrfft&);
  void make(const SignalEnergy&);
  void make(const SignalFilterBank&);
  void make(const SignalSquareRoot&);
  void make(const SignalNoise&);
  void make(const SignalSubtraction&);
  void make(const SignalPcan&);
  void make(const SignalLog&);

 private:
  /// Operands that are taken as they are.
  TensorId raw(const Shape& shape, DType type) { return tensor(shape, type, {}); }
  TensorId raw_constant(const Shape& shape, DType type);
  TensorId words(int64_t count) { return raw({count}, DType::kUInt32); }
  int32_t some_bits() { return static_cast<int32_t>(some(0, 31)); }
  int32_t some_factor() { return static_cast<int32_t>(some(0, 1 << 20)); }
};

}  // namespace thimble::testing
