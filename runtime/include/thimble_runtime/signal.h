// SPDX-License-Identifier: Apache-2.0
// Kernels of the audio front end of TensorFlow Lite Micro: integers as they are, without a scale.
// Where a shift is an operand, it counts modulo 32.
#pragma once

#include "thimble_runtime/parameters.h"
#include "thimble_runtime/view.h"

namespace thimble::runtime {

/// Samples times weights, both int16, shifted right, within int16. Broadcast operands have stride
/// 0. progress: element.
struct SignalWindowParams {
  int32_t shift;
};
void signal_window(const SignalWindowParams& p, const View& x, const View& weights, const View& out,
                   const Region& region) noexcept;

/// How far to the left the largest magnitude of all channels of x can go within int16; out has one
/// channel, int32. progress: none.
struct SignalAutoShiftParams {
  int32_t samples;
};
void signal_auto_shift(const SignalAutoShiftParams& p, const View& x, const View& out,
                       const Region& region) noexcept;

/// The low 16 bits of samples of int16, shifted left by a number of int32. Broadcast operands have
/// stride 0. progress: element.
void signal_shift(const View& x, const View& shift, const View& out, const Region& region) noexcept;

/// The frequencies 0 to size / 2 of the samples and zeros behind them: channels are real and
/// imaginary parts in turn, int16. The transform is made where its result stands. progress: none.
struct SignalRfftParams {
  const int16_t* twiddles;  ///< [size / 2][2], of the complex transform; then [size / 4][2]
  int32_t samples, size;
};
void signal_rfft(const SignalRfftParams& p, const View& x, const View& out,
                 const Region& region) noexcept;

/// The `size` samples of the frequencies 0 to size / 2: channels of x are real and imaginary parts
/// in turn, int16; the twiddles are those of the inverse. The transform is made where its result
/// stands. progress: none.
void signal_irfft(const SignalRfftParams& p, const View& x, const View& out,
                  const Region& region) noexcept;

/// Channel c (uint32) from the channels 2 c and 2 c + 1 of x (int16): the sum of their squares for
/// c in [begin, end), 0 elsewhere. progress: none.
struct SignalEnergyParams {
  int32_t begin, end;
};
void signal_energy(const SignalEnergyParams& p, const View& x, const View& out,
                   const Region& region) noexcept;

/// Channel c (uint64): channels of x (uint32) in band c with their unweights, and in band c + 1
/// with their weights, summed modulo 2^64. progress: none.
struct SignalFilterBankParams {
  const int16_t* weights;
  const int16_t* unweights;
  const int16_t* bands;  ///< [channel + 1][3]: first channel of x, first weight, their number
};
void signal_filter_bank(const SignalFilterBankParams& p, const View& x, const View& out,
                        const Region& region) noexcept;

/// Rounded square roots (uint32) of uint64, shifted right by a number of int32. Broadcast operands
/// have stride 0. progress: element.
void signal_square_root(const View& x, const View& shift, const View& out,
                        const Region& region) noexcept;

/// The estimate of the noise (uint32) in a signal, from the one before. Pairs: even channels, odd
/// ones. progress: element.
struct SignalNoiseParams {
  int32_t smoothing[2], one_minus_smoothing[2];
  int32_t smoothing_bits, bits;
  int32_t clamping;  ///< 1: at most the signal
};
void signal_noise(const SignalNoiseParams& p, const View& x, const View& before, const View& out,
                  const Region& region) noexcept;

/// What of a signal is above its noise, and at least a share of it (uint32). progress: element.
struct SignalSubtractionParams {
  int32_t min_signal_remaining, smoothing_bits, bits;
};
void signal_subtraction(const SignalSubtractionParams& p, const View& x, const View& noise,
                        const View& out, const Region& region) noexcept;

/// A signal times the gain of its noise, shifted right and shrunk (uint32). progress: element.
struct SignalPcanParams {
  const int16_t* gains;  ///< [125]: of noise 0, 1 and 2; per power of two a parabola and a gap
  int32_t shift;
};
void signal_pcan(const SignalPcanParams& p, const View& x, const View& noise, const View& out,
                 const Region& region) noexcept;

/// Scaled natural logarithms (int16) of uint32, shifted left before; 0 of 0 and 1. progress:
/// element.
struct SignalLogParams {
  const int16_t* table;  ///< [129]: log2(1 + i / 128) - i / 128 in 1/65536
  int32_t scale, correction_bits;
};
void signal_log(const SignalLogParams& p, const View& x, const View& out,
                const Region& region) noexcept;

}  // namespace thimble::runtime
