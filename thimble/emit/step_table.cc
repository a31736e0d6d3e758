// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/step_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "thimble/emit/params.h"
#include "thimble/model/error.h"
#include "thimble/target/kernels/fields.h"

namespace thimble {
namespace {

constexpr size_t kMostInputs = 2;
constexpr size_t kMostOfByte = 256;  // tensors, kernels
constexpr size_t kMostNumberBytes = std::numeric_limits<uint16_t>::max();

constexpr const char* kTypes =
    R"(// How elements of a tensor lie. From a channel to the next it is so many elements, from a column to
// the next too; a row has so many columns (of `channel` elements if they are 0 apart), an image so
// many rows (of one element if they are 0 apart).
struct Shape {
  uint16_t height, width, column, channel;
};

// A call of a kernel.
struct Step {
  uint16_t numbers;    // where those of the call begin in kNumbers
  uint8_t kernel;      // of kKernels
  uint8_t in[2], out;  // tensors: of kAddresses and kShapeOf
};

)";

constexpr const char* kOperands =
    R"(// Numbers in seven bits of a byte, the lowest first; the highest bit: more follow. The lowest bit of
// a number says that it is below zero: 0, -1, 1, -2, ..
class Numbers {
 public:
  explicit Numbers(const uint8_t* at) noexcept : at_(at) {}

  [[gnu::noinline]] int32_t next() noexcept {
    uint32_t bits = *at_ & 127U;
    for (int shift = 7; *at_++ > 127; shift += 7) bits |= (*at_ & 127U) << shift;
    return number(bits);
  }

  // A struct of so many addresses of kConstants, then so many numbers.
  [[gnu::noinline]] void read(void* params, int32_t addresses, int32_t numbers) noexcept {
    auto* to = static_cast<uint8_t*>(params);
    for (; addresses > 0; --addresses) {
      const void* const address = kConstants[next()];
      __builtin_memcpy(to, &address, sizeof(address));
      to += sizeof(address);
    }
    for (; numbers > 0; --numbers) {
      const int32_t value = *at_ < 128 ? number(*at_++) : next();
      __builtin_memcpy(to, &value, sizeof(value));
      to += sizeof(value);
    }
  }

 private:
  static int32_t number(uint32_t bits) noexcept {
    return static_cast<int32_t>(bits >> 1 ^ (0U - (bits & 1)));
  }

  const uint8_t* at_;
};

struct Operands {
  View in, out;
  Region region;
  const Step* step;
  int8_t* arena;
  Numbers numbers;  // what is left of the call's
};

[[gnu::noinline]] void set(View& view, uint8_t tensor, int8_t* arena) noexcept {
  const int32_t at = kAddresses[tensor];
  const Shape& shape = kShapes[kShapeOf[tensor]];
  const int32_t row = shape.width * (shape.column != 0 ? shape.column : shape.channel);
  view = {at >= 0 ? arena + at : const_cast<void*>(kConstants[-1 - at]),
          0,
          0,
          0,
          {shape.height * (row != 0 ? row : 1), row, shape.column, shape.channel}};
}

)";

// Not inlined: its operands would lie on the stack under steps that are functions, too.
constexpr const char* kRun = R"(
[[gnu::noinline]] void run_steps(int8_t* arena, int32_t begin, int32_t end) noexcept {
  for (const Step* step = kSteps + begin; step != kSteps + end; ++step) {
    Operands its{{}, {}, {}, step, arena, Numbers(kNumbers + step->numbers)};
    set(its.in, step->in[0], arena);
    set(its.out, step->out, arena);
    for (int32_t& extent : its.region.end) extent = its.numbers.next();
    kKernels[step->kernel](its);
)";
constexpr const char* kTraceRow =
    "    trace.wrote(0, its.out, its.region, kElementNumbers[step - kSteps]);\n";

bool is_narrow(int64_t value) {
  return value >= 0 && value <= std::numeric_limits<uint16_t>::max();
}

// A struct's fields as kernels have them in memory: addresses, then numbers.
struct Fields {
  int addresses = 0;
  std::vector<int32_t> numbers;
  bool ordered = true;

  void add(int32_t value) { numbers.push_back(value); }
  void add(float value) { numbers.push_back(std::bit_cast<int32_t>(value)); }
  template <class T>
  void add(const T* const&) {
    ++addresses;
    ordered = ordered && numbers.empty();
  }
  template <class T, size_t N>
  void add(const T (&values)[N]) {
    for (const T& value : values) add(value);
  }
  template <class Struct>
  requires std::is_class_v<Struct>
  void add(const Struct& s) {
    each_field(s, [&](const char*, const auto& field) { add(field); });
  }
};

Fields fields_of(const KernelParams* params) {
  Fields fields;
  if (params == nullptr) return fields;
  std::visit(
      [&](const auto& p) {
        if constexpr (!std::is_same_v<decltype(p), const std::monostate&>) fields.add(p);
      },
      *params);
  return fields;
}

// Writes the number as Numbers reads it.
void append_bytes(int64_t number, std::vector<size_t>& bytes) {
  const auto value = static_cast<int32_t>(number);
  check(value == number, "a number of a step does not fit 32 bits");
  uint32_t bits = static_cast<uint32_t>(value) << 1 ^ (value < 0 ? ~0U : 0U);
  for (; bits > 127; bits >>= 7) bytes.push_back(128 | (bits & 127));
  bytes.push_back(bits);
}

// Elements of an array, 100 columns wide.
std::string lines_of(const std::vector<size_t>& values) {
  std::string text, line = "   ";
  for (const size_t value : values) {
    const std::string element = fmt::format(" {},", value);
    if (line.size() + element.size() > 100) {
      text += line + "\n";
      line = "   ";
    }
    line += element;
  }
  return text + line + "\n";
}

size_t number_of(std::vector<std::string>& list, const std::string& text) {
  const auto number = static_cast<size_t>(std::ranges::find(list, text) - list.begin());
  if (number == list.size()) list.push_back(text);
  return number;
}

}  // namespace

