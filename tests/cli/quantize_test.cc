// SPDX-License-Identifier: Apache-2.0
// `thimble quantize`: what it writes, says and refuses.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/support/real_network.h"
#include "tests/support/shared.h"
#include "tests/support/test_graph.h"
#include "thimble/export/tflite.h"
#include "thimble/import/tensor_file.h"
#include "thimble/import/tflite.h"

namespace thimble::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Arguments = std::vector<std::string>;

class QuantizeCommand : public CommandLine {
 protected:
  /// An image of 6x6x2, two convolutions, ten classes.
  void write_model(const std::string& file) const {
    TestGraph net(1);
    const TensorId x = net.conv(net.input({1, 6, 6, 2}), 4, 3, 1);
    net.output(net.softmax(net.fully_connected(net.depthwise(x, 3, 1), 10)));
    write_tflite(real_network(net.graph()).value(), folder() / file);
  }
  void write_samples(const std::string& file, int64_t count, float first = 0) const {
    std::vector<float> values(static_cast<size_t>(count * 72));
    for (size_t k = 0; k < values.size(); ++k) values[k] = std::sin(static_cast<float>(k * k));
    values[0] = first;
    Bytes bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    write_npy(folder() / file, {DType::kFloat32, {count, 6, 6, 2}, std::move(bytes)});
  }
  [[nodiscard]] std::string refusal(Arguments arguments) const {
    arguments.insert(arguments.begin(), "quantize");
    arguments.insert(arguments.end(), {"-o", "out.tflite"});
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_FALSE(fs::exists(folder() / "out.tflite"));
    return result.err;
  }
};

TEST_F(QuantizeCommand, WritesAModelOfInt8ThatTheOtherCommandsTake) {
  write_model("m.tflite");
  write_samples("x.npy", 20);
  const ProcessResult made =
      thimble({"quantize", "m.tflite", "--data", "x.npy", "-o", "q.tflite", "--json", "q.json"});
  ASSERT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(made.out, AllOf(HasSubstr("4 operators, 4 of them in integers"),
                              HasSubstr("of 20 samples in x.npy"), HasSubstr("same class")));
  const json report = json_of(read("q.json"));
  EXPECT_EQ(report.at("samples"), 20);
  EXPECT_GT(report.at("outputs").at(0).at("sqnr_db").get<double>(), 20);
  EXPECT_GE(report.at("agreeing_samples").get<int>(), 18);
  const Graph graph = import_tflite(folder() / "q.tflite");
  EXPECT_EQ(graph.tensor(graph.inputs[0].tensor).type, DType::kInt8);
  EXPECT_EQ(graph.tensor(graph.outputs[0].tensor).type, DType::kInt8);
  EXPECT_EQ(thimble_as_is({"compile", "q.tflite", "-o", "out"}).exit_status, 0);
}

TEST_F(QuantizeCommand, KeepsPortsOfFloat32ByTheirNames) {
  write_model("m.tflite");
  write_samples("x.npy", 3);
  const ProcessResult made =
      thimble({"quantize", "m.tflite", "--data", "x.npy", "-o", "q.tflite", "--io", "float32"});
  ASSERT_EQ(made.exit_status, 0) << made.err;
  const Graph before = import_tflite(folder() / "m.tflite");
  const Graph after = import_tflite(folder() / "q.tflite");
  for (const auto ports : {&Graph::inputs, &Graph::outputs}) {
    const Tensor& x = before.tensor((before.*ports)[0].tensor);
    const Tensor& y = after.tensor((after.*ports)[0].tensor);
    EXPECT_EQ(y.type, DType::kFloat32);
    EXPECT_EQ(y.name, x.name);
  }
}

