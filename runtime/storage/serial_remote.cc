// SPDX-License-Identifier: Apache-2.0
// The device's end of the serial remote (docs/remote.md). Requests go back N: the host takes them
// in the order of their numbers, so that an acknowledgement is of all before it, and whatever is
// missing is sent again with all behind it. Operations in flight do not depend on one another,
// since one that overlaps another waits for it: a read whose data are lost is asked again under a
// new number.
#include "serial_remote.h"

#include "serial_frame.h"

namespace thimble::runtime {
namespace {

using Remote = thimble_serial_remote;
using Operation = thimble_serial_operation;
using Request = thimble_serial_request;

enum Kind : uint8_t { kReading, kWriting, kErasing };
enum State : uint32_t { kUnconnected, kGreeting, kConnected, kRefused };

constexpr uint32_t kNobody = 0xFFFFFFFF;
constexpr uint32_t kUnknownCapacity = 0xFFFFFFFF;
constexpr uint32_t kChunkBytes = 64;
// Then the clock is looked at, however fast bytes come.
constexpr uint32_t kMostChunks = 64;

static_assert((THIMBLE_SERIAL_WINDOW & (THIMBLE_SERIAL_WINDOW - 1)) == 0);

uint32_t now(const Remote& remote) { return remote.link.milliseconds(remote.link.context); }

bool in_flight(const Operation& operation) {
  return operation.begun != 0 && operation.status == 0 && operation.done < operation.size;
}

bool any_in_flight(const Remote& remote) {
  for (uint32_t i = 0; i < remote.operation_count; ++i)
    if (in_flight(remote.operations[i])) return true;
  return false;
}

int failed_status(uint8_t kind) {
  if (kind == kReading) return THIMBLE_STORAGE_READ_FAILED;
  return kind == kWriting ? THIMBLE_STORAGE_WRITE_FAILED : THIMBLE_STORAGE_ERASE_FAILED;
}

Request& request(Remote& remote, uint32_t number) {
  return remote.requests[number % THIMBLE_SERIAL_WINDOW];
}

void drop_session(Remote& remote) {
  remote.first = remote.sent = remote.next;
  remote.state = kUnconnected;
}

// `status` 0: what each kind of operation says when it fails.
void fail_all(Remote& remote, int status) {
  for (uint32_t i = 0; i < remote.operation_count; ++i) {
    Operation& operation = remote.operations[i];
    if (in_flight(operation))
      operation.status = status != 0 ? status : failed_status(operation.kind);
  }
  drop_session(remote);
}

void fail(Remote& remote, uint32_t token, int status) {
  remote.operations[token].status = status;
  for (uint32_t number = remote.first; number != remote.next; ++number)
    if (request(remote, number).operation == token) request(remote, number).operation = kNobody;
}

void send_frame(Remote& remote, const FrameHeader& header, const uint8_t* payload, uint32_t count) {
  int status = 0;
  write_frame(header, payload, count, [&](const uint8_t* bytes, uint32_t size) {
    if (status >= 0) status = remote.link.send(remote.link.context, bytes, size);
  });
  remote.quiet_since = now(remote);
  if (status < 0) fail_all(remote, 0);
}

void greet(Remote& remote) {
  if (remote.state != kGreeting) remote.nonce += 0x9E3779B9u + now(remote);
  remote.state = kGreeting;
  FrameHeader header;
  header.kind = FrameKind::kHello;
  header.length = kSerialVersion;
  header.session = remote.nonce;
  header.sequence = remote.first;
  send_frame(remote, header, nullptr, 0);
}

void poll(Remote& remote) {
  FrameHeader header;
  header.kind = FrameKind::kPoll;
  header.session = remote.session;
  send_frame(remote, header, nullptr, 0);
}

void send_request(Remote& remote, uint32_t number) {
  const Request& asked = request(remote, number);
  FrameHeader header;
  header.kind = FrameKind::kSkip;
  header.session = remote.session;
  header.sequence = number;
  if (asked.operation == kNobody) return send_frame(remote, header, nullptr, 0);
  const Operation& operation = remote.operations[asked.operation];
  header.offset = operation.offset + asked.at;
  if (operation.kind == kReading) {
    header.kind = FrameKind::kRead;
    header.length = static_cast<uint16_t>(asked.size);
    send_frame(remote, header, nullptr, 0);
  } else if (operation.kind == kWriting) {
    header.kind = FrameKind::kWrite;
    send_frame(remote, header, operation.source + asked.at, asked.size);
  } else {
    header.kind = FrameKind::kErase;
    uint8_t size[4];
    store_u32(asked.size, size);
    send_frame(remote, header, size, sizeof(size));
  }
}

// The operation begun first of which something was not asked yet.
uint32_t next_to_ask(const Remote& remote) {
  uint32_t found = kNobody;
  for (uint32_t i = 0; i < remote.operation_count; ++i) {
    const Operation& operation = remote.operations[i];
    if (!in_flight(operation) || operation.asked == operation.size) continue;
    if (found == kNobody ||
        static_cast<int32_t>(operation.order - remote.operations[found].order) < 0)
      found = i;
  }
  return found;
}

uint32_t window(const Remote& remote) {
  constexpr uint32_t kMost = THIMBLE_SERIAL_WINDOW;
  if (remote.window == 0) return 1;
  return remote.window < kMost ? remote.window : kMost;
}

void make_requests(Remote& remote) {
  while (remote.next - remote.first < window(remote)) {
    const uint32_t token = next_to_ask(remote);
    if (token == kNobody) return;
    Operation& operation = remote.operations[token];
    uint32_t size = operation.size - operation.asked;
    if (operation.kind != kErasing && size > kMostPayloadBytes) size = kMostPayloadBytes;
    request(remote, remote.next++) = {operation.asked, size, token, 0};
    operation.asked += size;
  }
}

bool is_expected(const Remote& remote, uint32_t number) {
  return number - remote.first < remote.sent - remote.first;
}

// All before `number` has been taken by the host.
void acknowledge(Remote& remote, uint32_t number) {
  if (number - remote.first > remote.sent - remote.first) return;  // old, or never sent
  while (remote.first != number) {
    const Request done = request(remote, remote.first++);
    if (done.operation == kNobody) continue;
    Operation& operation = remote.operations[done.operation];
    if (operation.kind == kReading && done.answered == 0) {
      request(remote, remote.next++) = done;  // its data were lost; one place is free
      ++remote.resent;
      continue;
    }
    operation.done += done.size;
    remote.completed_at = now(remote);
  }
}

void take_data(Remote& remote, const Frame& frame) {
  const uint32_t number = frame.header.sequence;
  if (!is_expected(remote, number)) return;
  Request& asked = request(remote, number);
  if (asked.operation != kNobody) {
    const Operation& operation = remote.operations[asked.operation];
    if (operation.kind != kReading || frame.payload_bytes != asked.size) return;
    uint8_t* target = operation.target + asked.at;
    for (uint32_t i = 0; i < asked.size; ++i) target[i] = frame.payload[i];
    asked.answered = 1;
  }
  acknowledge(remote, number + 1);
}

void take_gone(Remote& remote, uint32_t number) {
  if (!is_expected(remote, number)) return;
  const uint32_t token = request(remote, number).operation;
  if (token != kNobody) {
    if (remote.operations[token].kind != kReading) return;
    fail(remote, token, THIMBLE_SERIAL_GONE);
  }
  acknowledge(remote, number + 1);
}

bool fits(const Remote& remote, uint32_t offset, uint32_t size) {
  return offset <= remote.capacity && size <= remote.capacity - offset;
}

void take_welcome(Remote& remote, const FrameHeader& header) {
  if (remote.state != kGreeting || header.sequence != remote.nonce) return;
  remote.state = kConnected;
  remote.session = header.session;
  remote.capacity = header.offset;
  remote.sent = remote.first;
  for (uint32_t i = 0; i < remote.operation_count; ++i) {
    const Operation& operation = remote.operations[i];
    if (in_flight(operation) && !fits(remote, operation.offset, operation.size))
      fail(remote, i, THIMBLE_STORAGE_FULL);
  }
}

void take_closed(Remote& remote, const FrameHeader& header) {
  const bool greeting = remote.state == kGreeting && header.session == remote.nonce;
  const bool connected = remote.state == kConnected && header.session == remote.session;
  if (!greeting && !connected) return;
  if (header.length == static_cast<uint16_t>(CloseReason::kUnknownSession)) {
    if (connected) remote.state = kUnconnected;  // and greets anew; all not acknowledged stays
  } else {
    fail_all(remote, THIMBLE_SERIAL_REFUSED);
    remote.state = kRefused;
  }
}

void take_frame(Remote& remote, const Frame& frame) {
  const FrameHeader& header = frame.header;
  if (header.kind == FrameKind::kWelcome) return take_welcome(remote, header);
  if (header.kind == FrameKind::kClosed) return take_closed(remote, header);
  if (remote.state != kConnected || header.session != remote.session) return;
  remote.quiet_since = now(remote);
  if (header.kind == FrameKind::kData) {
    take_data(remote, frame);
  } else if (header.kind == FrameKind::kGone) {
    take_gone(remote, header.sequence);
  } else if (header.kind == FrameKind::kAck) {
    acknowledge(remote, header.sequence);
    if (header.length != 0 && header.sequence == remote.first) {
      remote.resent += remote.sent - remote.first;
      remote.sent = remote.first;
    }
  }
}

void receive(Remote& remote) {
  for (uint32_t chunk = 0; chunk < kMostChunks; ++chunk) {
    uint8_t bytes[kChunkBytes];
    const int32_t count = remote.link.receive(remote.link.context, bytes, sizeof(bytes));
    if (count < 0 || count > static_cast<int32_t>(sizeof(bytes))) return fail_all(remote, 0);
    for (int32_t i = 0; i < count; ++i) {
      const uint32_t length = receive_byte(remote.receiver, bytes[i]);
      if (length == 0) continue;
      Frame frame;
      if (parse_frame(remote.receiver.bytes, length, frame)) {
        take_frame(remote, frame);
      } else {
        ++remote.damaged;
      }
    }
    if (count < static_cast<int32_t>(sizeof(bytes))) return;
  }
}

// Sends what may be sent, takes what has come, and asks again what got no answer.
void advance(Remote& remote) {
  if (remote.state == kUnconnected || remote.state == kRefused) greet(remote);
  for (;;) {
    receive(remote);
    if (remote.state != kConnected) break;
    make_requests(remote);
    if (remote.sent == remote.next) break;
    send_request(remote, remote.sent++);
    if (remote.state != kConnected) break;  // the line failed
  }
  const bool waits = remote.state == kGreeting || remote.sent != remote.first;
  if (!waits || now(remote) - remote.quiet_since < remote.resend_ms) return;
  if (remote.state == kGreeting) {
    greet(remote);
  } else {
    poll(remote);
  }
}

template <typename Done>
void advance_until(Remote& remote, Done done) {
  remote.completed_at = now(remote);
  while (!done()) {
    advance(remote);
    if (!done() && now(remote) - remote.completed_at >= remote.give_up_ms)
      fail_all(remote, THIMBLE_STORAGE_TIMED_OUT);
  }
}

void finish(Remote& remote, Operation& operation) {
  advance_until(remote, [&] { return !in_flight(operation); });
}

bool conflict(const Operation& a, const Operation& b) {
  if (a.kind == kReading && b.kind == kReading) return false;
  return a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

int begin(Remote& remote, uint32_t token, const Operation& operation) {
  if (token >= remote.operation_count || remote.operations[token].begun != 0)
    return failed_status(operation.kind);
  if (operation.size > 0xFFFFFFFF - operation.offset ||
      !fits(remote, operation.offset, operation.size))
    return THIMBLE_STORAGE_FULL;
  for (uint32_t i = 0; i < remote.operation_count; ++i) {
    Operation& other = remote.operations[i];
    if (in_flight(other) && conflict(operation, other)) finish(remote, other);
  }
  remote.operations[token] = operation;
  remote.operations[token].order = remote.next_order++;
  remote.operations[token].begun = 1;
  if (operation.size > 0) advance(remote);
  return THIMBLE_STORAGE_OK;
}

Operation operation_of(Kind kind, uint32_t offset, uint32_t size) {
  Operation operation = {};
  operation.kind = kind;
  operation.offset = offset;
  operation.size = size;
  return operation;
}

int read_async(void* context, uint32_t token, uint32_t offset, void* bytes, uint32_t size) {
  Operation operation = operation_of(kReading, offset, size);
  operation.target = static_cast<uint8_t*>(bytes);
  return begin(*static_cast<Remote*>(context), token, operation);
}

int write_async(void* context, uint32_t token, uint32_t offset, const void* bytes, uint32_t size) {
  Operation operation = operation_of(kWriting, offset, size);
  operation.source = static_cast<const uint8_t*>(bytes);
  return begin(*static_cast<Remote*>(context), token, operation);
}

int erase_async(void* context, uint32_t token, uint32_t offset, uint32_t size) {
  return begin(*static_cast<Remote*>(context), token, operation_of(kErasing, offset, size));
}

int wait(void* context, uint32_t token) {
  Remote& remote = *static_cast<Remote*>(context);
  if (token >= remote.operation_count || remote.operations[token].begun == 0)
    return THIMBLE_STORAGE_READ_FAILED;
  Operation& operation = remote.operations[token];
  finish(remote, operation);
  operation.begun = 0;
  return operation.status;
}

// The next session's host takes nothing that is still on the line.
void cancel(void* context) {
  Remote& remote = *static_cast<Remote*>(context);
  for (uint32_t i = 0; i < remote.operation_count; ++i) remote.operations[i] = {};
  drop_session(remote);
  remote.capacity = kUnknownCapacity;
}

int connect(Remote& remote) {
  if (!any_in_flight(remote)) drop_session(remote);  // a host that was started anew says so
  const uint32_t begun = now(remote);
  do {
    advance(remote);
    if (remote.state == kConnected) return THIMBLE_STORAGE_OK;
    if (remote.state == kRefused) return THIMBLE_SERIAL_REFUSED;
  } while (now(remote) - begun < remote.give_up_ms);
  return THIMBLE_STORAGE_TIMED_OUT;
}

}  // namespace
}  // namespace thimble::runtime

thimble_storage thimble_serial_remote_open(thimble_serial_remote* remote,
                                           const thimble_serial_link* link,
                                           thimble_serial_operation* operations,
                                           uint32_t operation_count) {
  using namespace thimble::runtime;
  *remote = {};
  remote->window = THIMBLE_SERIAL_WINDOW;
  remote->resend_ms = 100;
  remote->give_up_ms = 2000;
  remote->link = *link;
  remote->operations = operations;
  remote->operation_count = operation_count;
  remote->capacity = kUnknownCapacity;
  for (uint32_t i = 0; i < operation_count; ++i) operations[i] = {};
  return {remote, read_async, write_async, erase_async, wait, cancel};
}

int thimble_serial_remote_connect(thimble_serial_remote* remote, uint32_t bytes) {
  const int status = thimble::runtime::connect(*remote);
  if (status != THIMBLE_STORAGE_OK) return status;
  return bytes <= remote->capacity ? THIMBLE_STORAGE_OK : THIMBLE_STORAGE_FULL;
}
