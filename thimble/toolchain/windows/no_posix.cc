// SPDX-License-Identifier: Apache-2.0
// Other programs and serial lines are driven on POSIX systems alone. What needs them says so.
#include <string>

#include "thimble/model/error.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/remote_host.h"
#include "thimble/toolchain/serve_remote.h"

namespace thimble {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& use) {
  throw CompileError(what,
                     use + " needs a POSIX system: Linux, macOS, or Linux within Windows (WSL)");
}

}  // namespace

ProcessResult run_process(const Command& command) {
  refuse(command.arguments.at(0), "starting compilers and emulators");
}

void require_program(const std::string& program, const std::string& /*package*/) {
  refuse(program, "starting compilers and emulators");
}

SerialDevice::SerialDevice(const std::string& name, int /*baud*/) {
  refuse(name, "storage for a board at the other end of a line");
}
SerialDevice::~SerialDevice() = default;

void serve_remote(RemoteStore& /*store*/, int /*input*/, int /*output*/) {
  throw InternalError("there is no line to serve");
}

RemoteHost::RemoteHost(const std::filesystem::path& path, uint32_t capacity_bytes)
    : store_(capacity_bytes, 0) {
  refuse(path.string(), "storage for an emulated board");
}

void RemoteHost::end() {}

}  // namespace thimble