TEST_F(QuantizeCommand, MakesTheSameOfSamplesInAnyOrder) {
  write_model("m.tflite");
  fs::create_directories(folder() / "a");
  fs::create_directories(folder() / "b");
  for (int n = 0; n < 3; ++n) {
    write_samples(fmt::format("a/{}.npy", n), 1, static_cast<float>(n));
    write_samples(fmt::format("b/{}.npy", n), 1, static_cast<float>(2 - n));
  }
  for (const char* folder : {"a", "b"}) {
    const ProcessResult made =
        thimble({"quantize", "m.tflite", "--data", folder, "-o", std::string(folder) + ".tflite"});
    ASSERT_EQ(made.exit_status, 0) << made.err;
  }
  EXPECT_EQ(read("a.tflite"), read("b.tflite"));
}

TEST_F(QuantizeCommand, SaysWhatIsWrong) {
  write_model("m.tflite");
  write_samples("x.npy", 2);
  write_samples("nan.npy", 2, NAN);
  write("broken.png", "no picture");
  write_npy(folder() / "small.npy", {DType::kFloat32, {2, 3}, Bytes(24)});
  fs::create_directories(folder() / "nothing");
  EXPECT_THAT(refusal({"m.tflite"}), HasSubstr("--data is required"));
  EXPECT_THAT(refusal({"m.tflite", "--data", "none"}),
              HasSubstr("none: there is no such file or folder"));
  EXPECT_THAT(refusal({"m.tflite", "--data", "nothing"}), HasSubstr("nothing: has no samples"));
  EXPECT_THAT(refusal({"m.tflite", "--data", "nan.npy"}),
              HasSubstr("nan.npy: has values that are no finite numbers"));
  EXPECT_THAT(refusal({"m.tflite", "--data", "small.npy"}), HasSubstr("small.npy: is float32 2x3"));
  EXPECT_THAT(refusal({"m.tflite", "--data", "broken.png"}), HasSubstr("broken.png: "));
  EXPECT_THAT(refusal({"zoo:demo", "--data", "x.npy"}), HasSubstr("x.npy: is float32"));
  ASSERT_EQ(thimble({"quantize", "m.tflite", "--data", "x.npy", "-o", "q.tflite"}).exit_status, 0);
  EXPECT_THAT(refusal({"q.tflite", "--data", "x.npy"}),
              HasSubstr("has no operator of float32 that has a form in integers"));
  EXPECT_THAT(names(), ElementsAre("broken.png", "m.tflite", "nan.npy", "nothing", "q.tflite",
                                   "small.npy", "x.npy"));
}

TEST_F(QuantizeCommand, WarnsOfRangesThatOneSampleGave) {
  write_model("m.tflite");
  write_samples("x.npy", 1);
  const ProcessResult made = thimble({"quantize", "m.tflite", "--data", "x.npy", "-o", "q.tflite"});
  EXPECT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("WARNING: all ranges are of one sample"));
}

