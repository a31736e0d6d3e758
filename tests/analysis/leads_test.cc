// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/leads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "tests/support/random_op.h"
#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "thimble/analysis/overlaps.h"
#include "thimble/plan/order_problem.h"
#include "zoo/zoo.h"

namespace thimble {

static void PrintTo(const InputLead& lead, std::ostream* out) {
  *out << "t" << lead.input.value << " by " << lead.bytes;
}

namespace {

/// What the walk finds of an operator executed by itself.
std::vector<InputLead> walked(const Graph& graph, OpId id) {
  const Op& op = graph.op(id);
  Schedule schedule;
  const auto buffer_of = [&](TensorId t) {
    const auto known = std::ranges::find(schedule.buffers, t, &Buffer::tensor);
    const auto index = static_cast<int32_t>(known - schedule.buffers.begin());
    if (known == schedule.buffers.end()) {
      schedule.buffers.push_back(whole_buffer(graph, t));
      for (const auto* ports : {&graph.inputs, &graph.outputs}) {
        for (const Port& port : *ports) {
          if (port.tensor == t) schedule.buffers.back().order = port.order;
        }
      }
    }
    return BufferId{index};
  };
  const Shape& shape = graph.tensor(op.outputs[0]).shape;
  Step step{.op = id, .region = region_expr(whole(shape)), .out = buffer_of(op.outputs[0])};
  for (const TensorId t : op.inputs)
    step.in.push_back(graph.tensor(t).is_constant() ? BufferId{} : buffer_of(t));
  for (const BufferId in : read_buffers(step)) {
    const Share share{step.out, in};
    if (std::ranges::find(schedule.shares, share) == schedule.shares.end())
      schedule.shares.push_back(share);
  }
  schedule.nodes = {{step}};
  std::vector<InputLead> result;
  for (const Overlap& overlap : overlaps(graph, schedule))
    result.push_back({schedule.buffer(overlap.in).tensor, overlap.lead_bytes.value()});
  return result;
}

TEST(Leads, OfRandomOperatorsAsTheWalkFindsThem) {
  std::mt19937 random(1);
  const uint64_t cases = testing::random_cases(8000, 300000);
  for (uint64_t seed = 0; seed < cases; seed += testing::kOneIn) {
    SCOPED_TRACE(seed);
    Graph graph = testing::random_op_graph(seed);
    if (random() % 16 == 0 && !graph.inputs.empty()) {
      Port& port = graph.inputs[0];
      port.order.resize(graph.tensor(port.tensor).shape.size());
      std::iota(port.order.rbegin(), port.order.rend(), 0);
    }
    for (const Graph& of : {graph, testing::in_float32(graph, seed)}) {
      if (of.ops.empty()) continue;
      ASSERT_EQ(input_leads(of, instances_of(of, {})).leads_of({0}), walked(of, {0}))
          << label(of.ops[0]);
    }
  }
}

TEST(Leads, OfNetworksAsTheWalkFindsThem) {
  std::vector<std::string> networks = {"decoder:layers=1", "mobilenet_v2", "transformer", "unet"};
  if (testing::workload().nightly) {
    networks.clear();
    for (const ZooEntry& entry : zoo_entries()) networks.push_back(entry.name);
  }
  for (const std::string& network : networks) {
    const Graph graph = build_zoo(network);
    const InputLeads leads = input_leads(graph, instances_of(graph, {}));
    for (size_t k = 0; k < graph.ops.size(); ++k) {
      const OpId op{static_cast<int32_t>(k)};
      ASSERT_EQ(leads.leads_of(op), walked(graph, op)) << network << " " << k;
    }
  }
}

/// A map and tensors as no operator may have them.
struct RandomRead {
  std::mt19937 random;
  InputMap map;
  Tensor in, out;

