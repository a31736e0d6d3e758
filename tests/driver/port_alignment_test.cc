// SPDX-License-Identifier: Apache-2.0
// --align-ports: plans whose inputs and outputs have lines of their own in the arena.
#include "thimble/plan/port_alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/test_graph.h"
#include "thimble/driver/driver.h"
#include "thimble/import/tensor_file.h"
#include "thimble/program/host.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

Compiled compiled_with(const std::string& model, int64_t alignment, const PortPlaces& ports = {},
                       std::optional<int64_t> sram = {}) {
  return std::get<Compiled>(
      compile({.model = model, .sram_bytes = sram, .ports = ports, .align_ports = alignment}));
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const CompileError& error) {
    return error.what();
  }
  return "nothing was refused";
}

std::vector<Bytes> outputs_of(const Compiled& compiled) {
  std::vector<Bytes> inputs;
  for (const ProgramPort& port : compiled.program.inputs) {
    const Tensor& t = compiled.graph.tensor(port.tensor);
    inputs.push_back(random_bytes(t.type, elements(t.shape), 5));
  }
  return execute(compiled.program, inputs);
}

TEST(PortAlignment, PortsBeginAndEndAtLinesOfTheirOwn) {
  for (const std::string model : {"zoo:demo", "zoo:pex_figure1", "zoo:reordering_figure1"}) {
    const Compiled plain = compiled_with(model, 1);
    for (const int64_t alignment : {32, 4096}) {
      const Compiled aligned = compiled_with(model, alignment);
      EXPECT_TRUE(aligned.verification.ok()) << aligned.verification.fault;
      const Program& program = aligned.program;
      EXPECT_EQ(program.arena().alignment, std::max<int64_t>(alignment, 16));
      for (const auto* ports : {&program.inputs, &program.outputs}) {
        for (const ProgramPort& port : *ports) {
          const int64_t begin = program.address(port.buffer);
          EXPECT_EQ(begin % alignment, 0) << model;
          const int64_t lines = (port.size_bytes + alignment - 1) / alignment;
          EXPECT_LE(begin + lines * alignment, program.arena_bytes()) << model;
        }
      }
      EXPECT_GE(program.arena_bytes(), plain.program.arena_bytes());
      EXPECT_EQ(port_alignment_fault(aligned.plan), "");
      EXPECT_EQ(outputs_of(aligned), outputs_of(plain)) << model;
    }
  }
}

TEST(PortAlignment, IsSavedWithThePlanAndCheckedAgain) {
  const Source source = load("zoo:demo");
  const Compiled aligned = compiled_with("zoo:demo", 64);
  const std::string text = to_json(aligned.plan, aligned.origin);
  const SavedPlan saved = plan_from_json(text, "plan");
  EXPECT_EQ(saved.plan.port_alignment, 64);
  const int64_t any = int64_t{1} << 30;
  const Compiled again = check_saved_plan(source, saved, any, "plan");
  EXPECT_TRUE(again.verification.ok());
  EXPECT_EQ(again.program.arena_bytes(), aligned.program.arena_bytes());
  EXPECT_EQ(to_json(again.plan, again.origin), text);

  SavedPlan moved = saved;
  moved.plan.placement.addresses[saved.plan.schedule.inputs[0].index()] += 32;
  EXPECT_THAT(refusal([&] { (void)check_saved_plan(source, moved, any, "plan"); }),
              HasSubstr("is not aligned to the 64 bytes that the plan says"));
  std::string odd = text;
  odd.replace(odd.find("\"port_alignment\": 64"), 20, "\"port_alignment\": 48");
  EXPECT_THAT(refusal([&] { (void)plan_from_json(odd, "plan"); }),
              HasSubstr("port_alignment is no power of two up to 4096"));
}

// Two inputs of 40 bytes each: neither may begin in the other's last line.
TEST(PortAlignment, NeighboursInALineAreAFault) {
  testing::TestGraph t(1);
  t.output(t.add(t.input({1, 5, 8, 1}), t.input({1, 5, 8, 1})));
  PlacedPlan plan =
      std::get<Compiled>(compile({.model = source_of(t.graph()), .align_ports = 32})).plan;
  EXPECT_EQ(port_alignment_fault(plan), "");
  std::vector<int64_t>& addresses = plan.placement.addresses;
  addresses[plan.schedule.inputs[1].index()] = addresses[plan.schedule.inputs[0].index()];
  EXPECT_THAT(port_alignment_fault(plan), HasSubstr("at the beginning of an inference"));
}

TEST(PortAlignment, IsForPortsInTheArena) {
  EXPECT_THAT(refusal([] {
                (void)compiled_with("zoo:demo", 32,
                                    {.input = Place::kUser, .output = Place::kUser});
              }),
              HasSubstr("--align-ports: is for ports in the arena"));
  const Compiled half =
      compiled_with("zoo:demo", 32, {.input = Place::kUser, .output = Place::kResident});
  EXPECT_EQ(half.program.address(half.program.outputs[0].buffer) % 32, 0);
  for (const char* wrong : {"0", "8", "24", "8192", "-32"})
    EXPECT_THAT(refusal([&] {
                  Request request{.model = "zoo:demo"};
                  set_field(request, request_field("align_ports"), {wrong});
                }),
                HasSubstr("--align-ports"));
}

TEST(PortAlignment, CountsWithinTheLimit) {
  const Compiled free = compiled_with("zoo:demo", 1);
  const int64_t enough = free.verdict.sram_bytes() + 2048;
  const Compiled limited = compiled_with("zoo:demo", 256, {}, enough);
  EXPECT_TRUE(limited.fits());
  EXPECT_LE(limited.verdict.sram_bytes(), enough);
}

}  // namespace
}  // namespace thimble
