// SPDX-License-Identifier: Apache-2.0
// What turns sound into what networks of speech take: TensorFlow Lite Micro's
// audio_preprocessor_int8.tflite, operator by operator (docs/ports.md). Frames of 30 ms at 16 kHz,
// 512 points, 40 channels from 125 to 7500 Hz; the noise that is heard all the time is a state.
#include <cstring>
#include <utility>

#include "zoo/audio_tables.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

constexpr int64_t kSamples = 480, kPoints = 512, kChannels = 40;

/// A graph of integers, which nothing scales.
class Integers {
 public:
  explicit Integers(const std::string& name) { graph_.name = name; }

  TensorId tensor(const Shape& shape, DType type) {
    const auto number = static_cast<int32_t>(graph_.tensors.size());
    graph_.tensors.push_back(
        {.name = "audio/" + std::to_string(number), .shape = shape, .type = type});
    return {number};
  }
  template <class T>
  TensorId constant(const Shape& shape, DType type, const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    const TensorId result = tensor(shape, type);
    graph_.tensor(result).data = std::make_shared<const Bytes>(std::move(bytes));
    return result;
  }
  TensorId shorts(const std::vector<int16_t>& values) {
    return constant({static_cast<int64_t>(values.size())}, DType::kInt16, values);
  }
  TensorId op(Attributes attributes, std::vector<TensorId> inputs, const Shape& shape, DType type) {
    const TensorId result = tensor(shape, type);
    const auto number = static_cast<int>(graph_.ops.size());
    graph_.ops.push_back({std::move(attributes), std::move(inputs), {result}, number});
    return result;
  }
  /// An operator on each of the channels and a number.
  TensorId with_number(Attributes attributes, TensorId x, int32_t number) {
    const TensorId y = constant({}, DType::kInt32, std::vector{number});
    return op(std::move(attributes), {x, y}, {kChannels}, DType::kInt32);
  }
  /// Zeros at first.
  void keep(TensorId before, TensorId after) {
    const auto bytes = static_cast<size_t>(graph_.tensor(before).size_bytes());
    graph_.states.push_back({before, after, std::make_shared<const Bytes>(bytes)});
  }
  Graph finish(TensorId input, TensorId output) {
    graph_.inputs = {{input}};
    graph_.outputs = {{output}};
    check_graph(graph_);
    return std::move(graph_);
  }

 private:
  Graph graph_;
};

/// Energies of the spectrum in bands, as square roots.
TensorId bands(Integers& net, TensorId frame, TensorId shift) {
  const MelBank bank = mel_bank({.channels = kChannels});
  const TensorId spectrum = net.op(SignalRfft{kPoints}, {frame}, {kPoints + 2}, DType::kInt16);
  const TensorId energies =
      net.op(SignalEnergy{static_cast<int32_t>(bank.begin), static_cast<int32_t>(bank.end)},
             {spectrum}, {kPoints / 2 + 1}, DType::kUInt32);
  std::vector<int16_t> first_energies, first_weights, counts;
  for (const MelBank::Band& band : bank.bands) {
    first_energies.push_back(static_cast<int16_t>(band.first_energy));
    first_weights.push_back(static_cast<int16_t>(band.first_weight));
    counts.push_back(static_cast<int16_t>(band.count));
  }
  const TensorId sums =
      net.op(SignalFilterBank{},
             {energies, net.shorts(bank.weights), net.shorts(bank.unweights),
              net.shorts(first_energies), net.shorts(first_weights), net.shorts(counts)},
             {kChannels}, DType::kUInt64);
  return net.op(SignalSquareRoot{}, {sums, shift}, {kChannels}, DType::kUInt32);
}

/// Without the noise, and as loud as ever.
TensorId evened_out(Integers& net, TensorId heard) {
  constexpr int32_t kSmoothingBits = 10, kBits = 14;
  const TensorId before = net.tensor({kChannels}, DType::kUInt32);
  const SignalNoise estimate{.smoothing = {409, 983},
                             .one_minus_smoothing = {15975, 15401},
                             .smoothing_bits = kSmoothingBits,
                             .bits = kBits};
  const TensorId noise = net.op(estimate, {heard, before}, {kChannels}, DType::kUInt32);
  net.keep(before, noise);
  const SignalSubtraction subtraction{
      .min_signal_remaining = 819, .smoothing_bits = kSmoothingBits, .bits = kBits};
  const TensorId clean = net.op(subtraction, {heard, noise}, {kChannels}, DType::kUInt32);
  return net.op(SignalPcan{6}, {clean, noise, net.shorts(pcan_gains())}, {kChannels},
                DType::kUInt32);
}

/// Samples [480] int16 -> features [40] int8, of scale 26/256 and zero point -128.
Graph audio_preprocessor(const std::string& name, const Parameters&) {
  constexpr int32_t kWindowBits = 12;
  Integers net(name);
  const TensorId samples = net.tensor({kSamples}, DType::kInt16);
  const TensorId window = net.shorts(hann_window(kSamples, kWindowBits));
  const TensorId windowed =
      net.op(SignalWindow{kWindowBits}, {samples, window}, {kSamples}, DType::kInt16);
  const TensorId shift = net.op(SignalAutoShift{}, {windowed}, {}, DType::kInt32);
  const TensorId frame = net.op(SignalShift{}, {windowed, shift}, {kSamples}, DType::kInt16);
  const TensorId signal = evened_out(net, bands(net, frame, shift));
  const TensorId logarithms = net.op(SignalLog{64, 3}, {signal}, {kChannels}, DType::kInt16);
  TensorId x = net.op(Cast{}, {logarithms}, {kChannels}, DType::kInt32);
  x = net.with_number(Mul{}, x, 256);
  x = net.with_number(Add{}, x, 333);  // rounds
  x = net.with_number(Div{}, x, 666);
  x = net.with_number(Add{}, x, -128);
  x = net.with_number(Minimum{}, x, 127);
  x = net.with_number(Maximum{}, x, -128);
  return net.finish(samples, net.op(Cast{}, {x}, {kChannels}, DType::kInt8));
}

}  // namespace

std::vector<Network> audio_networks() {
  return {{"audio_preprocessor",
           "30 ms of sound at 16 kHz into 40 features; integers with a state",
           {},
           audio_preprocessor}};
}

}  // namespace thimble::zoo
