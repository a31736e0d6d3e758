// SPDX-License-Identifier: Apache-2.0
// A piece computed through views equals the same piece of the whole result, however input and
// output lie in memory; an empty one touches nothing.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <ostream>
#include <variant>

#include "tests/runtime/cases.h"
#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

using runtime::Region;
using runtime::View;

constexpr Layout kLayouts[] = {Layout::kRowMajor, Layout::kChannelsFirst, Layout::kRowRing,
                               Layout::kPixelRing};

/// Row-major.
using Elements = std::variant<std::vector<int8_t>, std::vector<int16_t>, std::vector<int32_t>,
                              std::vector<int64_t>, std::vector<float>>;
using Storage =
    std::variant<Stored<int8_t>, Stored<int16_t>, Stored<int32_t>, Stored<int64_t>, Stored<float>>;

template <class T>
std::vector<T> random_values(Random& random, int64_t count, int32_t limit, int32_t divisor) {
  std::vector<T> result;
  for (; count > 0; --count) {
    result.push_back(static_cast<T>(static_cast<T>(random.between(-limit, limit - 1)) / divisor));
  }
  return result;
}

Elements random_values(Random& random, const Operand& operand) {
  const int64_t elements = count(operand.extents);
  switch (operand.element) {
    case Element::kInt8:
      return random.bytes(elements);
    case Element::kInt16:
      return random_values<int16_t>(random, elements, 1 << 15, 1);
    case Element::kInt32:
      return random_values<int32_t>(random, elements, 1 << 24, 1);
    case Element::kInt64: {
      // Values of any width: a shift of each.
      std::vector<int64_t> values;
      for (int64_t k = 0; k < elements; ++k)
        values.push_back(int64_t{random.between(-(1 << 24), 1 << 24)} *
                         (int64_t{1} << random.between(0, 38)));
      return values;
    }
    case Element::kFloat32:
      return random_values<float>(random, elements, 1 << 16, 64);
  }
  return {};
}

View with_broadcast(View view, const Operand& operand) {
  for (size_t k = 0; operand.broadcast && k < 4; ++k) {
    if (operand.extents[k] == 1) view.stride[k] = 0;
  }
  return view;
}

bool is_ring(Layout layout) { return layout == Layout::kRowRing || layout == Layout::kPixelRing; }

/// Whether a layout can hold the box: rings hold whole rows or pixels of image 0.
bool can_hold(const Operand& operand, const Region& box, Layout layout) {
  return !is_ring(layout) || (box.begin[0] == 0 && box.end[0] == 1 && !operand.broadcast);
}

Region held(Region box, const Extents& extents, Layout layout) {
  if (layout == Layout::kRowRing) {
    box.begin[2] = 0;
    box.end[2] = extents[2];
  }
  return box;
}

Storage allocate_for(const Operand& operand, const Region& box, Layout layout) {
  const Region elements = held(box, operand.extents, layout);
  switch (operand.element) {
    case Element::kInt8:
      return allocate<int8_t>(operand.extents, elements, layout);
    case Element::kInt16:
      return allocate<int16_t>(operand.extents, elements, layout);
    case Element::kInt32:
      return allocate<int32_t>(operand.extents, elements, layout);
    case Element::kInt64:
      return allocate<int64_t>(operand.extents, elements, layout);
    case Element::kFloat32:
      return allocate<float>(operand.extents, elements, layout);
  }
  throw std::logic_error("allocate_for: no such element");
}

Storage store_for(const Operand& operand, const Elements& values, const Region& box,
                  Layout layout) {
  const Region elements = held(box, operand.extents, layout);
  return std::visit(
      [&](const auto& v) -> Storage { return store(v, operand.extents, elements, layout); },
      values);
}

View view_of(const Storage& storage, const Operand& operand) {
  return with_broadcast(std::visit([](const auto& s) { return s.view; }, storage), operand);
}

/// float32 as bits: not a number is another one than itself.
Elements elements_of(Storage& storage, const Region& box) {
  if (auto* floats = std::get_if<Stored<float>>(&storage)) {
    std::vector<int32_t> bits;
    for (const float value : elements(*floats, box)) bits.push_back(std::bit_cast<int32_t>(value));
    return bits;
  }
  return std::visit([&](auto& s) -> Elements { return elements(s, box); }, storage);
}

