// SPDX-License-Identifier: Apache-2.0
// Constants as text, as bytes within the program, and as bytes that are flashed by themselves:
// programs on the host give the same outputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "thimble/driver/driver.h"
#include "thimble/import/tensor_file.h"
#include "thimble/output/emitted_folder.h"
#include "thimble/program/host.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

/// A program of a network with its constants in a form; input.bin is handed to it.
class WithWeights {
 public:
  explicit WithWeights(WeightsForm form, const std::string& model = "zoo:pex_figure1") {
    compiled_ = std::get<Compiled>(
        compile({.model = model, .emission = Emission{.name = "net", .weights = form}}));
    write_folder(path() / "net", {"net", {"net", ""}, compiled_.files});
    const Tensor& in = compiled_.graph.tensor(compiled_.program.inputs[0].tensor);
    input_ = random_bytes(in.type, elements(in.shape), 11);
    std::ofstream(path() / "input.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(input_.data()),
               static_cast<std::streamsize>(input_.size()));
    const bool binary = form == WeightsForm::kBinary;
    std::ofstream(path() / "main.cc")
        << "#include <sys/mman.h>\n#include <cstdio>\n#include \"net.h\"\n"
           "static THIMBLE_ALIGNED(NET_ARENA_ALIGNMENT) uint8_t arena[NET_ARENA_BYTES];\n"
           "int main() {\n"
        << (binary ? "  void* const at = mmap(reinterpret_cast<void*>(0x20000000), "
                     "NET_WEIGHTS_BYTES, PROT_READ | PROT_WRITE,\n"
                     "      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);\n"
                     "  FILE* const file = std::fopen(\"flashed.bin\", \"rb\");\n"
                     "  if (at == MAP_FAILED || file == nullptr) return 2;\n"
                     "  (void)!std::fread(at, 1, NET_WEIGHTS_BYTES, file);\n"
                     "  if (!net_weights_ok()) return 3;\n"
                   : "")
        << "  if (std::fread(net_input(arena), 1, NET_INPUT_BYTES, stdin) != NET_INPUT_BYTES) "
           "return "
           "1;\n"
           "  net_run(arena);\n"
           "  std::fwrite(net_output(arena), 1, NET_OUTPUT_BYTES, stdout);\n}\n";
    std::ofstream(path() / "CMakeLists.txt")
        << "cmake_minimum_required(VERSION 3.20)\nproject(user CXX)\n"
           "set(NET_WEIGHTS_ADDRESS 0x20000000)\nadd_subdirectory(net)\n"
           "add_executable(program main.cc)\ntarget_link_libraries(program net)\n"
           "target_link_options(program PRIVATE -no-pie)\n";
    const ProcessResult built = shell("cmake -S . -B b -G Ninja && cmake --build b");
    EXPECT_EQ(built.exit_status, 0) << built.out << built.err;
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_.path(); }
  [[nodiscard]] ProcessResult shell(const std::string& command) const {
    return run_process({.arguments = {"sh", "-c", command}, .working_folder = path()});
  }
  [[nodiscard]] int run() const { return shell("./b/program <input.bin >output.bin").exit_status; }
  [[nodiscard]] std::string text(const std::string& file) const {
    std::ifstream in(path() / file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  void expect_right() const {
    EXPECT_EQ(run(), 0);
    const Bytes wanted = execute(compiled_.program, {input_})[0];
    EXPECT_EQ(text("output.bin"), std::string(wanted.begin(), wanted.end()));
  }

 private:
  TemporaryFolder folder_;
  Compiled compiled_;
  Bytes input_;
};

TEST(WeightsForms, TextAndBytesGiveTheSameOutputs) {
  const WithWeights text(WeightsForm::kText), incbin(WeightsForm::kIncbin);
  text.expect_right();
  incbin.expect_right();
  EXPECT_EQ(text.text("net/net_weights.cc.bin"), "");
  EXPECT_NE(incbin.text("net/net_weights.cc.bin"), "");
}

TEST(WeightsForms, BytesThatAreFlashedApartAreUsedWhereTheyLie) {
  const WithWeights binary(WeightsForm::kBinary);
  ASSERT_EQ(binary.shell("cp net/net_weights.bin flashed.bin").exit_status, 0);
  binary.expect_right();
  EXPECT_EQ(binary.text("flashed.bin").substr(0, 8), "THIMBLEW");
}

TEST(WeightsForms, WrongBytesAreFound) {
  const WithWeights binary(WeightsForm::kBinary);
  constexpr int kNotOk = 3;
  const std::string right = binary.text("net/net_weights.bin");
  for (const size_t at : {size_t{0}, size_t{13}, size_t{31}, size_t{40}, right.size() - 1}) {
    std::string wrong = right;
    wrong[at] = static_cast<char>(wrong[at] ^ 1);
    std::ofstream(binary.path() / "flashed.bin", std::ios::binary) << wrong;
    EXPECT_EQ(binary.run(), kNotOk) << at;
  }
  std::ofstream(binary.path() / "flashed.bin", std::ios::binary) << "";
  EXPECT_EQ(binary.run(), kNotOk) << "nothing was flashed";
  const ProcessResult undefined =
      binary.shell("g++ -std=c++17 -Inet -c net/net_weights.cc -o undefined.o");
  EXPECT_NE(undefined.exit_status, 0);
  EXPECT_THAT(undefined.err, HasSubstr("define NET_WEIGHTS_ADDRESS, a number: where "
                                       "net_weights.bin is flashed"));
}

}  // namespace
}  // namespace thimble
