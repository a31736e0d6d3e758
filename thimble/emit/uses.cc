// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/uses.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>
#include <string_view>

#include "runtime/dsp/input_runs.h"
#include "runtime/portable/copy_runs.h"
#include "runtime/portable/side_by_side.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr std::string_view kUsesFile = "include/thimble_runtime/uses.h";
constexpr std::string_view kDefine = "#define THIMBLE_USES_", kUsed = " 1";

// Names of the values of Tail, in order.
constexpr std::array kTailNames = {"RELU_BY_11",     "RELU_BY_14",    "RELU",      "RELU_HIGH",
                                   "SIGNED",         "SIGNED_CLAMPS", "RELU_FROM", "TO_EVEN",
                                   "TO_EVEN_CLAMPS", "SUMS"};

int32_t narrow(int64_t value) { return static_cast<int32_t>(value); }

runtime::View runtime_view(const OperandView& v) {
  runtime::View view{nullptr, 0, narrow(v.modulus), 0, {}};
  std::ranges::transform(v.stride, view.stride, narrow);
  return view;
}

runtime::Region runtime_region(const Region& region) {
  runtime::Region result{};
  for (size_t axis = 0; axis < kKernelAxes; ++axis) {
    result.begin[axis] = narrow(region[axis].begin);
    result.end[axis] = narrow(region[axis].end);
  }
  return result;
}

bool is_side_by_side(const Call& call, const Region& region) {
  return runtime::is_side_by_side(runtime_view(call.in[0]), runtime_view(call.in[1]),
                                  runtime_view(call.out), runtime_region(region));
}

bool is_half(const runtime::Scale& scale) {
  return scale.shift == 0 && scale.multiplier == 1 << 30;
}

// The names of what calls use, as uses.h has them.
class CallUses {
 public:
  explicit CallUses(const Program& program) : program_(program) {
    execute_calls(program, [&](const Call& call, const Counters& counters) {
      if (receives(program, call) || delivers(program, call)) return;
      const Region region = kernel_region(call, counters);
      if (std::ranges::any_of(region, [](const Interval& i) { return i.empty(); })) return;
      add(call, region);
    });
  }
  [[nodiscard]] const std::set<std::string>& names() const { return names_; }

 private:
  void use(const char* name, bool used = true) {
    if (used) names_.insert(name);
  }

  void add(const Call& call, const Region& region) {
    use("RINGS", call.out.modulus != 0);
    for (const OperandView& view : call.in) use("RINGS", view.modulus != 0);
    if (info(call.kernel).family == Family::kCopy) add_copy(call, region);
    if (call.params < 0) return;
    use("FLOAT_SCALES", has_float_scales(call));
    const KernelParams& params = program_.params[static_cast<size_t>(call.params)].params;
    if (const auto* pairs = std::get_if<runtime::Conv2DPairsParams>(&params))
      add_pairs(call, *pairs, region);
    // Kernels of fours in MVE read windows as pairs do.
    if (std::holds_alternative<runtime::Conv2DFoursParams>(params)) use("PAIR_WINDOWS");
    if (const auto* words = std::get_if<runtime::Conv2DWordsParams>(&params))
      add_words(*words, region);
    if (const auto* depthwise = std::get_if<runtime::DepthwiseConv2DPackedParams>(&params))
      add_depthwise(call, *depthwise, region);
    const bool dsp = info(call.kernel).set == InstructionSet::kDsp;
    if (dsp && info(call.kernel).family == Family::kAdd)
      add_sums(call, std::get<runtime::AddParams>(params), region);
    if (dsp && info(call.kernel).family == Family::kMul)
      use("SINGLE_PRODUCTS", !is_side_by_side(call, region));
  }

