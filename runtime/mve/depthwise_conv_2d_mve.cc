// SPDX-License-Identifier: Apache-2.0
// A few rows of outputs at a time, if scratch has room for the inputs of whole ones: all of these
// are put into planes (depthwise_planes.h) before the first output is written. Else a strip of a
// row.
#include "../portable/convolve.h"
#include "depthwise_planes.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {
namespace {

class PlaneConvolution {
 public:
  /// None of the region's axes is empty.
  PlaneConvolution(const DepthwiseConv2DParams& p, const View& x, const View& out,
                   const Region& region, int8_t* scratch) noexcept
      : p_(p),
        w_(p.window),
        x_(x),
        out_(out),
        region_(region),
        weights_(scratch),
        strips_(depthwise_strips(p, region.end[2] - region.begin[2])) {
    count_ = region.end[3] - region.begin[3];
    first_in_ = p.multiplier == 1 ? region.begin[3] : region.begin[3] / p.multiplier;
    const int32_t last = p.multiplier == 1 ? region.end[3] - 1 : (region.end[3] - 1) / p.multiplier;
    channels_ = last + 1 - first_in_;
    blocks_.out_pitch = out.stride[3];
    blocks_.zero_point = p.output_zero_point;
    blocks_.clamp_min = p.clamp_min;
    blocks_.clamp_max = p.clamp_max;
    blocks_.rounding =
        p.clamp_min < p.output_zero_point ? 1 : 0;  // else a clamp does what is below
    if (THIMBLE_USES_FLOAT_SCALES && *p.scales.shifts == kFloatShift) blocks_.rounding = 2;
  }

  void run() noexcept {
    pack_weights();
    for (int32_t n = region_.begin[0]; n < region_.end[0]; ++n) {
      int32_t rows;
      for (int32_t y = region_.begin[1]; y < region_.end[1]; y += rows) {
        const int32_t left = region_.end[1] - y;
        rows = left < strips_.planes.rows ? left : strips_.planes.rows;
        if (out_.modulus != 0) rows = 1;
        for (int32_t at = region_.begin[2]; at < region_.end[2]; at += outputs_) {
          const int32_t count = outputs_from(n, y, at);
          if (at != begin_ || count != outputs_) set_strip(at, count);
          compute_rows(n, y, rows);
        }
      }
    }
  }

 private:
  void pack_weights() noexcept {
    const int32_t before = (strips_.planes.rows - 1) * w_.stride_h;
    weights_pitch_ = depthwise_plane_weights(w_, strips_.planes);
    planes_data_ = weights_ + p_.out_channels * weights_pitch_;
    fill_bytes(weights_, 0, count_ * weights_pitch_);
    for (int32_t ky = 0; ky < w_.kernel_h; ++ky) {
      pack_columns({p_.weights + ky * w_.kernel_w * p_.out_channels + region_.begin[3],
                    weights_ + before + ky, w_.kernel_w, p_.out_channels, strips_.planes.slots,
                    count_, weights_pitch_});
    }
  }

  // That there is room for, and that a ring holds side by side.
  [[nodiscard]] int32_t outputs_from(int32_t n, int32_t y, int32_t at) const noexcept {
    const int32_t left = region_.end[2] - at;
    const int32_t count = left < strips_.outputs ? left : strips_.outputs;
    if (out_.modulus == 0) return count;
    return taps_before_wrap(out_, pixel<const int8_t>(out_, n, y, at), count, out_.stride[2]);
  }

  void set_strip(int32_t begin, int32_t count) noexcept {
    begin_ = begin;
    origin_ = begin * w_.stride_w - w_.pad_left;
    columns_ = (count - 1) * w_.stride_w + w_.kernel_w;
    pitch_ = columns_ * strips_.planes.slots;
    padded_ = false;
    outputs_ = count;
    blocks_.window_step = w_.stride_w * strips_.planes.slots;
  }

  [[gnu::noinline]] void compute_rows(int32_t n, int32_t y, int32_t rows) noexcept {
    pack_rows(n, y, rows);
    if (rows > 1 && strips_.planes.vectors == 1 && strips_.planes.rows == 3) {
      set_columns(rows);
      compute(n, y, weights_);
      return;
    }
    set_row();
    for (int32_t row = 0; row < rows; ++row)
      compute(n, y + row, weights_ + (strips_.planes.rows - 1 - row) * w_.stride_h);
  }

  // Blocks of rows one below the other.
  void set_columns(int32_t rows) noexcept {
    blocks_.block_step = out_.stride[2];
    blocks_.out_step = out_.stride[1];
    blocks_.blocks = outputs_;
    blocks_.x_back = 0;
    blocks_.lanes = rows;
    blocks_.weights_step = w_.stride_h;
    blocks_.weights_pitch = weights_pitch_ - 2 * w_.stride_h;
  }

