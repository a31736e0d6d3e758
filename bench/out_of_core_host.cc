// SPDX-License-Identifier: Apache-2.0
// A network whose weights come from a file of the host: its emitted code as a program of its own,
// whose output is compared with the reference's, and whose memory the operating system counts.
//   out_of_core_host --model zoo:vgg16 --sram 524288 --csv bench/results/out_of_core_host.csv
// "peak_kb" is the most that was resident of the program, its libraries included, "empty_kb" of the
// same program before it has an arena; "busy_ms" what the file's thread takes for all operations.
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <sstream>

#include "bench/command_line.h"
#include "bench/planned.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/inference_io.h"
#include "thimble/driver/run.h"
#include "thimble/emit/names.h"
#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"
#include "thimble/program/program.h"
#include "thimble/target/target.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace {

using namespace thimble;

constexpr const char* kMain = R"(
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "host_file.h"
#include "net.h"
static FILE* input;
static void receive(void*, int32_t, int8_t* row) {
  if (fread(row, 1, net_input_row_bytes, input) != net_input_row_bytes) exit(3);
}
static long resident(const char* what) {
  FILE* status = fopen("/proc/self/status", "r");
  char line[128];
  long kb = 0;
  while (fgets(line, sizeof line, status) != nullptr)
    if (strncmp(line, what, strlen(what)) == 0) kb = atol(line + strlen(what));
  fclose(status);
  return kb;
}
int main(int, char** argv) {
  input = fopen("input.bin", "rb");
  const long empty = resident("VmHWM:");
  thimble_host_file_device device = {};
  device.read_bytes_per_second = device.write_bytes_per_second = atof(argv[1]);
  thimble_host_file* file =
      thimble_host_file_open("net_host.img", net_host_bytes, net_tokens, &device);
  const thimble_storage host = thimble_host_file_storage(file);
  void* arena = aligned_alloc(net_arena_alignment, (net_arena_bytes + 63) / 64 * 64);
  const auto begin = std::chrono::steady_clock::now();
  const int status = net_run(arena, &host, receive, nullptr);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const thimble_host_file_counts counts = thimble_host_file_counts_of(file);
  FILE* output = fopen("output.bin", "wb");
  fwrite(net_output(arena), 1, net_output_bytes, output);
  fclose(output);
  printf("%d,%ld,%ld,%llu,%llu,%llu,%.3f,%.3f,%u", status, empty, resident("VmHWM:"),
         (unsigned long long)counts.read_bytes, (unsigned long long)counts.written_bytes,
         (unsigned long long)counts.overlapped, seconds, counts.device_seconds,
         counts.most_in_flight);
  return 0;
}
)";

std::string line_of(const std::string& model, int64_t sram, double rate) {
  Answer answer = compile({.model = model,
                           .target = generic_target("cortex-m3"),
                           .sram_bytes = sram,
                           .flash_bytes = 64 << 10,
                           .storage = "host:write=512,size=1G,queue=4",
                           .ports = {.input = Place::kStreamed}});
  if (const auto* no = std::get_if<Infeasible>(&answer)) throw CompileError(model, no->reason);
  const auto& compiled = std::get<Compiled>(answer);
  const TemporaryFolder folder;
  const std::string runtime = std::string(THIMBLE_SOURCE_DIR) + "/runtime";
  std::vector<std::string> arguments = {"c++",
                                        "-O2",
                                        "-std=c++17",
                                        "-ffp-contract=off",
                                        "-I" + runtime + "/storage",
                                        "-I" + runtime + "/include",
                                        "main.cc",
                                        runtime + "/storage/host_file.cc",
                                        "-pthread",
                                        "-o",
                                        "net"};
  const auto write = [&](const std::string& name, std::string_view text) {
    const std::filesystem::path path = folder.path() / name;
    std::filesystem::create_directories(path.parent_path());
    write_file(path, std::array<std::string_view, 1>{text});
  };
  for (const EmittedFile& file : emitted_files(compiled, {.name = "net"})) {
    write(file.path, file.text);
    if (file.path.ends_with(".cc")) arguments.push_back(file.path);
  }
  write("main.cc", kMain);
  const InputCase noise = seeded_case(compiled.graph, 1);
  const Bytes input = to_memory(compiled.program, compiled.program.inputs[0], noise.inputs[0]);
  write("input.bin", {reinterpret_cast<const char*>(input.data()), input.size()});
  const ProcessResult built = run_process(
      {.arguments = arguments, .working_folder = folder.path(), .timeout_seconds = 600});
  if (!built.succeeded()) throw InternalError("emitted code does not compile:\n" + built.err);
  const ProcessResult ran = run_process({.arguments = {"./net", fmt::format("{}", rate)},
                                         .working_folder = folder.path(),
                                         .timeout_seconds = 3600});
  if (!ran.succeeded()) throw InternalError("emitted code fails:\n" + ran.err);
  const Bytes output = read_file((folder.path() / "output.bin").string(), int64_t{1} << 20);
  const bool same = output == run_reference(compiled.graph, {noise}).outputs[0][0];
  check(same, "the output is not the reference's");
  return fmt::format("{},{},{:.0f},{},{}\n", csv_field(model), sram, rate,
                     compiled.program.arena_bytes(), ran.out);
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line("out_of_core_host", "A network's weights from a file of the host.");
  std::string csv;
  std::vector<std::string> models = {"zoo:mobilenet_v1"};
  std::vector<double> rates = {0, 4.93e6};
  int64_t sram = 512 << 10;
  line.add("--csv", &csv, "File to write (standard output)");
  line.add("--model", &models, "Networks (zoo:mobilenet_v1)");
  line.add("--sram", &sram, "Bytes (524288)");
  line.add("--rate", &rates, "Bytes a second of the file; 0: at once (0, 4.93e6)");
  return line.run(argc, argv, [&] {
    std::string text =
        "# " + line.command() +
        "\nmodel,sram,bytes_per_second,arena_bytes,status,empty_kb,peak_kb,read_bytes,"
        "written_bytes,overlapped,seconds,busy_seconds,most_in_flight\n";
    for (const std::string& model : models) {
      for (const double rate : rates) text += line_of(model, sram, rate);
    }
    write_table(csv, text);
    return 0;
  });
}
