// SPDX-License-Identifier: Apache-2.0
#include "training/learn/checkpoint.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"

namespace thimble::training {
namespace {

constexpr const char* kFormat = "thimble-checkpoint-1";

void write_text(torch::serialize::OutputArchive& archive, const std::string& key,
                const std::string& text) {
  archive.write(key, torch::IValue(text));
}

std::string read_text(torch::serialize::InputArchive& archive, const std::string& key) {
  torch::IValue value;
  archive.read(key, value);
  return value.toStringRef();
}

torch::Tensor bits_of(const std::vector<bool>& open) {
  torch::Tensor bits = torch::zeros({static_cast<int64_t>(open.size())}, torch::kUInt8);
  for (size_t c = 0; c < open.size(); ++c) bits.data_ptr<uint8_t>()[c] = open[c] ? 1 : 0;
  return bits;
}

Checkpoint read_all(torch::serialize::InputArchive& archive, const std::string& where) {
  Checkpoint result;
  if (read_text(archive, "format") != kFormat) throw CompileError(where, "is no checkpoint");
  result.request = read_text(archive, "request");
  torch::IValue value;
  archive.read("stage", value);
  result.stage = value.toInt();
  archive.read("epoch", value);
  result.epoch = value.toInt();
  archive.read("groups", value);
  for (int64_t g = 0; g < value.toInt(); ++g) {
    torch::Tensor bits;
    archive.read(fmt::format("kept{}", g), bits);
    std::vector<bool>& open = result.kept.emplace_back();
    for (int64_t c = 0; c < bits.numel(); ++c) open.push_back(bits.data_ptr<uint8_t>()[c] != 0);
  }
  archive.read("optimisers", value);
  for (int64_t k = 0; k < value.toInt(); ++k)
    result.optimisers.push_back(read_text(archive, fmt::format("optimiser{}", k)));
  result.curve = curve_from(read_text(archive, "curve"), where);
  archive.read("tensors", value);
  for (int64_t k = 0; k < value.toInt(); ++k) {
    torch::Tensor tensor;
    archive.read(fmt::format("tensor{}", k), tensor);
    result.tensors[read_text(archive, fmt::format("name{}", k))] = tensor;
  }
  return result;
}

}  // namespace

void Checkpoint::save(const std::filesystem::path& file) const {
  torch::serialize::OutputArchive archive;
  write_text(archive, "format", kFormat);
  write_text(archive, "request", request);
  archive.write("stage", torch::IValue(stage));
  archive.write("epoch", torch::IValue(epoch));
  archive.write("groups", torch::IValue(static_cast<int64_t>(kept.size())));
  for (size_t g = 0; g < kept.size(); ++g)
    archive.write(fmt::format("kept{}", g), bits_of(kept[g]));
  archive.write("optimisers", torch::IValue(static_cast<int64_t>(optimisers.size())));
  for (size_t k = 0; k < optimisers.size(); ++k)
    write_text(archive, fmt::format("optimiser{}", k), optimisers[k]);
  write_text(archive, "curve", csv(curve));
  archive.write("tensors", torch::IValue(static_cast<int64_t>(tensors.size())));
  size_t k = 0;
  for (const auto& [name, tensor] : tensors) {
    write_text(archive, fmt::format("name{}", k), name);
    archive.write(fmt::format("tensor{}", k++), tensor.detach().contiguous());
  }
  std::ostringstream stream;
  archive.save_to(stream);
  const std::string text = stream.str();
  write_file(file, std::array{std::string_view(text)});
}

Checkpoint Checkpoint::load(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw CompileError(file.string(),
                       "there is no such file: no epoch of the run was finished, or "
                       "this is not its folder");
  }
  try {
    torch::serialize::InputArchive archive;
    archive.load_from(stream);
    return read_all(archive, file.string());
  } catch (const c10::Error&) {
    throw CompileError(file.string(), "is no checkpoint, or damaged");
  }
}

void restore(const NamedTensors& from, const NamedTensors& to, const std::string& prefix,
             const std::string& where) {
  const torch::NoGradGuard guard;
  for (const auto& [name, tensor] : to) {
    const auto found = from.find(prefix + name);
    if (found == from.end() || found->second.sizes() != tensor.sizes())
      throw CompileError(where, fmt::format("is of another network: {}{}", prefix, name));
    torch::Tensor target = tensor;
    target.copy_(found->second);
  }
}

void keep(NamedTensors& in, const NamedTensors& tensors, const std::string& prefix) {
  for (const auto& [name, tensor] : tensors) in[prefix + name] = tensor.detach().clone();
}

std::string state_of(const torch::optim::Optimizer& optimiser) {
  torch::serialize::OutputArchive archive;
  optimiser.save(archive);
  std::ostringstream stream;
  archive.save_to(stream);
  return stream.str();
}

void set_state(torch::optim::Optimizer& optimiser, const std::string& state,
               const std::string& where) {
  std::istringstream stream(state);
  try {
    torch::serialize::InputArchive archive;
    archive.load_from(stream);
    optimiser.load(archive);
  } catch (const c10::Error&) {
    throw CompileError(where, "has a state of learning that does not belong to its network");
  }
}

}  // namespace thimble::training