  // Blocks of a row.
  void set_row() noexcept {
    const int32_t left = outputs_ < 4 ? 0 : outputs_ % 4;
    blocks_.block_step = 4 * out_.stride[2];
    blocks_.out_step = out_.stride[2];
    blocks_.blocks = outputs_ < 4 ? 1 : outputs_ / 4;
    blocks_.x_back = left == 0 ? 0 : (left - 4) * blocks_.window_step;
    blocks_.out_back = left == 0 ? 0 : (left - 4) * out_.stride[2];
    blocks_.lanes = outputs_ < 4 ? outputs_ : 4;
    blocks_.weights_step = 0;
    blocks_.weights_pitch = weights_pitch_;
  }

  void pack_rows(int32_t n, int32_t y, int32_t rows) noexcept {
    const int32_t top = y * w_.stride_h - w_.pad_top;
    const int32_t end = top + (rows - 1) * w_.stride_h + w_.kernel_h;
    // Columns of padding stay what they are, rows of it take the place of others.
    if (!padded_ || top < 0 || end > w_.in_h)
      fill_bytes(planes_data_, p_.input_zero_point, channels_ * pitch_);
    padded_ = true;
    const int32_t first = origin_ < 0 ? -origin_ : 0;
    const int32_t last = origin_ + columns_ > w_.in_w ? w_.in_w - origin_ : columns_;
    if (first >= last) return;
    for (int32_t row = top < 0 ? 0 : top; row < end && row < w_.in_h; ++row) {
      for (int32_t at = first; at < last;) {
        const auto* from = pixel<const int8_t>(x_, n, row, origin_ + at);
        const int32_t left = last - at;
        const int32_t count =
            x_.modulus == 0 ? left : taps_before_wrap(x_, from, left, x_.stride[2]);
        pack_columns({from + first_in_, planes_data_ + at * strips_.planes.slots + row - top, count,
                      x_.stride[2], strips_.planes.slots, channels_, pitch_});
        at += count;
      }
    }
  }

  // The region's channels; those of one input channel share its plane.
  void compute(int32_t n, int32_t y, const int8_t* weights) noexcept {
    const int32_t begin = region_.begin[3];
    const int32_t end = region_.end[3];
    auto* const to = pixel<int8_t>(out_, n, y, begin_);
    for (int32_t o = begin; o < end;) {
      int32_t next = end;
      int32_t plane = 0;
      if (p_.multiplier != 1) {
        const int32_t in = o / p_.multiplier;
        plane = in - first_in_;
        if ((in + 1) * p_.multiplier < end) next = (in + 1) * p_.multiplier;
      }
      PlaneBlocks blocks = blocks_;
      blocks.plane = planes_data_ + plane * pitch_;
      blocks.plane_pitch = p_.multiplier == 1 ? pitch_ : 0;
      blocks.out = to + o * out_.stride[3];
      blocks.weights = weights + (o - begin) * weights_pitch_;
      blocks.bias = p_.bias + o;
      blocks.multipliers = p_.scales.multipliers + o;
      blocks.shifts = p_.scales.shifts + o;
      blocks.channels = next - o;
      compute_blocks(blocks, strips_.planes.vectors);
      o = next;
    }
  }

  const DepthwiseConv2DParams& p_;
  const Window2D& w_;
  const View& x_;
  const View& out_;
  const Region& region_;
  int8_t* weights_;                // in scratch: the region's channels
  int8_t* planes_data_ = nullptr;  // behind them
  int32_t count_ = 0;              // output channels
  int32_t first_in_ = 0;           // input channel
  int32_t channels_ = 0;           // of the input
  DepthwiseStrips strips_;
  int32_t begin_ = 0;                // the strip's first output
  int32_t origin_ = 0;               // its first input column
  int32_t columns_ = 0, pitch_ = 0;  // of its planes
  bool padded_ = false;              // whether its columns of padding are in place
  int32_t outputs_ = 0;              // side by side
  int32_t weights_pitch_ = 0;
  PlaneBlocks blocks_{};
};

}  // namespace

void depthwise_conv_2d_mve(const DepthwiseConv2DParams& p, const View& x, const View& out,
                           const Region& region, int8_t* scratch) noexcept {
  for (int32_t axis = 0; axis < 4; ++axis) {
    if (region.begin[axis] == region.end[axis]) return;
  }
  PlaneConvolution(p, x, out, region, scratch).run();
}

}  // namespace thimble::runtime