/// Memory that a kernel cannot read or write without ending the test.
class Untouchable {
 public:
  Untouchable() : data_(mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ == MAP_FAILED) throw std::runtime_error("mmap");
  }
  ~Untouchable() { munmap(data_, kBytes); }
  Untouchable(const Untouchable&) = delete;
  Untouchable& operator=(const Untouchable&) = delete;
  [[nodiscard]] int8_t* middle() const { return static_cast<int8_t*>(data_) + kBytes / 2; }

 private:
  static constexpr size_t kBytes = size_t{1} << 24;
  void* data_;
};

bool is_empty(const Region& region) {
  return std::ranges::any_of(std::array{0, 1, 2, 3},
                             [&](int k) { return region.begin[k] == region.end[k]; });
}

void make_empty(Random& random, const Extents& extents, Region& region) {
  const int axis = random.between(0, 3);
  region.begin[axis] = region.end[axis] = random.between(0, extents[static_cast<size_t>(axis)]);
}

// Kernels have a way of their own for slices of one to three channels: half of the pieces are such.
Region random_piece(Random& random, const Case& c) {
  const Extents& extents = c.out.extents;
  Region region = random_region(random, extents);
  if (random.between(0, 1) == 0) {
    region.end[3] = std::min(region.end[3], region.begin[3] + random.between(1, 3));
    region.begin[2] = 0;
    region.end[2] = extents[2];
  }
  if (c.whole_columns) {
    region.begin[2] = 0;
    region.end[2] = extents[2];
  }
  if (c.whole_channels) {
    region.begin[3] = 0;
    region.end[3] = extents[3];
  }
  return region;
}

/// Consecutive, and among them empty ones, which may begin where the sums are set.
std::vector<Chunk> random_chunks(Random& random, int32_t extent) {
  std::vector<Chunk> chunks;
  if (extent == 0) return {{}};
  for (int32_t begin = 0; begin < extent;) {
    const int32_t end = random.between(begin + 1, extent);
    chunks.push_back({begin, end});
    if (random.between(0, 1) == 0) chunks.push_back({end, end});
    if (random.between(0, 1) == 0) chunks.push_back({0, 0});
    begin = end;
  }
  return chunks;
}

/// Views of all operands in some layout, at memory that nothing may touch.
Call untouchable_call(Random& random, const Case& c, const Untouchable& memory) {
  Call call;
  const auto view = [&](const Operand& operand, Layout layout) {
    Region box = whole(operand.extents);
    if (is_ring(layout)) box.end[0] = 1;
    View result = view_of(allocate_for(operand, box, layout), operand);
    result.data = memory.middle();
    return result;
  };
  const int layouts = c.in_place ? 2 : 4;
  for (const Operand& operand : c.in) {
    call.in.push_back(view(operand, kLayouts[random.between(0, layouts - 1)]));
  }
  call.out = view(c.out, kLayouts[random.between(0, layouts - 1)]);
  call.scratch = memory.middle();
  return call;
}

void expect_piece(Random& random, const Case& c, const std::vector<Elements>& x, Storage& expected,
                  const std::vector<Chunk>& chunks, const Region& region,
                  std::array<Layout, 2> layouts) {
  if (!can_hold(c.out, region, layouts[1])) return;
  const bool ringed = is_ring(layouts[0]) || is_ring(layouts[1]);
  if (!c.rings && ringed) return;
  if (c.dense_channels && layouts[0] == Layout::kChannelsFirst) layouts[0] = Layout::kRowMajor;
  if (c.dense_output && layouts[1] == Layout::kChannelsFirst) layouts[1] = Layout::kRowMajor;
  static const Untouchable memory;
  std::vector<int32_t> scratch((static_cast<size_t>(c.scratch_bytes) + 3) / sizeof(int32_t));
  Storage target = allocate_for(c.out, region, layouts[1]);
  for (const Chunk& chunk : chunks) {
    Call call = untouchable_call(random, c, memory);
    call.out = view_of(target, c.out);
    call.region = region;
    call.chunk = chunk;
    std::vector<Storage> sources;
    if (c.reduced == 0 || chunk.begin < chunk.end) {
      const std::vector<Region> needed = c.needed(region, chunk);
      for (size_t k = 0; k < c.in.size(); ++k) {
        const Layout layout = k == 0 ? layouts[0] : kLayouts[random.between(0, 3)];
        const Layout taken = can_hold(c.in[k], needed[k], layout) ? layout : Layout::kRowMajor;
        sources.push_back(store_for(c.in[k], x[k], needed[k], taken));
        call.in[k] = view_of(sources.back(), c.in[k]);
      }
    }
    if (!scratch.empty()) call.scratch = reinterpret_cast<int8_t*>(scratch.data());
    c.run(call);
  }
  EXPECT_EQ(elements_of(target, region), elements_of(expected, region));
}

