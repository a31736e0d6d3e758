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

/// Samples of which the published model was made of others; of those that it is judged by none.
TEST_F(QuantizeCommand, IsAsGoodAsThePublishedModels) {
  THIMBLE_NEEDS_SHARED();
  const std::string ptq = (shared_folder() / "ptq").string();
  const auto accuracy = [&](const std::string& model, const std::string& samples,
                            const Arguments& options) {
    Arguments arguments = {"eval",      model,     samples,  "--on",
                           "reference", "--force", "--json", "e.json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return json_of(read("e.json")).at("accuracy").get<double>();
  };
  const auto quantized = [&](const std::string& model, const std::string& data,
                             const Arguments& options) {
    Arguments arguments = {"quantize", model, "--data", data, "-o", "q.tflite", "--force"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return result.out;
  };
  const std::string images = ptq + "/ic_eval_jpeg.npy";
  const std::string twins = (shared_folder() / "onnx/mlperf_tiny/ic_resnet").string();
  EXPECT_THAT(quantized(shared_model("pretrainedResnet_float"), ptq + "/ic_calibration.npy",
                        {"--scale", "1"}),
              HasSubstr("min and max (taken)"));
  const double equal = accuracy("q.tflite", images, {});
  EXPECT_GE(equal, accuracy(shared_model("pretrainedResnet_quant"), images, {}));
  EXPECT_THAT(quantized(twins + "_unequal.onnx", ptq + "/ic_calibration.npy", {"--scale", "1"}),
              HasSubstr("channels equalised (taken)"));
  EXPECT_GE(accuracy("q.tflite", images, {}), equal - 0.005);

  const Arguments features = {"--scale", "0.584703", "--mean", "48.530349"};
  (void)quantized(shared_model("kws_ref_model_float32"), ptq + "/kws_calibration_int8.npy",
                  features);
  Arguments with_truth = features;
  with_truth.insert(with_truth.end(), {"--truth", ptq + "/kws_eval.csv"});
  const std::string words = ptq + "/kws_eval_int8.npy";
  EXPECT_GE(accuracy("q.tflite", words, with_truth),
            accuracy(shared_model("kws_ref_model"), words, {"--truth", ptq + "/kws_eval.csv"}));
}

}  // namespace
}  // namespace thimble::testing