std::optional<StepTable::Shape> StepTable::shape_of(const OperandView& view) {
  const int64_t column = view.stride[2], channel = view.stride[3];
  const int64_t pitch = column != 0 ? column : channel;
  const int64_t width = pitch == 0 ? 0 : view.stride[1] / pitch;
  const int64_t row = width * pitch, of_image = row == 0 ? 1 : row;
  const int64_t height = view.stride[0] / of_image;
  if (row != view.stride[1] || height * of_image != view.stride[0]) return std::nullopt;
  for (const int64_t value : {height, width, column, channel}) {
    if (!is_narrow(value)) return std::nullopt;
  }
  return Shape{height, width, column, channel};
}

bool StepTable::is_tabled(const OperandView& view) const {
  const bool there =
      program_.constant(view.buffer) != nullptr || program_.memory_of(view.buffer) == kArena;
  return there && view.bias.empty() && view.channel.empty() && view.modulus == 0 &&
         shape_of(view).has_value();
}

const KernelParams* StepTable::params_of(const Call& call) const {
  return call.params < 0 ? nullptr : &program_.params[static_cast<size_t>(call.params)].params;
}

const Call* StepTable::row_of(std::span<const ProgramNode> step) const {
  if (step.size() != 1) return nullptr;
  const auto* call = std::get_if<Call>(&step[0].what);
  if (call == nullptr || call->chunk || call->in.empty() || call->in.size() > kMostInputs ||
      receives(program_, *call) || delivers(program_, *call))
    return nullptr;
  if (call->brought.valid()) return nullptr;
  if (call->scratch.valid() && program_.memory_of(call->scratch) != kArena) return nullptr;
  if (!is_tabled(call->out) ||
      !std::ranges::all_of(call->in, [&](const OperandView& view) { return is_tabled(view); }))
    return nullptr;
  for (const Interval& extent : kernel_region(*call, {})) {
    if (extent.begin != 0) return nullptr;
  }
  return fields_of(params_of(*call)).ordered ? call : nullptr;
}

size_t StepTable::constant(const std::string& name) {
  return number_of(constants_, data_ + "::" + name);
}

size_t StepTable::tensor(const OperandView& view) {
  const ProgramConstant* given = program_.constant(view.buffer);
  const std::string at =
      given == nullptr ? address_name_(view.buffer) : fmt::format("-{}", 1 + constant(given->name));
  const Shape shape = *shape_of(view);
  const size_t number = number_of(shapes_, fmt::format("{{{}, {}, {}, {}}}", shape.height,
                                                       shape.width, shape.column, shape.channel));
  const std::pair<std::string, size_t> tensor{at, number};
  const auto found = std::ranges::find(tensors_, tensor) - tensors_.begin();
  if (static_cast<size_t>(found) == tensors_.size()) tensors_.push_back(tensor);
  return static_cast<size_t>(found);
}

// That of the kernel, which is written with its first row.
size_t StepTable::function(const Call& call) {
  const std::string kernel = info(call.kernel).name;
  const std::string name = kernel + "_step";
  const auto found = std::ranges::find(functions_, name, &Function::name);
  if (found != functions_.end()) return static_cast<size_t>(found - functions_.begin());
  // What only some kernels take lies on the stack of theirs alone.
  std::string body;
  std::vector<std::string> arguments;
  if (call.scratch.valid()) body += "  int8_t* const scratch = its.arena + its.numbers.next();\n";
  if (const KernelParams* params = params_of(call)) {
    const Fields fields = fields_of(params);
    body += fmt::format("  {} params;\n  its.numbers.read(&params, {}, {});\n", type_name(*params),
                        fields.addresses, fields.numbers.size());
    arguments.emplace_back("params");
  }
  arguments.emplace_back("its.in");
  if (call.in.size() == kMostInputs) {
    body += "  View second;\n  set(second, its.step->in[1], its.arena);\n";
    arguments.emplace_back("second");
  }
  arguments.insert(arguments.end(), {"its.out", "its.region"});
  if (call.scratch.valid()) arguments.emplace_back("scratch");
  functions_.push_back({name,
                        fmt::format("void {}(Operands& its) noexcept {{\n{}  {}({});\n}}\n", name,
                                    body, kernel, fmt::join(arguments, ", ")),
                        params_of(call) != nullptr});
  return functions_.size() - 1;
}

