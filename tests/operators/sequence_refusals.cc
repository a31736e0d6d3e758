// SPDX-License-Identifier: Apache-2.0
// Refusals of operators with a state, and of the audio front end.
#include <iterator>
#include <memory>

#include "tests/operators/literal_ops.h"
#include "tests/operators/refusals.h"
#include "tests/operators/spoil.h"

namespace thimble::testing {
namespace {

using namespace spoil;

const Refusal kRecurrent[] = {
    {"svdf_features", "have 2 axes, the output has 3",
     [](Graph& g) {
       set_shape(g, 0, {2, 4, 1});
     }},
    {"svdf_features", "the output is int8 or int16",
     [](Graph& g) { operand(g, 0).type = DType::kInt16; }},
    {"svdf_features", "the weights are a constant", [](Graph& g) { operand(g, 1).data = nullptr; }},
    {"svdf_features", "the weights' zero point is 0",
     [](Graph& g) { operand(g, 1).quantization.zero_points = {1}; }},
    {"svdf_features", "as long as one of the input",
     [](Graph& g) {
       set_shape(g, 0, {2, 5});
     }},
    {"svdf_features", "input scale x weight scale / output scale is below 2^30",
     [](Graph& g) { set_scale(output(g), 1e-12F); }},
    {"shift_in", "1 along the last axis",
     [](Graph& g) {
       set_shape(g, 1, {2, 6, 2});
     }},
    {"svdf", "there are 3 inputs", [](Graph& g) { op(g).inputs.pop_back(); }},
    {"svdf", "the state has 3 axes",
     [](Graph& g) {
       set_shape(g, 0, {12, 4});
     }},
    {"svdf", "both int8 or both int16", [](Graph& g) { operand(g, 0).type = DType::kInt16; }},
    {"svdf", "have one positive", [](Graph& g) { set_scale(operand(g, 0), 0); }},
    {"svdf", "there is no fused activation",
     [](Graph& g) { attributes<SvdfOutput>(g).activation = Activation::kRelu; }},
    {"svdf", "for every filter and time",
     [](Graph& g) {
       set_shape(g, 0, {2, 6, 5});
     }},
    {"svdf", "state scale x weight scale", [](Graph& g) { set_scale(output(g), 1e-12F); }},
    {"lstm", "no peepholes", [](Graph& g) { op(g).inputs.pop_back(); }},
    {"lstm", "3 axes (batch, time, channels)",
     [](Graph& g) {
       set_shape(g, 0, {6, 4});
     }},
    {"lstm", "hidden state and output are int8",
     [](Graph& g) { operand(g, 0).type = DType::kInt16; }},
    {"lstm", "weights and biases are constants", [](Graph& g) { operand(g, 2).data = nullptr; }},
    {"lstm", "hidden state has the output's", [](Graph& g) { set_scale(operand(g, 1), 0.25F); }},
    {"lstm", "one scale below 1",
     [](Graph& g) {
       operand(g, 2).quantization = {{0.01F}, {0}, 0};
     }},
    {"lstm", "between 2^-24 and 2^16", [](Graph& g) { set_scale(operand(g, 0), 1e9F); }},
    {"lstm", "a power of two", [](Graph& g) { attributes<Lstm>(g).cell_scale = 0.3F; }},
    {"lstm", "clip is within int16", [](Graph& g) { attributes<Lstm>(g).cell_clip = -1; }},
    {"lstm", "in float32 is a number", [](Graph& g) { attributes<Lstm>(g).real_clip = -1; }},
    {"lstm", "all be int8, those of each gate with one scale and all with one zero point",
     [](Graph& g) {
       for (const size_t k : {0, 1, 4, 5}) operand(g, k).type = DType::kFloat32;
       operand(g, 3).quantization.zero_points[1] = 1;
     }},
    {"lstm", "extents that follow from batch",
     [](Graph& g) {
       set_shape(g, 1, {2, 14});
     }},
};

void set_type(Graph& g, size_t i) { operand(g, i).type = DType::kInt8; }

const Refusal kSignal[] = {
    {"signal_window", "the weights have 1 axis",
     [](Graph& g) {
       set_shape(g, 1, {1, 8});
     }},
    {"signal_window", "inputs and output are int16", [](Graph& g) { set_type(g, 0); }},
    {"signal_window", "the weights are a constant", [](Graph& g) { operand(g, 1).data = nullptr; }},
    {"signal_window", "a weight for each index",
     [](Graph& g) {
       set_shape(g, 0, {2, 7});
     }},
    {"signal_window", "the shift is 0 to 31",
     [](Graph& g) { attributes<SignalWindow>(g).shift = 32; }},
    {"signal_auto_shift", "the output none", [](Graph& g) { output(g).shape = {1}; }},
    {"signal_auto_shift", "the input is int16, the output int32", [](Graph& g) { set_type(g, 0); }},
    {"signal_shift", "the shift none", [](Graph& g) { set_shape(g, 1, {1}); }},
    {"signal_shift", "input and output are int16, the shift is int32",
     [](Graph& g) { set_type(g, 1); }},
    {"signal_rfft", "input and output are int16", [](Graph& g) { set_type(g, 0); }},
    {"signal_rfft", "no prime factor above 5",
     [](Graph& g) { attributes<SignalRfft>(g).size = 14; }},
    {"signal_rfft", "no prime factor above 5",
     [](Graph& g) { attributes<SignalRfft>(g).size = 2; }},
    {"signal_rfft", "no prime factor above 5",
     [](Graph& g) { attributes<SignalRfft>(g).size = 65536; }},
    {"signal_rfft", "is at most as long",
     [](Graph& g) {
       set_shape(g, 0, {2, 13});
     }},
    {"signal_irfft", "input and output are int16", [](Graph& g) { set_type(g, 0); }},
    {"signal_irfft", "no prime factor above 5",
     [](Graph& g) { attributes<SignalIrfft>(g).size = 14; }},
    {"signal_irfft", "longer by 2", [](Graph& g) { attributes<SignalIrfft>(g).size = 10; }},
    {"signal_energy", "inputs and output have 1 axis",
     [](Graph& g) {
       set_shape(g, 0, {2, 4});
     }},
    {"signal_energy", "the input is int16, the output uint32", [](Graph& g) { set_type(g, 0); }},
    {"signal_energy", "pairs of numbers", [](Graph& g) { set_shape(g, 0, {9}); }},
    {"signal_energy", "at most the number of pairs",
     [](Graph& g) { attributes<SignalEnergy>(g).end = 5; }},
    {"signal_energy", "at most the number of pairs",
     [](Graph& g) { attributes<SignalEnergy>(g).begin = -1; }},
    {"signal_filter_bank", "there are 6 inputs", [](Graph& g) { op(g).inputs.pop_back(); }},
    {"signal_filter_bank", "the output uint64", [](Graph& g) { set_type(g, 0); }},
    {"signal_filter_bank", "all but the input are constants",
     [](Graph& g) { operand(g, 4).data = nullptr; }},
    {"signal_filter_bank", "bands lie inside", [](Graph& g) { set_shape(g, 0, {513}); }},
    {"signal_square_root", "the shift int32, the output uint32", [](Graph& g) { set_type(g, 1); }},
    {"signal_noise", "inputs and output are uint32", [](Graph& g) { set_type(g, 0); }},
    {"signal_noise", "both inputs have the same shape", [](Graph& g) { set_shape(g, 1, {7}); }},
    {"signal_noise", "smoothing is not negative",
     [](Graph& g) { attributes<SignalNoise>(g).one_minus_smoothing[1] = -1; }},
    {"signal_noise", "smoothing is not negative",
     [](Graph& g) { attributes<SignalNoise>(g).bits = 32; }},
    {"signal_subtraction", "what remains is not negative",
     [](Graph& g) { attributes<SignalSubtraction>(g).smoothing_bits = -1; }},
    {"signal_pcan", "3 inputs: signal, noise and gains", [](Graph& g) { op(g).inputs.pop_back(); }},
    {"signal_pcan", "the gains int16", [](Graph& g) { set_type(g, 1); }},
    {"signal_pcan", "the gains are a constant", [](Graph& g) { operand(g, 2).data = nullptr; }},
    {"signal_pcan", "there are 125 gains",
     [](Graph& g) {
       set_shape(g, 2, {124});
       operand(g, 2).data = std::make_shared<Bytes>(248);
     }},
    {"signal_pcan", "the shift is 0 to 63", [](Graph& g) { attributes<SignalPcan>(g).shift = 64; }},
    {"signal_log", "the input is uint32, the output int16", [](Graph& g) { set_type(g, 0); }},
    {"signal_log", "the correction 0 to 31 bits",
     [](Graph& g) { attributes<SignalLog>(g).scale = -1; }},
};

}  // namespace

std::vector<Refusal> refusals_of_sequences() {
  std::vector<Refusal> result(std::begin(kRecurrent), std::end(kRecurrent));
  result.insert(result.end(), std::begin(kSignal), std::end(kSignal));
  return result;
}

}  // namespace thimble::testing
