// SPDX-License-Identifier: Apache-2.0
// `thimble run`: inputs that do not suit the network, golden data that differ.
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/support/shared.h"
#include "thimble/import/tensor_file.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;

class Run : public CommandLine {
 protected:
  // zoo:demo takes int8 1x48x48x1.
  void input_refused(const NamedTensor& tensor, const std::string& message) const {
    write_npy(folder() / "in.npy", tensor);
    const ProcessResult result = thimble_as_is({"run", "zoo:demo", "--input-file", "in.npy"});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  [[nodiscard]] static Bytes zeros(size_t size) { return Bytes(size, 0); }

  // The golden data of kws_ref_model with one byte of `tensor` changed.
  void write_changed_golden(const std::string& tensor) const {
    TensorFile golden = read_safetensors(shared_golden("kws_ref_model"));
    golden.tensors.at(tensor).data.at(1) ^= 1;
    write_safetensors(folder() / "changed.safetensors", golden);
  }
  [[nodiscard]] ProcessResult check(const char* on) const {
    return thimble(
        {"run", shared_model("kws_ref_model"), "--on", on, "--check", "changed.safetensors"});
  }
};

TEST_F(Run, RefusesInputsOfAnotherTypeOrShape) {
  const std::string wanted = "the network's 'input' is int8 1x48x48x1";
  input_refused({DType::kUInt8, {1, 48, 48, 2}, zeros(4608)}, "in.npy: is uint8 1x48x48x2; ");
  input_refused({DType::kFloat32, {1, 24, 96, 1}, zeros(9216)}, wanted);
  input_refused({DType::kInt16, {1, 48, 48, 1}, zeros(4608)}, wanted);
  input_refused({DType::kInt8, {1, 24, 24, 1}, zeros(576)}, wanted);
  input_refused({DType::kInt8, {1, 24, 96, 1}, zeros(2304)}, "in.npy: is int8 1x24x96x1; ");
}

TEST_F(Run, TakesInputsWithoutTheAxesOfExtentOne) {
  for (const Shape& shape : {Shape{48, 48}, Shape{2304}, Shape{1, 48, 48, 1}}) {
    write_npy(folder() / "in.npy", {DType::kInt8, shape, zeros(2304)});
    EXPECT_EQ(thimble_as_is({"run", "zoo:demo", "--input-file", "in.npy"}).exit_status, 0);
  }
}

TEST_F(Run, RefusesTruncatedAndUnknownInputFiles) {
  write_npy(folder() / "in.npy", {DType::kInt8, {1, 48, 48, 1}, zeros(2304)});
  write_safetensors(folder() / "in.safetensors",
                    {{{"input.0", {DType::kInt8, {1, 48, 48, 1}, zeros(2304)}}}, {}});
  ASSERT_EQ(thimble_as_is({"run", "zoo:demo", "--input-file", "in.safetensors"}).exit_status, 0);
  for (const char* file : {"in.npy", "in.safetensors"}) {
    const std::string whole = read(file);
    for (size_t size : {whole.size() - 1, size_t{40}, size_t{5}, size_t{0}}) {
      write(file, whole.substr(0, size));
      const ProcessResult result = thimble_as_is({"run", "zoo:demo", "--input-file", file});
      EXPECT_EQ(result.exit_status, 1) << file << size;
      EXPECT_THAT(result.err, HasSubstr(std::string("thimble: ") + file + ": "));
    }
  }
  EXPECT_THAT(
      thimble_as_is({"run", "zoo:demo", "--input-file", "in.bin"}).err,
      HasSubstr(
          "inputs come from pictures (.png, .jpg, .bmp), sound (.wav), numbers (.csv), .npy"));
  write_safetensors(folder() / "in.safetensors",
                    {{{"x", {DType::kInt8, {1, 48, 48, 1}, zeros(2304)}}}, {}});
  EXPECT_THAT(thimble_as_is({"run", "zoo:demo", "--input-file", "in.safetensors"}).err,
              HasSubstr("has neither 'input.0' nor 'input'"));
}

TEST_F(Run, ReferenceAndHostAgree) {
  ASSERT_EQ(thimble({"run", "zoo:demo", "--on", "reference", "--output-file", "r.npy"}).exit_status,
            0);
  ASSERT_EQ(thimble({"run", "zoo:demo", "--on", "host", "--output-file", "h.npy"}).exit_status, 0);
  EXPECT_EQ(read("r.npy"), read("h.npy"));
  EXPECT_EQ(thimble({"run", "zoo:demo", "--input-file", "r.npy"}).exit_status, 1);
}

TEST_F(Run, TooLittleFlashDoesNotFit) {
  const ProcessResult result = thimble_as_is({"run", "zoo:demo", "--flash", "1K"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.out, HasSubstr("does not fit: its weights take "));
  EXPECT_THAT(thimble_as_is({"run", "zoo:demo", "--flash", "35K"}).out,
              HasSubstr("does not fit: needs "));
  EXPECT_EQ(thimble_as_is({"run", "zoo:demo", "--flash", "1M"}).exit_status, 0);
}

TEST_F(Run, GoldenDataOfAnotherModelAreRefused) {
  THIMBLE_NEEDS_SHARED();
  const ProcessResult result =
      thimble({"run", shared_model("kws_ref_model"), "--check", shared_golden("person_detect")});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("input.0: is int8 1x96x96x1; the network's 'input_1' is"));
}

// TensorFlow Lite's library functions are others.
TEST_F(Run, FloatsMayBeOffALittle) {
  THIMBLE_NEEDS_SHARED();
  for (const char* on : {"reference", "host"}) {
    const ProcessResult result = thimble({"run", shared_model("pretrainedResnet_float"), "--on", on,
                                          "--check", shared_golden("pretrainedResnet_float")});
    EXPECT_EQ(result.exit_status, 0) << on;
    EXPECT_THAT(result.out, HasSubstr("within 1e-05 (relative) of pretrainedResnet_float"));
  }
}

TEST_F(Run, NamesTheFirstOperatorThatDiffers) {
  THIMBLE_NEEDS_SHARED();
  write_changed_golden("op.3.0");
  const ProcessResult reference = check("reference");
  EXPECT_EQ(reference.exit_status, 4);
  EXPECT_THAT(reference.out, HasSubstr("DIFFERENT: DEPTHWISE_CONV_2D #3, tensor '"));
  EXPECT_THAT(reference.out, HasSubstr("element [0,0,0,1] (number 1): expected "));
  EXPECT_THAT(reference.out, HasSubstr("1 of 8000 differ"));
  EXPECT_EQ(check("host").exit_status, 0) << "only outputs are compared there";
}

TEST_F(Run, NamesTheOutputThatDiffers) {
  THIMBLE_NEEDS_SHARED();
  write_changed_golden("seed2/output.0");
  for (const char* on : {"host", "reference"}) {
    const ProcessResult result = check(on);
    EXPECT_EQ(result.exit_status, 4) << on;
    EXPECT_THAT(result.out, HasSubstr("DIFFERENT: seed 2 of the golden, output 0 'Identity': "
                                      "element [0,1] (number 1): expected "));
  }
}

}  // namespace
}  // namespace thimble::testing
