// SPDX-License-Identifier: Apache-2.0
#include "thimble/toolchain/qemu.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

#include "thimble/model/error.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

// Relative to the folder that QEMU runs in: its options give commas a meaning.
constexpr const char* kInputFile = "input.bin";
constexpr const char* kOutputFile = "output.bin";
constexpr const char* kPluginFile = "plugin.txt";
constexpr const char* kCardFile = "card.img";

void write_inputs(const std::vector<InputSet>& sets, const fs::path& path) {
  std::ofstream file(path, std::ios::binary);
  for (const InputSet& set : sets) {
    for (const std::vector<Bytes>& inputs : set) {
      for (const Bytes& input : inputs) {
        file.write(reinterpret_cast<const char*>(input.data()),
                   static_cast<std::streamsize>(input.size()));
      }
    }
  }
  file.close();
  if (!file) throw CompileError(path.string(), "cannot be written");
}

// As large as QEMU takes cards: a power of two.
void make_card(int64_t bytes, const std::string& image, const fs::path& path) {
  constexpr int64_t kLeast = int64_t{1} << 20;
  std::ofstream file(path, std::ios::binary);
  file.write(image.data(), std::ssize(image));
  file.close();
  if (!file) throw CompileError(path.string(), "cannot be written");
  std::error_code error;
  fs::resize_file(path, std::bit_ceil(static_cast<uint64_t>(std::max(bytes, kLeast))), error);
  if (error) throw CompileError(path.string(), "cannot be written: " + error.message());
}

Bytes read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string bytes = text.str();
  return {bytes.begin(), bytes.end()};
}

// Each output is preceded by its size.
class OutputReader {
 public:
  explicit OutputReader(Bytes bytes) : bytes_(std::move(bytes)) {}

  Bytes next() {
    static_assert(std::endian::native == std::endian::little);
    uint32_t size = 0;
    check(bytes_.size() - at_ >= sizeof(size), "the firmware wrote too few outputs");
    std::memcpy(&size, bytes_.data() + at_, sizeof(size));
    at_ += sizeof(size);
    check(bytes_.size() - at_ >= size, "the firmware wrote an output in part");
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += size;
    return {begin, begin + static_cast<std::ptrdiff_t>(size)};
  }
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }

 private:
  Bytes bytes_;
  size_t at_ = 0;
};

// "result model=0x1 set=0x0 ... name=a name": fields by key; the name is the last.
std::map<std::string, std::string> fields(const std::string& line) {
  std::map<std::string, std::string> found;
  size_t at = line.find(' ');
  while (at != std::string::npos) {
    const size_t equals = line.find('=', at);
    check(equals != std::string::npos, "the firmware's report is malformed");
    const std::string key = line.substr(at + 1, equals - at - 1);
    at = key == "name" ? std::string::npos : line.find(' ', equals);
    found[key] = line.substr(equals + 1, at == std::string::npos ? at : at - equals - 1);
  }
  return found;
}

int64_t number(const std::map<std::string, std::string>& fields, const char* key) {
  const auto found = fields.find(key);
  check(found != fields.end() && found->second.starts_with("0x"), "a field of a report is missing");
  int64_t value = 0;
  const std::string& digits = found->second;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data() + 2, end, value, 16);
  check(parsed.ec == std::errc() && parsed.ptr == end, "a field of a report is not a number");
  return value;
}

[[noreturn]] void reject_run(const ProcessResult& result, const std::string& machine) {
  throw InternalError(fmt::format("the firmware failed on {} (status {}):\n{}{}", machine,
                                  result.exit_status, result.out, result.err));
}

std::vector<EmulatedRun> parse_report(const std::string& report) {
  std::vector<EmulatedRun> runs;
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("result ")) continue;
    const auto values = fields(line);
    runs.push_back({.name = values.at("name"),
                    .instructions = number(values, "instructions"),
                    .stack_bytes = number(values, "stack"),
                    .guards = values.at("guards"),
                    .inputs_intact = values.at("inputs") == "intact",
                    .outputs = std::vector<Bytes>(static_cast<size_t>(number(values, "outputs")))});
  }
  return runs;
}