Storage whole_result(const Case& c, const std::vector<Elements>& x,
                     const std::vector<Chunk>& chunks) {
  Storage result = allocate_for(c.out, whole(c.out.extents), Layout::kRowMajor);
  std::vector<Storage> sources;
  Call call{.out = view_of(result, c.out), .region = whole(c.out.extents)};
  for (size_t k = 0; k < c.in.size(); ++k) {
    sources.push_back(store_for(c.in[k], x[k], whole(c.in[k].extents), Layout::kRowMajor));
    call.in.push_back(view_of(sources.back(), c.in[k]));
  }
  for (const Chunk& chunk : chunks) {
    call.chunk = chunk;
    if (c.reduced == 0 || chunk.begin < chunk.end) (c.whole ? c.whole : c.run)(call);
  }
  return result;
}

struct Kernel {
  std::string name;
  std::function<Case(Random&)> make;
  friend void PrintTo(const Kernel& kernel, std::ostream* os) { *os << kernel.name; }
};

std::vector<Kernel> every_kernel() {
  std::vector<Kernel> kernels;
  for (const KernelInfo& row : thimble::kernels()) {
    const KernelId kernel = kernel_named(row.name);
    kernels.push_back({row.name, [=](Random& r) { return random_case(kernel, r); }});
  }
  kernels.push_back({"grouped_conv_2d", grouped_conv_2d_case});
  kernels.push_back({"grouped_conv_2d_nibbles", grouped_conv_2d_nibbles_case});
  kernels.push_back({"multiplied_depthwise_conv_2d", multiplied_depthwise_conv_2d_case});
  return kernels;
}

/// Kernels with an output apart from their input.
std::vector<Kernel> kernels_of_pieces() {
  std::vector<Kernel> kernels = every_kernel();
  std::erase_if(kernels, [](const Kernel& kernel) {
    Random random(1);
    return kernel.make(random).in_place;
  });
  return kernels;
}

class Pieces : public ::testing::TestWithParam<Kernel> {};

TEST_P(Pieces, EqualTheWhole) {
  Random random(7);
  for (int round = 0; round < 150; ++round) {
    const Case c = GetParam().make(random);
    std::vector<Elements> x;
    for (const Operand& operand : c.in) x.push_back(random_values(random, operand));
    const std::vector<Chunk> chunks = random_chunks(random, c.reduced);
    Storage expected = whole_result(c, x, chunks);
    for (Layout in : kLayouts) {
      for (Layout out : kLayouts) {
        Region region = random_piece(random, c);
        if (is_ring(in) || is_ring(out)) {
          region.begin[0] = 0;
          region.end[0] = 1;
        }
        expect_piece(random, c, x, expected, chunks, region, {in, out});
        if (HasFailure()) return;
      }
    }
  }
}

class EmptyCalls : public ::testing::TestWithParam<Kernel> {};

TEST_P(EmptyCalls, TouchNoOperand) {
  const Untouchable memory;
  Random random(8);
  for (int round = 0; round < 400; ++round) {
    const Case c = GetParam().make(random);
    Call call = untouchable_call(random, c, memory);
    call.region = c.in_place ? whole(c.out.extents) : random_piece(random, c);
    call.chunk = {0, c.reduced};
    const bool of_chunk = c.reduced > 0 && random.between(0, 1) == 0;
    if (of_chunk) {
      call.chunk.begin = call.chunk.end = random.between(0, 1) * random.between(0, c.reduced);
    }
    if (!of_chunk || random.between(0, 3) == 0) make_empty(random, c.out.extents, call.region);
    ASSERT_TRUE(of_chunk || is_empty(call.region));
    c.run(call);
  }
}

std::string name_of(const ::testing::TestParamInfo<Kernel>& parameter) {
  return parameter.param.name;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Pieces, ::testing::ValuesIn(kernels_of_pieces()), name_of);
INSTANTIATE_TEST_SUITE_P(Kernels, EmptyCalls, ::testing::ValuesIn(every_kernel()), name_of);

}  // namespace
}  // namespace thimble::testing