  // Whether a scale of the call is one, or may be.
  [[nodiscard]] bool has_float_scales(const Call& call) const {
    const ProgramParams& its = program_.params[static_cast<size_t>(call.params)];
    if (info(call.kernel).tail == DepthwiseTail::kToEven) return true;
    const auto in_parameters = []<class Params>(const Params& p) {
      if constexpr (requires { p.scale.shift; }) return p.scale.shift == runtime::kFloatShift;
      if constexpr (requires { p.rounding; })
        return p.rounding == static_cast<int32_t>(runtime::FoursRounding::kToEven);
      return false;
    };
    if (std::visit(in_parameters, its.params)) return true;
    const bool pairs = std::holds_alternative<runtime::Conv2DPairsParams>(its.params);
    return std::ranges::any_of(its.constants, [&](BufferId id) {
      const PackedConstant& constant = program_.constant(id)->content;
      const bool shifts = constant.role == "shifts";
      return (shifts || pairs) && has_float_shift(constant);
    });
  }

  static bool has_float_shift(const PackedConstant& constant) {
    const Bytes& bytes = constant.data;
    if (constant.type == DType::kInt8)
      return !bytes.empty() && static_cast<int8_t>(bytes.front()) == runtime::kFloatShift;
    for (size_t k = 0; k + sizeof(int32_t) <= bytes.size(); k += sizeof(int32_t)) {
      int32_t word = 0;
      std::memcpy(&word, bytes.data() + k, sizeof(word));
      if (word == runtime::kFloatShift) return true;
    }
    return false;
  }

  void add_sums(const Call& call, const runtime::AddParams& p, const Region& region) {
    use(is_half(p.scale[0]) && is_half(p.scale[1]) ? "HALVED_SUMS" : "SCALED_SUMS");
    use("SINGLE_SUMS", p.clamp_min != -128 || p.clamp_max != 127 || !is_side_by_side(call, region));
  }

  static bool is_compact(const Call& call) {
    return info(call.kernel).form == WeightForm::kCompact;
  }

  // The first word of the call's packed weights.
  [[nodiscard]] int32_t first_word(const Call& call) const {
    const BufferId weights = program_.params[static_cast<size_t>(call.params)].constants.at(0);
    int32_t word = 0;
    std::memcpy(&word, program_.constant(weights)->content.data.data(), sizeof(word));
    return word;
  }

  void add_copy(const Call& call, const Region& region) {
    const int axis = runtime::run_axis(runtime_view(call.in[0]), runtime_view(call.out),
                                       runtime_region(region), narrow(size_bytes(call.out.type)));
    use(axis == 0 ? "COPY_ELEMENTS" : axis == 1 ? "COPY_ROWS" : "COPY_PIXELS");
  }

  // Whether each pixel that the view shows begins at a multiple of four bytes.
  [[nodiscard]] bool is_aligned(const OperandView& view) const {
    return is_laid_out(program_.memory_of(view.buffer)) && program_.address(view.buffer) % 4 == 0 &&
           view.bias.empty() && view.modulus == 0 &&
           std::all_of(view.stride.begin(), view.stride.begin() + 3,
                       [](int64_t stride) { return stride % 4 == 0; });
  }

  void add_pairs(const Call& call, const runtime::Conv2DPairsParams& p, const Region& region) {
    const runtime::Window2D& w = p.window;
    const OperandView& x = call.in[0];
    const bool fours = p.in_channels % 4 == 0;
    const bool single_taps = w.kernel_h * w.kernel_w == 1 && w.pad_top == 0 && w.pad_left == 0 &&
                             (region[1].end - 1) * w.stride_h < w.in_h &&
                             (region[2].end - 1) * w.stride_w < w.in_w;
    use("PAIR_WINDOWS", !single_taps || !fours || x.stride[3] != 1 || x.modulus != 0);
    use("UNALIGNED_PAIRS", !fours || !is_aligned(x));
    use("NINES", p.in_channels * w.kernel_w == 9 && w.kernel_h >= 3);
    const auto tail = static_cast<size_t>(p.tail);
    const bool sums = tail == static_cast<size_t>(runtime::Tail::kSums);
    use("PAIR_EDGES", sums || region[3].begin % 2 != 0 || region[3].end % 2 != 0);
    use(kTailNames[tail]);
    use("SUMS", is_compact(call));  // of weights that lack something
    const bool headed = info(call.kernel).form != WeightForm::kWide;
    use("SHARED_SCALES", headed && first_word(call) == 1);
  }

