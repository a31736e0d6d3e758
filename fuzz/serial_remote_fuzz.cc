// SPDX-License-Identifier: Apache-2.0
// Any bytes may come over the line to the driver of the serial remote: every wait ends, nothing is
// written beside the bytes that were asked for. The host is a right one that the input replaces,
// answer by answer, with noise and with frames that lie and have a right check.
#include <algorithm>
#include <deque>
#include <vector>

#include "runtime/storage/serial_remote.h"
#include "thimble/model/error.h"
#include "thimble/toolchain/remote_store.h"

namespace {

using namespace thimble;

constexpr uint32_t kGiveUp = 40;

struct Line {
  const uint8_t* data;
  const uint8_t* end;
  RemoteStore store{8'000, 1};
  std::deque<uint8_t> arrived;
  thimble_serial_receiver sent = {};
  runtime::FrameHeader request;  ///< the last that the device sent
  uint32_t milliseconds = 0;

  uint8_t next() { return data == end ? 1 : *data++; }

  void lie(uint8_t kind) {
    runtime::FrameHeader header;
    header.kind = static_cast<runtime::FrameKind>(16 + kind % 6);
    const bool welcome = header.kind == runtime::FrameKind::kWelcome;
    header.session = next() < 240 ? request.session : next();
    header.sequence =
        welcome ? request.session : request.sequence + static_cast<uint32_t>(next() % 8) - 3;
    header.length = next() % 4;
    header.offset = welcome ? 8'000 : next();
    std::vector<uint8_t> payload(std::min<size_t>(next() * 3u, runtime::kMostPayloadBytes), kind);
    if (kind % 2 == 0) payload.resize(request.length % 513);
    runtime::write_frame(header, payload.data(), static_cast<uint32_t>(payload.size()),
                         [this](const uint8_t* at, uint32_t count) {
                           arrived.insert(arrived.end(), at, at + count);
                         });
  }

  void answer(const uint8_t* bytes, uint32_t size) {
    bool ended = false;
    for (uint32_t i = 0; i < size; ++i) {
      const uint32_t length = runtime::receive_byte(sent, bytes[i]);
      runtime::Frame frame;
      if (length == 0) continue;
      check(runtime::parse_frame(sent.bytes, length, frame), "the driver sends what is no frame");
      request = frame.header;
      ended = true;
    }
    const std::vector<uint8_t> said = store.take({bytes, size});
    if (!ended) {
      arrived.insert(arrived.end(), said.begin(), said.end());
      return;
    }
    switch (const uint8_t way = next(); way % 4) {
      case 0:
        for (int i = next(); i > 0; --i) arrived.push_back(next());
        break;
      case 2:
        lie(next());
        break;
      case 3:
        break;
      default:
        arrived.insert(arrived.end(), said.begin(), said.end());
    }
  }
};

thimble_serial_link link_of(Line& line) {
  return {&line,
          [](void* context, const void* bytes, uint32_t size) {
            static_cast<Line*>(context)->answer(static_cast<const uint8_t*>(bytes), size);
            return 0;
          },
          [](void* context, void* bytes, uint32_t size) {
            auto& from = *static_cast<Line*>(context);
            const auto count = static_cast<uint32_t>(std::min<size_t>(size, from.arrived.size()));
            std::copy_n(from.arrived.begin(), count, static_cast<uint8_t*>(bytes));
            from.arrived.erase(from.arrived.begin(), from.arrived.begin() + count);
            if (count < size) ++from.milliseconds;
            return static_cast<int32_t>(count);
          },
          [](void* context) { return static_cast<Line*>(context)->milliseconds; }};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Line line{data, data + std::min<size_t>(size, 4096)};
  thimble_serial_remote remote;
  std::vector<thimble_serial_operation> operations(3);
  const thimble_serial_link link = link_of(line);
  const thimble_storage storage = thimble_serial_remote_open(&remote, &link, operations.data(), 3);
  remote.window = line.next() % 20;
  remote.resend_ms = 5;
  remote.give_up_ms = kGiveUp;
  for (int round = 0; round < 3; ++round) {
    std::vector<uint8_t> out(1'100, 3), in(1'300, 0), other(700, 9);
    const uint32_t begun = line.milliseconds;
    const int states[] = {storage.write_async(storage.context, 0, 0, out.data(), 1'100),
                          storage.read_async(storage.context, 1, 0, in.data(), 1'300),
                          storage.write_async(storage.context, 2, 1'200, other.data(), 700)};
    for (uint32_t token = 0; token < 3; ++token)
      if (states[token] == 0) (void)storage.wait(storage.context, token);
    // A wait goes on while something is completed: 7 requests, after each of which it may give up.
    check(line.milliseconds - begun < 14 * (kGiveUp + 10), "a wait does not end");
    if (line.next() % 2 == 0) storage.cancel(storage.context);
  }
  return 0;
}
