// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thimble/import/labels.h"
#include "thimble/import/model_metadata.h"
#include "thimble/import/tflite/file.h"
#include "thimble/import/utf8.h"
#include "thimble/import/zip.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr std::string_view kMetadataName = "TFLITE_METADATA";
constexpr int64_t kMostLabelBytes = int64_t{4} << 20;
constexpr flatbuffers::uoffset_t kMostNesting = 16, kMostTables = 10'000;

struct MetadataReader {
  std::span<const uint8_t> file;
  const std::string& where;
  ModelMetadata result = {};

  std::vector<std::string> labels(const tflmeta::TensorMetadata& tensor) {
    if (tensor.associated_files() == nullptr) return {};
    for (const tflmeta::AssociatedFile* listed : *tensor.associated_files()) {
      const bool of_axis = listed->type() == tflmeta::AssociatedFileType::TENSOR_AXIS_LABELS;
      const bool of_values = listed->type() == tflmeta::AssociatedFileType::TENSOR_VALUE_LABELS;
      if ((!of_axis && !of_values) || listed->name() == nullptr) continue;
      const std::string_view name = listed->name()->string_view();
      try {
        return labels_in(zip_member(file, name, kMostLabelBytes, where),
                         fmt::format("{}: {}", where, printable(name)));
      } catch (const CompileError& error) {
        result.faults.emplace_back(error.what());
      }
    }
    return {};
  }

  /// Numbers that can be computed with; else none.
  std::vector<float> numbers(const flatbuffers::Vector<float>* given, bool divides) {
    if (given == nullptr) return {};
    std::vector<float> values(given->begin(), given->end());
    const bool fit = std::ranges::all_of(
        values, [&](float x) { return std::isfinite(x) && !(divides && x == 0); });
    if (fit) return values;
    result.faults.push_back(where + ": what its metadata say of normalisation is damaged");
    return {};
  }

  TensorMetadata tensor(const tflmeta::TensorMetadata& from) {
    TensorMetadata to;
    to.labels = labels(from);
    if (from.content() != nullptr) {
      const auto* image = from.content()->content_properties_as_ImageProperties();
      if (image != nullptr && image->color_space() == tflmeta::ColorSpaceType::RGB)
        to.colours = Colours::kRgb;
      if (image != nullptr && image->color_space() == tflmeta::ColorSpaceType::GRAYSCALE)
        to.colours = Colours::kGray;
    }
    if (from.process_units() == nullptr) return to;
    for (const tflmeta::ProcessUnit* unit : *from.process_units()) {
      const auto* options = unit->options_as_NormalizationOptions();
      if (options == nullptr) continue;
      to.mean = numbers(options->mean(), false);
      to.std = numbers(options->std(), true);
    }
    if (to.mean.empty() || to.std.empty()) to.mean = to.std = {};
    return to;
  }

  using Tensors = flatbuffers::Vector<flatbuffers::Offset<tflmeta::TensorMetadata>>;
  std::vector<TensorMetadata> tensors(const Tensors* given, size_t count, const char* what) {
    if (given == nullptr) return {};
    if (given->size() != count) {
      result.faults.push_back(
          fmt::format("{}: its metadata know {} {}, it has {}", where, given->size(), what, count));
      return {};
    }
    std::vector<TensorMetadata> all;
    for (const tflmeta::TensorMetadata* from : *given) all.push_back(tensor(*from));
    return all;
  }
};

}  // namespace

ModelMetadata read_metadata(std::span<const uint8_t> bytes, const std::string& where) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % TfliteFile::kAlignment != 0) {
    const std::vector<uint8_t> aligned(bytes.begin(), bytes.end());
    return read_metadata(aligned, where);
  }
  const TfliteFile file(bytes, where, true);
  MetadataReader reader{.file = bytes, .where = where};
  try {
    const auto found = file.metadata(kMetadataName);
    if (!found) return {};
    // A vector's first byte has no alignment of its own.
    const std::vector<uint8_t> data(found->begin(), found->end());
    flatbuffers::Verifier verifier(data.data(), data.size(), kMostNesting, kMostTables);
    if (!tflmeta::VerifyModelMetadataBuffer(verifier))
      throw CompileError(where, "its metadata are damaged");
    const tflmeta::ModelMetadata& model = *tflmeta::GetModelMetadata(data.data());
    if (model.subgraph_metadata() == nullptr || model.subgraph_metadata()->size() == 0) return {};
    const tflmeta::SubGraphMetadata& network = *model.subgraph_metadata()->Get(0);
    reader.result.inputs =
        reader.tensors(network.input_tensor_metadata(), file.inputs().size(), "inputs");
    reader.result.outputs =
        reader.tensors(network.output_tensor_metadata(), file.outputs().size(), "outputs");
  } catch (const CompileError& error) {
    reader.result.faults.emplace_back(error.what());
  }
  return std::move(reader.result);
}

std::vector<std::string> labels_of(const ModelMetadata& metadata) {
  for (const TensorMetadata& output : metadata.outputs)
    if (!output.labels.empty()) return output.labels;
  return {};
}

}  // namespace thimble