void StepTable::append_numbers(const Call& call) {
  std::vector<int64_t> numbers;
  for (const Interval& extent : kernel_region(call, {})) numbers.push_back(extent.end);
  if (call.scratch.valid()) numbers.push_back(program_.address(call.scratch));
  std::string of = "no parameters";
  if (call.params >= 0) {
    const ProgramParams& params = program_.params[static_cast<size_t>(call.params)];
    of = params_name(params);
    for (const BufferId id : params.constants)
      numbers.push_back(static_cast<int64_t>(constant(program_.constant(id)->name)));
    const std::vector<int32_t> fields = fields_of(&params.params).numbers;
    numbers.insert(numbers.end(), fields.begin(), fields.end());
  }
  std::vector<size_t> bytes;
  for (const int64_t number : numbers) append_bytes(number, bytes);
  number_bytes_ += bytes.size();
  numbers_ += fmt::format("    // {}, {}\n{}", info(call.kernel).name, of, lines_of(bytes));
}

bool StepTable::add(const Call& call, const std::string& comment, const std::string& traced) {
  if (tensors_.size() + kMostInputs + 1 > kMostOfByte || functions_.size() + 1 > kMostOfByte ||
      number_bytes_ > kMostNumberBytes)
    return false;
  const size_t numbers = number_bytes_, kernel = function(call);
  append_numbers(call);
  if (!traced.empty()) traced_ += fmt::format("    {},\n", traced);
  std::vector<size_t> in;
  for (const OperandView& view : call.in) in.push_back(tensor(view));
  rows_.push_back(fmt::format("{}    {{{}, {}, {{{}}}, {}}},\n", comment, numbers, kernel,
                              fmt::join(in, ", "), tensor(call.out)));
  return true;
}

CodeCounts StepTable::code() const {
  constexpr size_t kAddress = 4, kShape = 8, kTensor = 4 + 1, kRow = 6;
  CodeCounts code{};
  at(code, CodeFeature::kTable) = 1;
  at(code, CodeFeature::kTableKernel) = static_cast<double>(functions_.size());
  at(code, CodeFeature::kTableParams) =
      static_cast<double>(std::ranges::count(functions_, true, &Function::takes_params));
  at(code, CodeFeature::kData) = static_cast<double>(
      kAddress * (constants_.size() + functions_.size()) + kShape * shapes_.size() +
      kTensor * tensors_.size() + kRow * rows_.size() + number_bytes_);
  return code;
}

std::string StepTable::text() const {
  std::string text = kTypes;
  text += fmt::format(
      "constexpr const void* kConstants[] = {{\n    {},\n}};\n\n",
      constants_.empty() ? "nullptr" : fmt::format("{}", fmt::join(constants_, ",\n    ")));
  text += fmt::format("constexpr Shape kShapes[] = {{\n    {},\n}};\n\n",
                      fmt::join(shapes_, ",\n    "));
  std::vector<std::string> addresses;
  std::vector<size_t> numbers;
  for (const auto& [at, shape] : tensors_) {
    addresses.push_back(at);
    numbers.push_back(shape);
  }
  text +=
      "// Of each tensor where it lies, in the arena or (below 0) at kConstants[-1 - it], and its\n"
      "// number in kShapes.\n";
  text += fmt::format("constexpr int32_t kAddresses[] = {{\n    {},\n}};\n\n",
                      fmt::join(addresses, ",\n    "));
  text += fmt::format("constexpr uint8_t kShapeOf[] = {{\n{}}};\n\n", lines_of(numbers));
  text +=
      "// Of each call its region's end, where its scratch is if it has any, then its parameters: "
      "addresses as\n"
      "// numbers of kConstants, and the fields' values.\n";
  text += fmt::format("constexpr uint8_t kNumbers[] = {{\n{}}};\n\n", numbers_);
  text += kOperands;
  for (const Function& function : functions_) text += function.text + "\n";
  text += "constexpr void (*kKernels[])(Operands& its) noexcept = {\n";
  for (const Function& function : functions_) text += fmt::format("    {},\n", function.name);
  text += "};\n\nconstexpr Step kSteps[] = {\n";
  for (const std::string& row : rows_) text += row;
  text += "};\n";
  if (!traced_.empty())
    text += "\nconstexpr ElementNumbers kElementNumbers[] = {\n" + traced_ + "};\n";
  return text + kRun + (traced_.empty() ? "" : kTraceRow) + "  }\n}\n";
}

int64_t params_bytes(const KernelParams& params) {
  const Fields fields = fields_of(&params);
  return 4 * (fields.addresses + static_cast<int64_t>(fields.numbers.size()));
}

}  // namespace thimble
