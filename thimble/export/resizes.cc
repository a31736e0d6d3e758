// SPDX-License-Identifier: Apache-2.0
// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.
#include "thimble/export/tflite_ops.h"

namespace thimble {
namespace {

template <class Options, class A>
FileOperator resize(BuiltinOperator code, int version, const A& op, const OpContext& c) {
  Options options;
  options.align_corners = op.align_corners;
  options.half_pixel_centers = op.half_pixel_centers;
  const Shape& out = c.output().shape;
  return made(code, version, options, {integers("size", std::vector<int64_t>{out[1], out[2]})});
}

}  // namespace

FileOperator written(const ResizeBilinear& op, const OpContext& c) {
  return resize<tflite::ResizeBilinearOptionsT>(BuiltinOperator::RESIZE_BILINEAR,
                                                op.half_pixel_centers ? 3 : c.version(), op, c);
}

FileOperator written(const ResizeNearestNeighbor& op, const OpContext& c) {
  return resize<tflite::ResizeNearestNeighborOptionsT>(
      BuiltinOperator::RESIZE_NEAREST_NEIGHBOR,
      op.align_corners || op.half_pixel_centers ? 3 : c.version(), op, c);
}

}  // namespace thimble