  explicit RandomRead(uint32_t seed) : random(seed) {
    const DType types[] = {DType::kInt8, DType::kInt16, DType::kInt32};
    in.type = types[draw(0, 2)];
    out.type = types[draw(0, 2)];
    const int64_t rank = draw(1, 4);
    for (int64_t axis = 0; axis < rank; ++axis) out.shape.push_back(draw(1, 7));
    for (int64_t axis = draw(1, 4); axis > 0; --axis) add_axis();
  }

  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  void add_axis() {
    const auto axis = static_cast<int>(draw(0, static_cast<int64_t>(out.shape.size()) - 1));
    in.shape.push_back(draw(1, 7));
    const int64_t extent = in.shape.back(), lo = draw(-5, 6);
    const auto add = [&](const AxisMap& read) { map.axes.push_back(read); };
    switch (draw(0, 6)) {
      case 0:
        return add(Point{draw(0, extent - 1)});
      case 1:
        return add(Reduced{});
      case 2:
        return add(Scan{axis});
      case 3: {
        const int64_t per_group = draw(1, 3);
        int64_t& out_extent = out.shape[static_cast<size_t>(axis)];
        const int64_t groups = (out_extent + per_group - 1) / per_group;
        const int64_t in_per_group = draw(1, 3);
        in.shape.back() = groups * in_per_group;
        return add(Grouped{axis, per_group, in_per_group});
      }
      default:
        const int64_t num = draw(-2, 3);
        return add(Affine{axis, num == 0 ? 1 : num, draw(1, 3), lo, lo + draw(0, 3)});
    }
  }
};

int64_t offset_bytes(const Tensor& tensor, const Region& region, bool last) {
  int64_t at = 0;
  for (size_t axis = 0; axis < region.size(); ++axis)
    at = at * tensor.shape[axis] + (last ? region[axis].end - 1 : region[axis].begin);
  return at * size_bytes(tensor.type);
}

/// Unit by unit, element by element.
int64_t lead_by_units(Progress progress, const RandomRead& read) {
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  struct Unit {
    int64_t written, read;
  };
  std::vector<Unit> units;
  const auto add = [&](const Region& unit) {
    const Region needed = input_region(read.map, read.in.shape, read.out.shape, unit);
    units.push_back({offset_bytes(read.out, unit, true) + size_bytes(read.out.type),
                     empty(needed) ? kNever : offset_bytes(read.in, needed, false)});
  };
  for_each_unit(progress, whole(read.out.shape), [&](Region unit) {
    if (progress != Progress::kElement) return add(unit);
    const Interval run = unit.back();
    for (int64_t i = run.begin; i < run.end; ++i) {
      unit.back() = {i, i + 1};
      add(unit);
    }
  });
  int64_t lead = -read.in.size_bytes(), needed = kNever;
  for (size_t k = units.size(); k-- > 0;) {
    const int64_t from_here = std::min(needed, units[k].read);
    const int64_t still = progress == Progress::kElement ? needed : from_here;
    if (still != kNever) lead = std::max(lead, units[k].written - still);
    needed = from_here;
  }
  return lead;
}

TEST(Leads, OfRandomMapsAsUnitByUnit) {
  const uint64_t cases = testing::random_cases(20000, 1000000);
  for (uint64_t seed = 0; seed < cases; seed += testing::kOneIn) {
    SCOPED_TRACE(seed);
    const RandomRead read(static_cast<uint32_t>(seed));
    for (const Progress progress : {Progress::kElement, Progress::kPixel, Progress::kPlane,
                                    Progress::kWhole, Progress::kNone}) {
      if (progress == Progress::kPlane && read.out.shape.size() < 2) continue;  // no image
      SCOPED_TRACE(static_cast<int>(progress));
      ASSERT_EQ(whole_lead(progress, read.map, read.in, read.out), lead_by_units(progress, read));
    }
  }
}

// An axis is looked at near its ends and its bends, whatever its extent.
TEST(Leads, OfHugeTensorsAreQuick) {
  const InputMap window{.axes = {Affine{.out_axis = 0}, Affine{.out_axis = 1, .lo = -1, .hi = 1},
                                 Affine{.out_axis = 2, .lo = -1, .hi = 1}, Reduced{}}};
  constexpr int64_t kSide = int64_t{1} << 30;
  const Tensor image{.shape = {1, kSide, kSide, 1}};
  EXPECT_EQ(whole_lead(Progress::kPixel, window, image, image), kSide + 2);
}

TEST(Leads, AnInputReadTwiceIsSharedAsFarAsBothAllow) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 4, 4, 8});
  g.add(x, x);
  const Graph graph = g.graph();
  EXPECT_EQ(input_leads(graph, instances_of(graph, {})).leads_of({0}),
            (std::vector<InputLead>{{x, 0}}));
}

}  // namespace
}  // namespace thimble
