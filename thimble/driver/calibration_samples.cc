// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/calibration_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "thimble/driver/labelled_set.h"
#include "thimble/model/error.h"
#include "thimble/quantise/range.h"
#include "thimble/reference/real_values.h"

namespace thimble {
namespace {

void check_numbers(const Graph& graph, const SampleInputs& inputs, const std::string& file) {
  for (size_t p = 0; p < inputs.size(); ++p) {
    const Tensor& tensor = graph.tensor(graph.inputs[p].tensor);
    if (tensor.type == DType::kFloat32 && !range_of(dequantised(tensor, inputs[p])).is_finite())
      throw CompileError(file,
                         "has values that are no finite numbers, for which no integer stands");
  }
}

void warn_of_few(const std::vector<SampleInputs>& samples, std::vector<std::string>& warnings) {
  if (samples.size() == 1) {
    warnings.emplace_back("all ranges are of one sample: others may lie beyond them");
  } else if (std::ranges::all_of(samples, [&](const auto& s) { return s == samples[0]; })) {
    warnings.emplace_back("all samples are the same: ranges are of one");
  }
}

template <class T>
std::vector<T> thinned(std::vector<T> all, int64_t most) {
  std::vector<T> result;
  for (const size_t k : chosen(all.size(), most)) result.push_back(std::move(all[k]));
  return result;
}

/// By file: of each of its samples.
std::map<std::string, std::vector<std::string>> known_labels(const std::string& data) {
  std::map<std::string, std::vector<std::string>> result;
  if (data.ends_with(".csv")) return result;  // numbers, no list of files
  try {
    for (LabelledFile& file : labelled_set(data, "").files)
      result[file.path] = std::move(file.labels);
  } catch (const CompileError&) {
    result.clear();  // samples need no labels
  }
  return result;
}

}  // namespace

CalibrationSamples calibration_samples(const Graph& graph, const SampleReader& reader,
                                       const std::string& data, int64_t limit) {
  const int64_t most = limit > 0 ? limit : kUsualSamples;
  std::vector<std::string> files = sample_files(data);
  const std::map<std::string, std::vector<std::string>> labels = known_labels(data);
  const size_t all = files.size();
  files = thinned(std::move(files), most);
  std::vector<CalibrationSample> samples;
  std::set<std::string> said;
  for (const std::string& file : files) {
    std::vector<Sample> read = reader.read(file, most);
    const auto known = labels.find(file);
    const std::vector<std::string> of_file =
        known == labels.end() ? std::vector<std::string>{} : thinned(known->second, most);
    for (size_t k = 0; k < read.size(); ++k) {
      check_numbers(graph, read[k].inputs, file);
      samples.push_back({std::move(read[k].inputs)});
      if (of_file.size() == read.size()) samples.back().label = of_file[k];
      said.insert(read[k].warnings.begin(), read[k].warnings.end());
    }
    // Files of several samples each must not add up.
    if (std::ssize(samples) > 4 * most) samples = thinned(std::move(samples), most);
  }
  if (samples.empty()) throw CompileError(data, "has no samples");
  samples = thinned(std::move(samples), most);
  std::ranges::sort(samples, {}, &CalibrationSample::inputs);  // whatever their order in the data
  CalibrationSamples result;
  for (CalibrationSample& sample : samples) {
    result.inputs.push_back(std::move(sample.inputs));
    if (!sample.label.empty()) result.labels.push_back(std::move(sample.label));
  }
  if (result.labels.size() != result.inputs.size()) result.labels.clear();
  result.warnings.assign(said.begin(), said.end());
  if (files.size() < all)
    result.warnings.push_back(
        fmt::format("{} of {} files were read, from all over the set; "
                    "--limit takes more",
                    files.size(), all));
  warn_of_few(result.inputs, result.warnings);
  return result;
}

}  // namespace thimble