TEST_F(QuantizeCommand, WritesOtherFormats) {
  write_model("m.tflite");
  write_samples("x.npy", 30);
  const auto made = [&](Arguments options) {
    options.insert(options.begin(), {"quantize", "m.tflite", "--data", "x.npy", "-o", "q.tflite",
                                     "--force", "--json", "q.json"});
    const ProcessResult result = thimble(options);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return import_tflite(folder() / "q.tflite");
  };
  const auto type_of = [](const Graph& graph, const Port& port) {
    return graph.tensor(port.tensor).type;
  };
  const Graph wide = made({"--format", "int16"});
  EXPECT_EQ(type_of(wide, wide.inputs[0]), DType::kInt16);
  const double of_int16 = json_of(read("q.json")).at("outputs").at(0).at("sqnr_db").get<double>();
  const Graph plain = made({});
  EXPECT_EQ(type_of(plain, plain.outputs[0]), DType::kInt8);
  EXPECT_GT(of_int16, json_of(read("q.json")).at("outputs").at(0).at("sqnr_db").get<double>() + 6);
  const Graph bytes = made({"--io", "uint8"});
  EXPECT_EQ(type_of(bytes, bytes.inputs[0]), DType::kUInt8);
  EXPECT_EQ(bytes.tensor(bytes.inputs[0].tensor).name, "t0");

  const auto size = fs::file_size(folder() / "q.tflite");
  const Graph narrow = made({"--format", "int4"});
  EXPECT_LT(fs::file_size(folder() / "q.tflite"), size);
  for (const Op& op : narrow.ops) {
    if (!std::holds_alternative<FullyConnected>(op.attributes)) continue;
    for (const uint8_t weight : *narrow.tensor(op.inputs[1]).data)
      EXPECT_LE(std::abs(static_cast<int8_t>(weight)), 7);
  }
  EXPECT_EQ(thimble_as_is({"compile", "q.tflite", "-o", "out"}).exit_status, 0);

  const Graph mixed = made({"--layer", "0=int16", "--layer", "2=float32"});
  EXPECT_EQ(mixed.tensor(mixed.ops[1].outputs[0]).type, DType::kInt16);
  EXPECT_THAT(read("q.json"), HasSubstr("FULLY_CONNECTED #2"));
  EXPECT_THAT(refusal({"m.tflite", "--data", "x.npy", "--layer", "9=int8"}),
              HasSubstr("--layer: the network has no operator #9"));
  EXPECT_THAT(refusal({"m.tflite", "--data", "x.npy", "--layer", "0=int3"}),
              HasSubstr("--layer: '0=int3' is not the number of an operator"));
}

TEST_F(QuantizeCommand, ChoosesFormatsUnderABudget) {
  write_model("m.tflite");
  write_samples("x.npy", 30);
  const auto rows = [&](Arguments options) {
    options.insert(options.begin(), {"quantize", "m.tflite", "--data", "x.npy", "-o", "q.tflite",
                                     "--force", "--json", "q.json"});
    const ProcessResult result = thimble(options);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return json_of(read("q.json")).at("formats");
  };
  const json front = rows({"--front", "--core", "cortex-m4", "--weights", "compact"});
  ASSERT_GT(front.size(), 1);
  EXPECT_EQ(front.at(0).at("taken"), true);
  EXPECT_EQ(front.at(0).at("formats"), "int8");
  for (size_t k = 1; k < front.size(); ++k) {
    EXPECT_LT(front.at(k).at("weight_bytes"), front.at(k - 1).at("weight_bytes"));
    EXPECT_GT(front.at(k).at("flash_bytes"), front.at(k).at("weight_bytes"));
    EXPECT_THAT(front.at(k).at("formats").get<std::string>(), HasSubstr("int4: "));
    EXPECT_GT(front.at(k).at("instructions"), 0);
  }
  const int least = front.back().at("weight_bytes").get<int>();
  for (const json& row : rows({"--weight-bytes", std::to_string(least)}))
    EXPECT_EQ(row.at("taken"), row.at("weight_bytes") == least);
  EXPECT_THAT(refusal({"m.tflite", "--data", "x.npy", "--weight-bytes", std::to_string(least - 1)}),
              HasSubstr(fmt::format("the smallest weights have {} bytes", least)));
  EXPECT_THAT(refusal({"m.tflite", "--data", "x.npy", "--weight-bytes", "few"}),
              HasSubstr("--weight-bytes: "));
  // What all lose may be lost: the smallest weights are taken.
  EXPECT_EQ(rows({"--accuracy-drop", "100"}).back().at("taken"), true);
}

TEST_F(QuantizeCommand, JudgesSomebodysModel) {
  write_model("m.tflite");
  write_samples("x.npy", 30);
  ASSERT_EQ(thimble({"quantize", "m.tflite", "--data", "x.npy", "-o", "q.tflite"}).exit_status, 0);
  const auto check = [&](const std::string& model) {
    return thimble({"quantize", "m.tflite", "--data", "x.npy", "--check", model});
  };
  const ProcessResult result = check("q.tflite");
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("q.tflite: "), HasSubstr("beside     m.tflite"),
                                HasSubstr("same class"), HasSubstr("most noise")));
  EXPECT_THAT(check("m.tflite").out, HasSubstr("scores     exact"));
  TestGraph other(2);
  other.output(other.conv(other.input({1, 6, 6, 3}), 4, 3, 1));
  write_tflite(other.graph(), folder() / "other.tflite");
  EXPECT_THAT(check("other.tflite").err, HasSubstr("they are not two forms of one network"));
  EXPECT_THAT(thimble({"quantize", "m.tflite", "--data", "x.npy"}).err,
              HasSubstr("-o: says what to write; --check FILE judges"));
}

