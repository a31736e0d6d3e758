// SPDX-License-Identifier: Apache-2.0
// `thimble eval`: sets of samples, and what is said of a network on them.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/support/shared.h"
#include "tests/support/workload.h"
#include "thimble/import/tensor_file.h"
#include "thimble/inputs/image.h"

namespace thimble::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Arguments = std::vector<std::string>;

class Eval : public CommandLine {
 protected:
  /// Pictures of zoo:demo's size, 48x48: each of another gray.
  void write_picture(const std::string& file, int value) const {
    fs::create_directories((folder() / file).parent_path());
    Bytes pixels(2304, static_cast<uint8_t>(value));
    for (size_t k = 0; k < pixels.size(); k += 3)
      pixels[k] = static_cast<uint8_t>(k * static_cast<size_t>(value));
    write_png(folder() / file, {.width = 48, .height = 48, .channels = 1, .pixels = pixels});
  }
  /// What zoo:demo says of a picture.
  [[nodiscard]] int predicted(const std::string& file) const {
    (void)thimble_as_is({"run", "zoo:demo", "--input-file", file, "--json", "r.json", "--force"});
    return json_of(read("r.json")).at("classes").at(0).at("class");
  }
  [[nodiscard]] json evaluated(Arguments arguments) const {
    arguments.insert(arguments.begin(), "eval");
    arguments.insert(arguments.end(), {"--json", "eval.json", "--force"});
    const ProcessResult result = thimble_as_is(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return json_of(read("eval.json"));
  }
  void refused(Arguments arguments, const std::string& message) const {
    arguments.insert(arguments.begin(), "eval");
    const ProcessResult result = thimble_as_is(arguments);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, HasSubstr(message));
  }
};

constexpr const char* kLabels = "a\nb\nc\nd\ne\nf\ng\nh\n";

TEST_F(Eval, CountsWhereTheNetworkSaysWhatTheFolderDoes) {
  std::vector<int> said;
  for (int n = 0; n < 5; ++n) {
    write_picture(fmt::format("p/{}.png", n), 40 * n + 20);
    said.push_back(predicted(fmt::format("p/{}.png", n)));
  }
  // Three in the folder of what it says, two elsewhere.
  for (int n = 0; n < 5; ++n) {
    const int label = n < 3 ? said[n] : (said[n] + 1) % 8;
    const std::string to = fmt::format("set/{}", static_cast<char>('a' + label));
    fs::create_directories(folder() / to);
    fs::copy(folder() / fmt::format("p/{}.png", n), folder() / to / fmt::format("{}.png", n));
  }
  write("set/notes.txt", "no sample");
  write("set/" + std::string(1, static_cast<char>('a' + said[0])) + "/notes.txt", "nor this");
  write("labels.txt", kLabels);
  const json figures = evaluated({"zoo:demo", "set", "--labels", "labels.txt"});
  EXPECT_EQ(figures.at("samples"), 5);
  EXPECT_EQ(figures.at("accuracy"), 0.6);
  EXPECT_EQ(figures.at("left_out_files"), 1);
  int64_t sum = 0, diagonal = 0;
  for (size_t r = 0; r < 8; ++r) {
    for (size_t c = 0; c < 8; ++c) sum += figures.at("confusion").at(r).at(c).get<int64_t>();
    diagonal += figures.at("confusion").at(r).at(r).get<int64_t>();
  }
  EXPECT_EQ(sum, 5);
  EXPECT_EQ(diagonal, 3);
}

TEST_F(Eval, TheSameWhateverIsExecutedAndOnHowManyThreads) {
  std::string list = "file,label\n";
  for (int n = 0; n < 6; ++n) {
    write_picture(fmt::format("p/{}.png", n), 30 * n + 10);
    list += fmt::format("p/{}.png,{}\n", n, n % 8);
  }
  write("list.csv", list);
  const auto figures = [&](Arguments more) {
    more.insert(more.begin(), {"zoo:demo", "list.csv"});
    json all = evaluated(more);
    for (const char* other : {"seconds", "jobs", "on", "planner", "made_by"}) all.erase(other);
    return all;
  };
  const json host = figures({"--jobs", "1"});
  EXPECT_EQ(figures({"--jobs", "3"}), host);
  EXPECT_EQ(host.at("of_samples"), 6);
  const ProcessResult reference = thimble(
      {"eval", "zoo:demo", "list.csv", "--on", "reference", "--json", "eval.json", "--force"});
  EXPECT_EQ(reference.exit_status, 0) << reference.err;
  EXPECT_EQ(json_of(read("eval.json")).at("confusion"), host.at("confusion"));
  EXPECT_EQ(figures({"--limit", "4"}).at("samples"), 4);
}