  void add_words(const runtime::Conv2DWordsParams& p, const Region& region) {
    const auto last = narrow((region[3].end - 1) / 4 * 4);
    use("WORDS_OF_TWO", runtime::words_group(p.out_channels, last) == 2);
    const int32_t taps = p.window.kernel_h * p.window.kernel_w;
    use("SUMS_IN_PARTS", taps > runtime::kMostRuns || taps * p.in_channels > runtime::kMostInputs);
  }

  // As runtime/dsp/depthwise_pixels.h and depthwise_dsp.h choose.
  void add_depthwise(const Call& call, const runtime::DepthwiseConv2DPackedParams& p,
                     const Region& region) {
    const runtime::Window2D& w = p.window;
    const bool three = runtime::is_depthwise_3x3(w);
    use(!three ? "DEPTHWISE_ANY" : w.stride_w == 1 ? "DEPTHWISE_STRIDE_1" : "DEPTHWISE_STRIDE_2");
    if (is_compact(call)) return use("DEPTHWISE_STRIPS");
    const int32_t rows = narrow(region[1].size()), columns = narrow(region[2].size());
    const int32_t channels = narrow(region[3].size());
    const bool in_place = info(call.kernel).family == Family::kDepthwiseConv2DInPlace;
    if (!in_place &&
        runtime::depthwise_by_pixels(w, p.multiplier, p.scratch_bytes, rows, columns, channels)) {
      return use("DEPTHWISE_PIXELS");
    }
    const int32_t fours = runtime::depthwise_fours(w, p.scratch_bytes, columns, rows);
    const int32_t most = p.multiplier != 1 ? channels : fours == 0 ? 4 : 4 * fours;
    const bool parts = most < channels && !in_place;
    use("DEPTHWISE_PARTS", parts);
    use("DEPTHWISE_PIXELS", parts && three);
    const auto inputs = narrow((region[3].end - 1) / p.multiplier - region[3].begin / p.multiplier);
    const bool fits =
        runtime::depthwise_scratch_bytes(w, std::min(most, inputs + 1), columns,
                                         runtime::depthwise_rows(w, rows)) <= p.scratch_bytes;
    const bool odd_rows = in_place ? rows == 1 : rows % 2 != 0;
    use("DEPTHWISE_STRIPS", !fits || (three && w.stride_h == 1 && odd_rows) ||
                                (!three && (parts || w.stride_h >= w.kernel_h)));
  }

  const Program& program_;
  std::set<std::string> names_;
};

std::string uses_text(std::string_view file, const std::set<std::string>& used) {
  std::istringstream lines{std::string(file)};
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kDefine) && line.ends_with(kUsed)) {
      const size_t length = line.size() - kDefine.size() - kUsed.size();
      if (!used.contains(line.substr(kDefine.size(), length))) line.back() = '0';
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::set<std::string> used_parts(std::span<const Program* const> programs) {
  std::set<std::string> all;
  for (const Program* program : programs) all.merge(std::set(CallUses(*program).names()));
  return all;
}

std::set<std::string> parts_in(const std::string& uses_h) {
  std::istringstream lines(uses_h);
  std::set<std::string> parts;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kDefine) && line.ends_with(kUsed))
      parts.insert(line.substr(kDefine.size(), line.size() - kDefine.size() - kUsed.size()));
  }
  return parts;
}

std::set<std::string> all_parts() {
  const std::span<const RuntimeFile> files = runtime_files();
  return parts_in(std::string(std::ranges::find(files, kUsesFile, &RuntimeFile::path)->text));
}

UsedRuntime::UsedRuntime(std::span<const RuntimeFile> runtime, const std::set<std::string>& used)
    : files_(runtime.begin(), runtime.end()) {
  const auto file = std::ranges::find(files_, kUsesFile, &RuntimeFile::path);
  check(file != files_.end(), "the runtime does not say what is used of it");
  uses_ = uses_text(file->text, used);
  file->text = uses_;
}

}  // namespace thimble