TEST_F(QuantizeCommand, TakesSomeOfVeryManySamples) {
  write_model("m.tflite");
  write_samples("x.npy", 30000);
  const ProcessResult made = thimble({"quantize", "m.tflite", "--data", "x.npy", "-o", "q.tflite"});
  EXPECT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("of 1000 samples in x.npy"));
}

/// Samples of which the published model was made of others; of those that it is judged by none.
TEST_F(QuantizeCommand, IsAsGoodAsThePublishedModels) {
  THIMBLE_NEEDS_SHARED();
  const std::string ptq = (shared_folder() / "ptq").string();
  const auto quantized = [&](const std::string& model, const std::string& data,
                             const Arguments& options) {
    Arguments arguments = {"quantize", model, "--data", data, "-o", "q.tflite", "--force"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return result.out;
  };
  // Beside the float network: shares of the samples.
  struct Shares {
    double same = 0, right = 0;
  };
  const auto judged = [&](const std::string& real, const std::string& made, const std::string& data,
                          const Arguments& options) {
    Arguments arguments = {"quantize", real,      "--check", made,    "--data",
                           data,       "--force", "--json",  "c.json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    const json report = json_of(read("c.json"));
    const double samples = report.at("judged_samples").get<double>();
    return Shares{report.at("agreeing_samples").get<double>() / samples,
                  report.value("right_samples", json()).is_null()
                      ? 0
                      : report.at("right_samples").get<double>() / samples};
  };
  const std::string images = ptq + "/ic_eval_jpeg.npy", few = ptq + "/ic_calibration.npy";
  const std::string real = shared_model("pretrainedResnet_float");
  const Arguments pixels = {"--scale", "1"};
  (void)quantized(real, few, pixels);
  const Shares equal = judged(real, "q.tflite", images, pixels);
  const Shares published = judged(real, shared_model("pretrainedResnet_quant"), images, pixels);
  EXPECT_GT(equal.same, published.same);
  EXPECT_GE(equal.same, 0.96);
  EXPECT_GE(equal.right, published.right - 0.01);

  const std::string unequal =
      (shared_folder() / "onnx/mlperf_tiny/ic_resnet_unequal.onnx").string();
  EXPECT_THAT(quantized(unequal, few, {"--scale", "1", "--ranges", "min-max"}),
              HasSubstr("channels equalised"));
  const Shares twin = judged(unequal, "q.tflite", images, pixels);
  EXPECT_GE(twin.same, 0.96);
  EXPECT_GE(twin.right, equal.right - 0.01);

  (void)quantized(real, few, {"--scale", "1", "--format", "int4", "--ranges", "min-max"});
  const Shares narrow = judged(real, "q.tflite", images, pixels);
  EXPECT_GE(narrow.same, 0.91);
  EXPECT_GE(narrow.right, equal.right - 0.015);

  const Arguments features = {"--scale", "0.584703", "--mean", "48.530349"};
  const std::string words = shared_model("kws_ref_model_float32");
  (void)quantized(words, ptq + "/kws_calibration_int8.npy", features);
  const Shares kws = judged(words, "q.tflite", ptq + "/kws_eval_int8.npy", features);
  EXPECT_GE(kws.same, 0.985);
  EXPECT_GT(
      kws.same,
      judged(words, shared_model("kws_ref_model"), ptq + "/kws_eval_int8.npy", features).same);
}

}  // namespace
}  // namespace thimble::testing