TEST_F(Eval, SaysWhatOfASetCannotBeEvaluated) {
  write_picture("set/a/0.png", 1);
  write_picture("set/b/0.png", 2);
  refused({"zoo:demo", "set"}, "set: has 2 labels (a, b), the network scores 8 classes: --labels");
  write("labels.txt", "1\n2\n3\n4\n5\n6\n7\nh\n");
  refused({"zoo:demo", "set", "--labels", "labels.txt"}, "set: 'a' is none of the network's");
  refused({"zoo:demo", "nowhere"}, "nowhere: cannot be read: there is no such file or folder");
  fs::create_directories(folder() / "empty");
  refused({"zoo:demo", "empty"}, "empty: has no samples: folders named after classes");
  write("list.csv", "file,label\nset/a/0.png\n");
  refused({"zoo:demo", "list.csv"}, "list.csv: line 2: 'set/a/0.png' is no sample with a label");
  write("list.csv", "set/a/0.gif,1\nset/a/0.png,1\n");  // no heading
  refused({"zoo:demo", "list.csv"}, "list.csv: line 1: 'set/a/0.gif' is no sample with a label");
  write("list.csv", "set/a/9.png,1\n");
  refused({"zoo:demo", "list.csv"}, "9.png: no such file");
  write_npy(folder() / "x.npy", {DType::kInt8, {2, 48, 48, 1}, Bytes(4608, 0)});
  refused({"zoo:demo", "x.npy"}, "x.npy: has no labels: a .csv file with one for each sample");
  write("x.csv", "label\n1\n");
  refused({"zoo:demo", "x.npy"}, "x.npy: has 2 samples, and there are 1 labels");
  refused({"zoo:demo", "x.npy", "--task", "values"}, "--task: values needs a network whose output");
  refused({"zoo:demo", "x.npy", "--on", "reference"}, "--planner: is for --on host or qemu");
  write("x.csv", "label\n1\n2\n");
  EXPECT_EQ(evaluated({"zoo:demo", "x.npy"}).at("samples"), 2);
  EXPECT_EQ(evaluated({"zoo:demo", "x.npy", "--truth", "x.csv"}).at("classes_by"), "by number");
  write("labels.txt", kLabels);
  write("x.csv", "Label\na\nb\n");  // names, under a heading
  EXPECT_EQ(evaluated({"zoo:demo", "x.npy", "--labels", "labels.txt"}).at("samples"), 2);
}

TEST_F(Eval, AutoencodersScoreByTheirError) {
  THIMBLE_NEEDS_SHARED();
  for (const char* label : {"normal", "anomaly"}) {
    const bool normal = std::string(label) == "normal";
    fs::create_directories(folder() / "set" / label);
    std::string rows;
    for (int n = 0; n < 2 * 640; ++n)
      rows += fmt::format("{}{}", normal ? -12 : n % 7 * 9 - 30, n % 640 == 639 ? "\n" : ",");
    write(fmt::format("set/{}/0.csv", label), rows);
  }
  const json figures = evaluated({shared_model("ad01_int8"), "set"});
  EXPECT_EQ(figures.at("task"), "anomaly");
  EXPECT_EQ(figures.at("samples"), 2) << "rows of a file are one sample";
  EXPECT_EQ(figures.at("auc"), 1.0);
  EXPECT_EQ(figures.at("positive"), "anomaly");
}

TEST_F(Eval, NumbersAreComparedWithNumbers) {
  THIMBLE_NEEDS_SHARED();
  std::string list;
  for (int n = 0; n < 8; ++n) {
    write(fmt::format("{}.csv", n), fmt::format("{}\n", 0.7 * n));
    list += fmt::format("{}.csv,{:.4f}\n", n, std::sin(0.7 * n));
  }
  write("list.csv", list);
  const json figures = evaluated({shared_model("hello_world_int8"), "list.csv"});
  EXPECT_EQ(figures.at("task"), "values");
  EXPECT_LT(figures.at("mean_absolute_error"), 0.05);
  EXPECT_GT(figures.at("mean_absolute_error"), 0);
}

// What the published models answer on the same samples: 801 of 880, and 77.88 % of 800, of which
// some are taken here.
TEST_F(Eval, PublishedModelsAreAsAccurateAsPublished) {
  THIMBLE_NEEDS_SHARED();
  const std::string data = (shared_folder() / "ptq").string();
  const json words = evaluated({shared_model("kws_ref_model"), data + "/kws_eval_int8.npy",
                                "--truth", data + "/kws_eval.csv"});
  EXPECT_NEAR(words.at("accuracy"), 801 / 880.0, 1e-9);
  const json pictures = evaluated(
      {shared_model("pretrainedResnet_quant"), data + "/ic_eval_jpeg.npy", "--limit", "200"});
  EXPECT_EQ(pictures.at("samples"), 200);
  EXPECT_NEAR(pictures.at("accuracy"), 0.7788, 0.06);
}

// Its published int8 answers 7,576 of all 10,000 pictures, as JPEG; here some of each class.
TEST_F(Eval, FoldersOfCifar10AreAsAccurateAsMeasured) {
  THIMBLE_NEEDS_SHARED();
  const std::string archive = (shared_folder() / "data/cifar10_test.tar").string();
  const bool all = workload().nightly;
  const std::string some = all ? "test" : "test/*/*[05]0.jpg";
  ASSERT_EQ(run_process({.arguments = {"tar", "-xf", archive, "-C", folder().string(),
                                       "--wildcards", some}})
                .exit_status,
            0);
  const json figures = evaluated({shared_model("pretrainedResnet_quant"), "test"});
  EXPECT_EQ(figures.at("samples"), all ? 10'000 : 200);
  EXPECT_NEAR(figures.at("accuracy"), 0.7576, all ? 1e-9 : 0.09);
}

TEST_F(Eval, PhotographsOfPersonsAreRecognised) {
  THIMBLE_NEEDS_SHARED();
  for (const char* label : {"no_person", "person"}) {
    fs::create_directories(folder() / "photos" / label);
    fs::create_symlink(shared_golden(std::string("person_detect.") + label),
                       folder() / "photos" / label / "0.safetensors");
  }
  const json figures = evaluated({shared_model("person_detect"), "photos"});
  EXPECT_EQ(figures.at("accuracy"), 1.0);
  EXPECT_EQ(figures.at("auc"), 1.0);
}

}  // namespace
}  // namespace thimble::testing
