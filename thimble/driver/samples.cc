// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "thimble/driver/chosen.h"
#include "thimble/driver/sound_features.h"
#include "thimble/inputs/image.h"
#include "thimble/inputs/sound.h"
#include "thimble/inputs/table.h"
#include "thimble/model/error.h"
#include "thimble/reference/real_values.h"

namespace thimble {
namespace {

std::string extension_of(const std::string& file) {
  std::string extension = std::filesystem::path(file).extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

Sample sample_of(PreparedInput prepared) {
  return {.inputs = {std::move(prepared.bytes)},
          .how = std::move(prepared.how),
          .warnings = std::move(prepared.warnings)};
}

/// How many inferences an array of numbers holds along its leading axis. Throws CompileError for
/// other shapes than the input's, and for integers of which nobody says what they mean.
size_t inferences_in(const NamedTensor& array, const InputPort& port, bool normalises,
                     const std::string& file) {
  const auto longer = [](Shape shape) {
    std::erase(shape, 1);
    return shape;
  };
  const int64_t wanted = elements(port.shape), given = elements(array.shape);
  const int64_t count = std::max<int64_t>(given / wanted, 1);
  Shape each = array.shape;
  if (count > 1 && !each.empty() && each[0] % count == 0) each[0] /= count;
  const bool fits =
      elements(each) == wanted && (each.size() == 1 || longer(each) == longer(port.shape));
  if ((array.type == DType::kFloat32 || normalises) && fits) return static_cast<size_t>(count);
  throw CompileError(file, fmt::format("is {} {}; the network's '{}' is {} {}, to which float32 is "
                                       "turned, integers by --scale, --mean or --std, and uint8 "
                                       "where it is a picture",
                                       name(array.type), to_string(array.shape), port.tensor.name,
                                       name(port.tensor.type), to_string(port.shape)));
}

/// The pictures that an array of bytes is: [n] x rows x columns [x channels], for a network whose
/// input is one of that many channels; none: it is no such array.
std::vector<Image> pictures_in(const NamedTensor& array, const PictureForm& form) {
  if (array.type != DType::kUInt8) return {};
  Shape shape = array.shape;
  if (form.channels == 1 && (shape.empty() || shape.back() != 1)) shape.push_back(1);
  if (shape.size() == 3) shape.insert(shape.begin(), 1);
  if (shape.size() != 4 || shape[3] != form.channels) return {};
  if (std::ranges::any_of(shape, [](int64_t e) { return e < 1 || e > (1 << 20); })) return {};
  std::vector<Image> pictures;
  const int64_t bytes = shape[1] * shape[2] * shape[3];
  for (int64_t n = 0; n < shape[0]; ++n) {
    const auto begin = array.data.begin() + n * bytes;
    pictures.push_back({.width = static_cast<int32_t>(shape[2]),
                        .height = static_cast<int32_t>(shape[1]),
                        .channels = static_cast<int32_t>(shape[3]),
                        .pixels = {begin, begin + bytes}});
  }
  return pictures;
}

/// At most `most` of an array's inferences (0: all), if its first axis has one index for each.
NamedTensor thinned(NamedTensor array, const InputPort& port, int64_t most) {
  if (most <= 0 || array.shape.empty() || array.shape[0] <= most) return array;
  const int64_t count = array.shape[0];
  const bool pictures = array.type == DType::kUInt8 && array.shape.size() == 4;
  if (!pictures && elements(array.shape) / std::max<int64_t>(elements(port.shape), 1) != count)
    return array;
  const auto each = static_cast<std::ptrdiff_t>(array.data.size()) / count;
  Bytes data;
  for (const size_t row : chosen(static_cast<size_t>(count), most)) {
    const auto begin = array.data.begin() + static_cast<std::ptrdiff_t>(row) * each;
    data.insert(data.end(), begin, begin + each);
  }
  array.shape[0] = most;
  array.data = std::move(data);
  return array;
}

bool is_taken_as_it_is(const std::string& extension) {
  return extension == ".safetensors" || extension == ".npz" || extension == ".pb";
}

}  // namespace

SampleReader::SampleReader(const Graph& graph, const ModelMetadata& metadata, Preprocessing asked)
    : graph_(graph), asked_(std::move(asked)) {
  for (size_t k = 0; k < graph.inputs.size(); ++k) ports_.push_back(input_port(graph, k, metadata));
}

bool SampleReader::knows(const std::string& file) {
  const std::string extension = extension_of(file);
  return is_image_name(file) || extension == ".npy" || is_taken_as_it_is(extension) ||
         extension == ".wav" || extension == ".csv";
}

std::vector<Sample> SampleReader::read(const std::string& file, int64_t most) const {
  const std::string extension = extension_of(file);
  if (is_image_name(file))
    return {sample_of(prepared_picture(only_port(file), read_image(file), asked_, file))};
  if (extension == ".wav") return from_sound(file);
  if (extension == ".csv") return from_table(file, most);
  if (extension == ".npy") return from_array(file, most);
  if (!is_taken_as_it_is(extension) && !std::filesystem::is_directory(file)) {
    throw CompileError(file,
                       "inputs come from pictures (.png, .jpg, .bmp), sound (.wav), numbers "
                       "(.csv), .npy, .npz, .safetensors or .pb files");
  }
  if (asked_.normalises()) {
    throw CompileError(file,
                       "is taken as it is; --scale, --mean and --std are for pictures, sound, "
                       ".csv and .npy files");
  }
  std::vector<Sample> samples;
  for (std::vector<Bytes>& inputs : input_sets(graph_, read_tensors(file), file))
    samples.push_back({.inputs = std::move(inputs), .how = {}, .warnings = {}});
  return samples;
}

const InputPort& SampleReader::only_port(const std::string& file) const {
  if (ports_.size() == 1) return ports_[0];
  throw CompileError(file, fmt::format("is one tensor, the network has {} inputs; use .safetensors "
                                       "with input.0, input.1, ...",
                                       ports_.size()));
}

std::vector<Sample> SampleReader::from_array(const std::string& file, int64_t most) const {
  const InputPort& port = only_port(file);
  TensorFile content = read_tensors(file);
  NamedTensor& array = content.tensors.at("input.0");
  array = thinned(std::move(array), port, most);
  std::vector<Sample> samples;
  if (array.type == port.tensor.type && !asked_.normalises()) {
    for (std::vector<Bytes>& inputs : input_sets(graph_, content, file))
      samples.push_back({.inputs = std::move(inputs), .how = {}, .warnings = {}});
    return samples;
  }
  if (const auto form = picture_form(port, asked_.axes)) {
    for (const Image& picture : pictures_in(array, *form))
      samples.push_back(sample_of(prepared_picture(port, picture, asked_, file)));
    if (!samples.empty()) return samples;
  }
  const size_t inferences = inferences_in(array, port, asked_.normalises(), file);
  const std::vector<float> values =
      dequantised({"", array.shape, array.type, {}, nullptr}, array.data);
  const auto count = static_cast<std::ptrdiff_t>(values.size() / inferences);
  for (auto begin = values.begin(); begin != values.end(); begin += count)
    samples.push_back(sample_of(prepared_numbers(port, {begin, begin + count}, asked_, file)));
  return samples;
}

std::vector<Sample> SampleReader::from_sound(const std::string& file) const {
  std::vector<Sample> samples;
  for (PreparedInput& prepared :
       prepared_sound(only_port(file), read_wav(file), asked_, !graph_.states.empty(), file))
    samples.push_back(sample_of(std::move(prepared)));
  return samples;
}

std::vector<Sample> SampleReader::from_table(const std::string& file, int64_t most) const {
  const InputPort& port = only_port(file);
  const NumberTable table = read_numbers(file);
  const auto count = static_cast<size_t>(elements(port.shape));
  if (table.values.size() == count || table.columns != count)
    return {sample_of(prepared_numbers(port, table.values, asked_, file))};
  std::vector<Sample> samples;
  for (const size_t r : chosen(table.rows, most)) {
    const auto row = table.values.begin() + static_cast<std::ptrdiff_t>(r * count);
    samples.push_back(sample_of(
        prepared_numbers(port, {row, row + static_cast<std::ptrdiff_t>(count)}, asked_, file)));
  }
  return samples;
}

std::vector<InputCase> cases_of(const Graph& graph, const std::vector<Sample>& samples,
                                const std::string& file) {
  std::vector<InputCase> cases;
  for (const Sample& sample : samples) {
    cases.push_back(
        {.name = samples.size() == 1 ? file : fmt::format("inference {} of {}", cases.size(), file),
         .inputs = sample.inputs,
         .outputs = {},
         .ops = {},
         .goes_on = !graph.states.empty() && !cases.empty()});
  }
  return cases;
}

}  // namespace thimble