// A digit per set; the last one holds for all behind it.
std::string goes_on_word(const std::vector<bool>& goes_on) {
  std::string word;
  for (const bool one : goes_on) word += one ? '1' : '0';
  if (word.empty()) return "0";
  const size_t last_other = word.find_last_not_of(word.back());
  word.resize(last_other == std::string::npos ? 1 : last_other + 2);
  return word;
}

ProcessResult emulate(const Board& board, size_t sets, const fs::path& folder,
                      const EmulationOptions& options) {
  const std::string semihosting =
      fmt::format("enable=on,target=native,arg=firmware,arg={},arg={},arg={},arg={}", kInputFile,
                  kOutputFile, sets, goes_on_word(options.goes_on));
  // icount: an instruction takes a nanosecond of the board's time, whatever the host's load.
  std::vector<std::string> arguments = {board.emulator.program,
                                        "-M",
                                        board.machine,
                                        "-display",
                                        "none",
                                        "-monitor",
                                        "none",
                                        "-serial",
                                        options.serial,
                                        "-icount",
                                        "shift=0",
                                        "-semihosting-config",
                                        semihosting,
                                        "-kernel",
                                        "firmware.elf"};
  const std::vector<std::string>& own = board.emulator.options;
  arguments.insert(arguments.end(), own.begin(), own.end());
  if (options.card_bytes > 0) {
    arguments.insert(arguments.end(),
                     {"-drive", fmt::format("if=sd,format=raw,file={}", kCardFile)});
  }
  if (!options.plugin.empty()) {
    arguments.insert(arguments.end(),
                     {"-plugin", fmt::format("{},out={}", options.plugin, kPluginFile)});
  }
  return run_process({.arguments = arguments,
                      .working_folder = folder,
                      .timeout_seconds = options.timeout_seconds});
}

}  // namespace

Measured run_on_qemu(const CrossBuild& build, const std::vector<InputSet>& sets,
                     const EmulationOptions& options) {
  const TemporaryFolder folder;
  const Firmware firmware = build_firmware(build, folder.path());
  require_program(firmware.board.emulator.program, firmware.board.emulator.package);
  Measured measured{.machine = firmware.board.machine,
                    .size = firmware.size,
                    .sections = firmware.sections,
                    .sets = {},
                    .plugin_output = {},
                    .remote = {}};
  write_inputs(sets, folder.path() / kInputFile);
  if (options.card_bytes > 0)
    make_card(options.card_bytes, options.card_image, folder.path() / kCardFile);
  for (const auto& [name, bytes] : options.files) {
    std::ofstream file(folder.path() / name, std::ios::binary);
    file.write(bytes.data(), std::ssize(bytes));
    file.close();
    if (!file) throw CompileError(name, "cannot be written");
  }
  const ProcessResult result = emulate(firmware.board, sets.size(), folder.path(), options);
  if (result.timed_out) {
    throw CompileError(measured.machine, fmt::format("did not finish within {:.0f} s of emulation",
                                                     options.timeout_seconds));
  }
  if (!result.succeeded()) reject_run(result, measured.machine);
  if (!options.plugin.empty()) {
    const Bytes written = read_bytes(folder.path() / kPluginFile);
    measured.plugin_output.assign(written.begin(), written.end());
  }

  std::vector<EmulatedRun> runs = parse_report(result.err);
  OutputReader outputs(read_bytes(folder.path() / kOutputFile));
  size_t at = 0;
  for (const InputSet& set : sets) {
    check(runs.size() - at >= set.size(), "the firmware ran fewer models than it was asked to");
    std::vector<EmulatedRun>& done = measured.sets.emplace_back();
    for (size_t model = 0; model < set.size(); ++model) {
      done.push_back(std::move(runs[at++]));
      for (Bytes& output : done.back().outputs) output = outputs.next();
    }
  }
  check(at == runs.size() && outputs.at_end(), "the firmware ran more models than it was asked to");
  return measured;
}

}  // namespace thimble
