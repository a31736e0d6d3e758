// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/kernel_walk.h"

#include <algorithm>
#include <array>

#include "thimble/model/division.h"

namespace thimble {
namespace {

std::vector<int64_t> row_major(const Shape& shape) {
  std::vector<int64_t> stride(shape.size());
  int64_t next = 1;
  for (size_t axis = shape.size(); axis-- > 0; next *= shape[axis]) stride[axis] = next;
  return stride;
}

/// The box around the indices [first, last] of merged axes.
void set_merged(const std::vector<int>& merged, const Shape& shape, int64_t first, int64_t last,
                Region& box) {
  int64_t inner = 1;
  for (const int axis : merged) inner *= shape[static_cast<size_t>(axis)];
  for (const int axis : merged) {
    inner /= shape[static_cast<size_t>(axis)];
    const int64_t from = floor_div(first, inner), to = floor_div(last, inner);
    box[static_cast<size_t>(axis)] = {from, to + 1};
    if (from != to) return;  // the axes inside are whole
    first -= from * inner;
    last -= to * inner;
  }
}

/// The first and the last index of merged axes in a box.
Interval merged_indices(const std::vector<int>& merged, const Shape& shape, const Region& box) {
  Interval indices{0, 0};
  for (const int axis : merged) {
    const auto a = static_cast<size_t>(axis);
    indices.begin = indices.begin * shape[a] + box[a].begin;
    indices.end = indices.end * shape[a] + box[a].end - 1;
  }
  return indices;
}

/// The coordinates whose coordinate * step is in [first, last].
Interval coordinates(int64_t first, int64_t last, int64_t step) {
  if (step < 0) return coordinates(-last, -first, -step);
  return {floor_div(first + step - 1, step), floor_div(last, step) + 1};
}

// A ring wraps between pixels: where the next one of a run lies before this one.
void visit_between_wraps(const Run& whole, const runtime::View& view, int64_t channels,
                         const std::function<void(const Run&)>& visit) {
  const int64_t pitch = whole.memory_step * channels;  // of pixels, if the run has several
  for (int64_t done = 0; done < whole.count;) {
    Run run = whole;
    run.pixel += done / channels * pitch;
    run.element += done * whole.element_step;
    run.count -= done;
    const int64_t index = run.pixel - view.bias;
    if (run.count > channels) {
      const int64_t pixels =
          index < 0 || pitch <= 0 ? 1 : (view.modulus - index % view.modulus + pitch - 1) / pitch;
      run.count = std::min(run.count, pixels * channels);
    }
    visit(run);
    done += run.count;
  }
}

}  // namespace

Walk identity_walk(const Shape& shape) {
  OperandAxes axes;
  for (size_t k = shape.size(); k < 4; ++k) axes.axes.push_back({});
  for (size_t axis = 0; axis < shape.size(); ++axis) axes.axes.push_back({static_cast<int>(axis)});
  axes.shift.assign(axes.axes.size(), 0);
  axes.step.assign(axes.axes.size(), 1);
  return {{axes}, axes, {}};
}

bool same_extents(const OperandAxes& walk, const Shape& shape, const OperandAxes& other,
                  const Shape& other_shape) {
  const auto extent = [](const std::vector<int>& merged, const Shape& of) {
    int64_t count = 1;
    for (const int axis : merged) count *= of[static_cast<size_t>(axis)];
    return count;
  };
  if (walk.axes.size() != other.axes.size()) return false;
  for (size_t k = 0; k < walk.axes.size(); ++k) {
    if (extent(walk.axes[k], shape) != extent(other.axes[k], other_shape)) return false;
  }
  return true;
}

Region to_tensor(const OperandAxes& walk, const std::vector<int64_t>& leading, const Region& region,
                 const Shape& shape) {
  Region result = whole(shape);
  for (size_t k = 0; k < walk.axes.size(); ++k) {
    const std::vector<int>& merged = walk.axes[k];
    if (merged.empty()) continue;
    const Interval at =
        k < leading.size() ? Interval{leading[k], leading[k] + 1} : region[k - leading.size()];
    const auto [first, last] = std::minmax({at.begin * walk.step[k], (at.end - 1) * walk.step[k]});
    set_merged(merged, shape, first - walk.shift[k], last - walk.shift[k], result);
  }
  return result;
}

Region to_kernel(const OperandAxes& walk, const Region& region, const Shape& shape) {
  if (empty(region)) return Region(4);
  Region result;
  for (size_t k = walk.axes.size() - 4; k < walk.axes.size(); ++k) {
    const std::vector<int>& merged = walk.axes[k];
    if (merged.empty()) {
      result.push_back({0, 1});
      continue;
    }
    const Interval indices = merged_indices(merged, shape, region);
    result.push_back(
        coordinates(indices.begin + walk.shift[k], indices.end + walk.shift[k], walk.step[k]));
  }
  return result;
}

void each_run(const Walk& walk, const OperandAxes& axes, const Shape& shape,
              const runtime::View& view, const Region& box,
              const std::function<void(const Run&)>& visit) {
  if (empty(box)) return;
  const std::vector<int64_t> tensor_stride = row_major(shape);
  const size_t lead = axes.axes.size() - kKernelAxes;
  int64_t element0 = 0;
  std::array<int64_t, kKernelAxes> step{};
  for (size_t k = 0; k < axes.axes.size(); ++k) {
    if (axes.axes[k].empty()) continue;
    const int64_t s = tensor_stride[static_cast<size_t>(axes.axes[k].back())];
    element0 -= axes.shift[k] * s;
    if (k < lead) element0 += walk.leading[k] * axes.step[k] * s;
    if (k >= lead) step[k - lead] = axes.step[k] * s;
  }
  // Axes whose steps go on where those inside end are one run with these.
  Run run{.count = box[3].size(), .memory_step = view.stride[3], .element_step = step[3]};
  size_t outer = kKernelAxes - 1;
  for (; outer > 0; --outer) {
    const size_t k = outer - 1;
    const bool goes_on =
        view.stride[k] == run.memory_step * run.count && step[k] == run.element_step * run.count;
    if (box[k].size() != 1 && !goes_on) break;
    run.count *= box[k].size();
  }
  std::array<int64_t, kKernelAxes> at{}, end{};
  for (size_t k = 0; k < kKernelAxes; ++k) {
    at[k] = box[k].begin;
    end[k] = k < outer ? box[k].end : box[k].begin + 1;
  }
  run.channel = at[3] * view.stride[3];
  for (at[0] = box[0].begin; at[0] < end[0]; ++at[0]) {
    for (at[1] = box[1].begin; at[1] < end[1]; ++at[1]) {
      for (at[2] = box[2].begin; at[2] < end[2]; ++at[2]) {
        run.pixel = at[0] * view.stride[0] + at[1] * view.stride[1] + at[2] * view.stride[2];
        run.element =
            element0 + at[0] * step[0] + at[1] * step[1] + at[2] * step[2] + at[3] * step[3];
        if (view.modulus == 0) {
          visit(run);
        } else {
          visit_between_wraps(run, view, box[3].size(), visit);
        }
      }
    }
  }
}

void each_element(const Shape& shape, const std::vector<int>& order,
                  const std::function<void(int64_t, int64_t)>& visit) {
  const std::vector<int64_t> stride = row_major(shape);
  const int64_t count = elements(shape);
  if (order.empty()) {
    for (int64_t k = 0; k < count; ++k) visit(k, k);
    return;
  }
  std::vector<int64_t> at(shape.size());  // in the order of memory
  for (int64_t place = 0; place < count; ++place) {
    int64_t element = 0;
    for (size_t k = 0; k < order.size(); ++k) {
      element += at[k] * stride[static_cast<size_t>(order[k])];
    }
    visit(place, element);
    for (size_t k = order.size(); k-- > 0;) {
      if (++at[k] < shape[static_cast<size_t>(order[k])]) break;
      at[k] = 0;
    }
  }
}

}  // namespace thimble
