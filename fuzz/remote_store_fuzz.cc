// SPDX-License-Identifier: Apache-2.0
// Any bytes may come over the line to the host of the serial remote: it answers with whole frames,
// of bounded size. Half of the inputs are frames with a right check, in the session that there is.
#include <algorithm>
#include <cstring>
#include <vector>

#include "thimble/model/error.h"
#include "thimble/toolchain/remote_store.h"

namespace {

using namespace thimble;

struct Answers {
  uint32_t session = 0, sequence = 0;

  void take(const std::vector<uint8_t>& bytes) {
    thimble_serial_receiver receiver = {};
    for (const uint8_t byte : bytes) {
      const uint32_t length = runtime::receive_byte(receiver, byte);
      if (length == 0) continue;
      runtime::Frame frame;
      check(runtime::parse_frame(receiver.bytes, length, frame), "an answer is no frame");
      if (frame.header.kind == runtime::FrameKind::kWelcome) session = frame.header.session;
      if (frame.header.kind == runtime::FrameKind::kAck) sequence = frame.header.sequence;
      if (frame.header.kind == runtime::FrameKind::kData ||
          frame.header.kind == runtime::FrameKind::kGone)
        sequence = frame.header.sequence + 1;
    }
  }
};

// kind, length, sequence, offset, payload's length: 8 bytes each.
std::vector<uint8_t> request_of(const uint8_t* data, const Answers& answers) {
  runtime::FrameHeader header;
  header.kind = static_cast<runtime::FrameKind>(data[0] % 8);
  header.length = static_cast<uint16_t>(data[1] | (data[2] & 3) << 8);
  header.session = data[2] < 250 ? answers.session : data[2];
  header.sequence = answers.sequence + static_cast<uint32_t>(data[3] < 240 ? 0 : data[3] - 247);
  header.offset = static_cast<uint32_t>(data[4] | data[5] << 8 | (data[6] > 250 ? 0xFFFF0000u : 0));
  const uint32_t length = header.kind == runtime::FrameKind::kErase ? 4 : data[7] * 2u;
  const std::vector<uint8_t> payload(length, data[7] == 4 ? 0 : data[7]);
  std::vector<uint8_t> request;
  runtime::write_frame(header, payload.data(), length, [&](const uint8_t* at, uint32_t count) {
    request.insert(request.end(), at, at + count);
  });
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  RemoteStore store(40'000, 1);
  Answers answers;
  const auto give = [&](std::vector<uint8_t> bytes) {
    const std::vector<uint8_t> said = store.take(bytes);
    check(said.size() <= 25 * bytes.size() + 600, "answers are longer than they may be");
    answers.take(said);
  };
  if (data[0] % 2 == 0) {
    give({data + 1, data + size});
  } else {
    for (size_t at = 1; at + 8 <= size; at += 8) give(request_of(data + at, answers));
  }
  return 0;
}
