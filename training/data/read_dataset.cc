// SPDX-License-Identifier: Apache-2.0
#include "training/data/read_dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "thimble/inputs/fit.h"
#include "thimble/inputs/image.h"
#include "thimble/inputs/sound.h"
#include "thimble/model/error.h"
#include "thimble/search/parallel.h"
#include "training/data/named_files.h"
#include "training/data/sound_samples.h"

namespace thimble::training {
namespace {

namespace fs = std::filesystem;

/// One sample: where it is from, what it is, and whether it is to test.
struct Item {
  const NamedFile* file;
  fs::path folder;
  std::string label;
  bool test = false;
};

struct Listed {
  std::vector<std::vector<NamedFile>> files;  ///< of each archive or folder
  std::vector<Item> items;
};

uint64_t hash_of(const std::string& text) {
  uint64_t hash = 1469598103934665603ULL;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211ULL;
  return hash;
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  for (const fs::path& part : fs::path(name)) parts.push_back(part.string());
  return parts;
}

bool is_sound(const std::string& name) { return name.ends_with(".wav"); }

bool is_picture(const std::string& name) { return is_image_name(name); }

/// DIGIT_SPEAKER_N.wav: the digit and the speaker.
std::optional<std::pair<std::string, std::string>> spoken(const std::string& name) {
  const std::string stem = fs::path(name).stem().string();
  const size_t first = stem.find('_'), last = stem.rfind('_');
  if (!is_sound(name) || first == std::string::npos || first == last) return std::nullopt;
  return std::pair(stem.substr(0, first), stem.substr(first + 1, last - first - 1));
}

void split_by_speaker(const DatasetRequest& request, Listed& listed) {
  std::set<std::string> speakers;
  for (const Item& item : listed.items) speakers.insert(spoken(item.file->name)->second);
  std::set<std::string> apart(request.test_speakers.begin(), request.test_speakers.end());
  for (const std::string& one : apart) {
    if (!speakers.contains(one)) {
      throw CompileError("--test-speakers", fmt::format("there is no '{}'; there are {}", one,
                                                        fmt::join(speakers, ", ")));
    }
  }
  for (auto it = speakers.rbegin(); request.test_speakers.empty() && it != speakers.rend(); ++it)
    if (apart.size() < 2) apart.insert(*it);
  for (Item& item : listed.items) item.test = apart.contains(spoken(item.file->name)->second);
}

void add_by_class(const std::vector<NamedFile>& files, const fs::path& folder, size_t depth,
                  bool test, Listed& listed) {
  for (const NamedFile& file : files) {
    const std::vector<std::string> parts = parts_of(file.name);
    if (parts.size() < depth + 2 || !(is_sound(file.name) || is_picture(file.name))) continue;
    listed.items.push_back({&file, folder, parts[depth], test});
  }
}

/// Every fifth of each class, in an order that has nothing to do with names.
void split_each_class(Listed& listed) {
  std::map<std::string, std::vector<Item*>> by_class;
  for (Item& item : listed.items) by_class[item.label].push_back(&item);
  for (auto& [label, items] : by_class) {
    std::ranges::sort(items, {}, [](const Item* item) {
      return std::pair(hash_of(item->file->name), item->file->name);
    });
    for (size_t k = 0; k < items.size(); k += 5) items[k]->test = true;
  }
}

Listed list_items(const DatasetRequest& request) {
  Listed listed;
  const fs::path path = request.path;
  const fs::path train = path / "cifar10_train.tar", test = path / "cifar10_test.tar";
  if (fs::exists(train) && fs::exists(test)) {
    listed.files = {named_files(train), named_files(test)};
    add_by_class(listed.files[0], train, 1, false, listed);
    add_by_class(listed.files[1], test, 1, true, listed);
    return listed;
  }
  listed.files = {named_files(path)};
  const std::vector<NamedFile>& files = listed.files[0];
  const auto is_spoken = [](const NamedFile& file) { return spoken(file.name).has_value(); };
  const auto is_wav = [](const NamedFile& file) { return is_sound(file.name); };
  if (std::ranges::any_of(files, is_wav) &&
      std::ranges::count_if(files, is_wav) == std::ranges::count_if(files, is_spoken)) {
    for (const NamedFile& file : files)
      if (is_spoken(file)) listed.items.push_back({&file, path, spoken(file.name)->first});
    split_by_speaker(request, listed);
    return listed;
  }
  std::set<std::string> tops;
  for (const NamedFile& file : files) tops.insert(parts_of(file.name).front());
  if (tops.contains("train") && tops.contains("test")) {
    add_by_class(files, path, 1, false, listed);
    for (Item& item : listed.items) item.test = parts_of(item.file->name).front() == "test";
    std::erase_if(listed.items, [](const Item& item) {
      const std::string top = parts_of(item.file->name).front();
      return top != "train" && top != "test";
    });
  } else {
    add_by_class(files, path, 0, false, listed);
    split_each_class(listed);
  }
  return listed;
}

void limit(std::vector<Item>& items, int64_t most) {
  if (most == 0) return;
  std::map<std::pair<std::string, bool>, int64_t> seen;
  std::erase_if(items, [&](const Item& item) { return ++seen[{item.label, item.test}] > most; });
}

std::vector<int16_t> picture_steps(const Bytes& bytes, const Shape& shape,
                                   const std::string& name) {
  const Image as_stored = decoded_image(bytes, name);
  const Image image =
      fitted(shape[2] == 1 ? as_gray(as_stored) : as_rgb(as_stored), static_cast<int32_t>(shape[1]),
             static_cast<int32_t>(shape[0]), Resize::kBilinear, Fit::kStretch);
  return {image.pixels.begin(), image.pixels.end()};
}

std::vector<int16_t> steps_of(const Item& item, const DatasetRequest& request) {
  const Bytes bytes = content(item.folder, *item.file);
  const std::string name = (item.folder / item.file->name).string();
  if (is_sound(item.file->name)) {
    return sound_steps(decoded_wav(bytes, name), request.shape[1], item.test ? 1 : request.variants,
                       hash_of(item.file->name));
  }
  return picture_steps(bytes, request.shape, name);
}

void check_classes(const Dataset& data, const std::string& where) {
  if (data.classes.size() < 2) {
    throw CompileError(where,
                       fmt::format("has {} of the folders of samples, one for each class, of "
                                   "which two are the least",
                                   data.classes.size()));
  }
  for (const auto& [part, what] :
       {std::pair(&data.train, "to learn from"), {&data.test, "to test"}}) {
    for (size_t c = 0; c < data.classes.size(); ++c) {
      if (std::ranges::find(part->labels, static_cast<int32_t>(c)) == part->labels.end()) {
        throw CompileError(where,
                           fmt::format("class '{}' has no samples {}", data.classes[c], what));
      }
    }
  }
}

}  // namespace

Dataset read_dataset(const DatasetRequest& request) {
  if (request.shape.size() != 3) {
    throw CompileError(request.path,
                       fmt::format("samples are pictures or sound; the network takes {}",
                                   to_string(request.shape)));
  }
  Listed listed = list_items(request);
  std::vector<Item>& items = listed.items;
  limit(items, request.limit);
  if (items.empty())
    throw CompileError(request.path, "has no pictures or wav files in folders named after classes");
  Dataset data;
  data.name = fs::path(request.path).filename().string();
  const bool sound = is_sound(items.front().file->name);
  data.content = sound ? Content::kSound : Content::kPictures;
  std::set<std::string> classes;
  for (const Item& item : items) {
    classes.insert(item.label);
    if (is_sound(item.file->name) != sound)
      throw CompileError(request.path, "has pictures and sound: one of both is wanted");
  }
  if (sound && (request.shape[0] != 49 || request.shape[2] != 1 || request.shape[1] > 40)) {
    throw CompileError(request.path,
                       fmt::format("is sound, of which networks take 49x40x1 features "
                                   "or fewer coefficients; this one takes {}",
                                   to_string(request.shape)));
  }
  data.classes.assign(classes.begin(), classes.end());
  for (Examples* part : {&data.train, &data.test}) {
    part->shape = request.shape;
    part->scale = sound ? sound_scale(request.shape[1]) : static_cast<float>(request.white / 255);
  }
  if (sound) data.train.variants = request.variants;
  for (const Item& item : items) {
    const auto label = std::ranges::lower_bound(data.classes, item.label) - data.classes.begin();
    (item.test ? data.test : data.train).labels.push_back(static_cast<int32_t>(label));
  }
  check_classes(data, request.path);

  std::vector<size_t> places;  // in its part
  size_t trained = 0, tested = 0;
  for (const Item& item : items) places.push_back(item.test ? tested++ : trained++);
  const auto each = static_cast<size_t>(elements(request.shape));
  data.train.steps.resize(trained * data.train.variants * each);
  data.test.steps.resize(tested * each);
  std::atomic<size_t> done = 0;
  std::mutex mutex;
  in_parallel(items.size(), request.jobs, [&](size_t k, size_t) {
    const Item& item = items[k];
    const std::vector<int16_t> steps = steps_of(item, request);
    Examples& part = item.test ? data.test : data.train;
    std::ranges::copy(
        steps, part.steps.begin() + static_cast<std::ptrdiff_t>(places[k] * part.variants * each));
    const size_t now = ++done;
    if (now % 64 != 0 || !request.progress) return;
    const std::lock_guard lock(mutex);
    if (!request.progress(now, items.size()))
      throw CompileError(request.path, "reading was stopped");
  });
  return data;
}

}  // namespace thimble::training
