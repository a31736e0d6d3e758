// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/step_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

#include "thimble/emit/names.h"
#include "thimble/emit/params.h"

namespace thimble {
namespace {

constexpr size_t kMostInputs = 2;
constexpr size_t kMostTensors = 256;

constexpr const char* kTypes = R"(// A tensor in the arena, channels of a pixel side by side.
struct Tensor {
  int32_t at, image;  // elements from one to the next
  uint16_t width, channels;
};

// A call of a kernel on the first so many images, rows, columns and channels.
struct Step {
  void (*run)(const Step& step, int8_t* arena) noexcept;
  const void* params;
  int32_t scratch;
  uint16_t extents[4];
  uint8_t in[2], out;  // kTensors
};

)";

constexpr const char* kOperands = R"(struct Operands {
  View in[2], out;
  Region region;
};

[[gnu::noinline]] void set(View& view, const Tensor& tensor, int8_t* arena) noexcept {
  view = {arena + tensor.at,
          0,
          0,
          0,
          {tensor.image, tensor.width * tensor.channels, tensor.channels, 1}};
}

[[gnu::noinline]] void set(Operands& operands, const Step& step, int8_t* arena) noexcept {
  for (int32_t k = 0; k < 2; ++k) set(operands.in[k], kTensors[step.in[k]], arena);
  set(operands.out, kTensors[step.out], arena);
  for (int32_t axis = 0; axis < 4; ++axis) {
    operands.region.begin[axis] = 0;
    operands.region.end[axis] = step.extents[axis];
  }
}

)";

constexpr const char* kRun = R"(
void run_steps(int8_t* arena, int32_t begin, int32_t end) noexcept {
  for (; begin < end; ++begin) kSteps[begin].run(kSteps[begin], arena);
}
)";

bool is_narrow(int64_t value) {
  return value >= 0 && value <= std::numeric_limits<uint16_t>::max();
}

// How many times `inner` is `outer`; 0 where both are.
int64_t times(int64_t outer, int64_t inner) { return inner == 0 ? 0 : outer / inner; }

}  // namespace

bool StepTable::is_dense(const OperandView& view) const {
  if (program_.constant(view.buffer) != nullptr || program_.memory_of(view.buffer) != kArena ||
      !view.bias.empty() || !view.channel.empty() || view.modulus != 0 || view.stride[3] != 1)
    return false;
  const int64_t row = view.stride[1], channels = view.stride[2];
  const int64_t width = times(row, channels);
  return is_narrow(width) && is_narrow(channels) && width * channels == row;
}

const Call* StepTable::row_of(const std::vector<ProgramNode>& step) const {
  if (step.size() != 1) return nullptr;
  const auto* call = std::get_if<Call>(&step[0].what);
  if (call == nullptr || call->chunk || call->in.empty() || call->in.size() > kMostInputs ||
      receives(program_, *call) || delivers(program_, *call))
    return nullptr;
  if (call->scratch.valid() && program_.memory_of(call->scratch) != kArena) return nullptr;
  if (!is_dense(call->out)) return nullptr;
  for (const OperandView& view : call->in) {
    if (!is_dense(view)) return nullptr;
  }
  for (const Interval& extent : kernel_region(*call, {})) {
    if (extent.begin != 0 || !is_narrow(extent.end)) return nullptr;
  }
  return call;
}

std::string StepTable::tensor_text(const OperandView& view) const {
  return fmt::format("{{{}, {}, {}, {}}}", address_name(program_, view.buffer), view.stride[0],
                     times(view.stride[1], view.stride[2]), view.stride[2]);
}

size_t StepTable::tensor(const std::string& text) {
  const auto number = static_cast<size_t>(std::ranges::find(tensors_, text) - tensors_.begin());
  if (number == tensors_.size()) tensors_.push_back(text);
  return number;
}

// That of the kernel, which is written with its first row.
std::string StepTable::function(const Call& call) {
  const std::string kernel = info(call.kernel).name;
  std::string name = kernel + "_step";
  if (std::ranges::find(functions_, name, &Function::name) != functions_.end()) return name;
  std::vector<std::string> arguments;
  if (call.params >= 0) {
    const KernelParams& params = program_.params[static_cast<size_t>(call.params)].params;
    arguments.push_back(fmt::format("*static_cast<const {}*>(step.params)", type_name(params)));
  }
  for (size_t k = 0; k < call.in.size(); ++k) arguments.push_back(fmt::format("its.in[{}]", k));
  arguments.insert(arguments.end(), {"its.out", "its.region"});
  if (call.scratch.valid()) arguments.emplace_back("arena + step.scratch");
  functions_.push_back(
      {name, fmt::format("[[gnu::noinline]] void {}(const Step& step, int8_t* arena) noexcept {{\n"
                         "  Operands its;\n  set(its, step, arena);\n  {}({});\n}}\n",
                         name, kernel, fmt::join(arguments, ",\n      "))});
  return name;
}

bool StepTable::add(const Call& call, const std::string& comment) {
  if (tensors_.size() + kMostInputs + 1 > kMostTensors) return false;
  std::vector<size_t> in;
  for (const OperandView& view : call.in) in.push_back(tensor(tensor_text(view)));
  const size_t out = tensor(tensor_text(call.out));
  std::vector<int64_t> extents;
  for (const Interval& extent : kernel_region(call, {})) extents.push_back(extent.end);
  rows_.push_back(fmt::format(
      "{}    {{{}, {}, {}, {{{}}}, {{{}}}, {}}},\n", comment, function(call),
      call.params < 0 ? "nullptr"
                      : "&" + params_name(program_.params[static_cast<size_t>(call.params)]),
      call.scratch.valid() ? address_name(program_, call.scratch) : "0", fmt::join(extents, ", "),
      fmt::join(in, ", "), out));
  return true;
}

std::string StepTable::text() const {
  std::string text = kTypes;
  text += fmt::format("constexpr Tensor kTensors[] = {{\n    {},\n}};\n\n",
                      fmt::join(tensors_, ",\n    "));
  text += kOperands;
  for (const Function& function : functions_) text += function.text + "\n";
  text += fmt::format("constexpr Step kSteps[] = {{\n{}}};\n", fmt::join(rows_, ""));
  return text + kRun;
}

}  // namespace thimble
