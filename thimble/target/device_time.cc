// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/device_time.h"

#include <algorithm>
#include <utility>

#include "thimble/model/error.h"

namespace thimble {
namespace {

WaitCause cause_of(ChannelWork work) {
  switch (work) {
    case ChannelWork::kRead:
      return WaitCause::kRead;
    case ChannelWork::kWrite:
      return WaitCause::kWrite;
    case ChannelWork::kErase:
      return WaitCause::kErase;
  }
  throw InternalError("unknown ChannelWork");
}

double seconds_at(std::optional<int64_t> bytes_per_second, int64_t bytes) {
  if (!bytes_per_second) return 0;
  return static_cast<double>(bytes) / static_cast<double>(*bytes_per_second);
}

}  // namespace

const char* name(ChannelWork work) { return name(cause_of(work)); }

const char* name(WaitCause cause) {
  switch (cause) {
    case WaitCause::kRead:
      return "read";
    case WaitCause::kWrite:
      return "write";
    case WaitCause::kErase:
      return "erase";
    case WaitCause::kQueue:
      return "queue";
    case WaitCause::kStall:
      return "stall";
  }
  throw InternalError("unknown WaitCause");
}

DeviceTime::DeviceTime(std::vector<Channel> channels, bool keeps_spans)
    : channels_(std::move(channels)),
      keeps_spans_(keeps_spans),
      seconds_(channels_.size()),
      free_at_(channels_.size()),
      erased_at_(channels_.size()) {}

double DeviceTime::seconds_of(const StorageFigures& figures, const ChannelRequest& request) {
  switch (request.work) {
    case ChannelWork::kRead:
      return figures.access_seconds.value_or(0) +
             seconds_at(figures.read_bytes_per_second, request.amount);
    case ChannelWork::kWrite:
      return figures.access_seconds.value_or(0) +
             seconds_at(figures.write_bytes_per_second, request.amount);
    case ChannelWork::kErase:
      return figures.erase_seconds.value_or(0) * static_cast<double>(request.amount);
  }
  throw InternalError("unknown ChannelWork");
}

bool DeviceTime::stalls_core(const InService& service) const {
  const Channel& channel = channels_[static_cast<size_t>(service.channel)];
  return channel.figures.stalls_core.value_or(false) && service.work != ChannelWork::kRead;
}

void DeviceTime::forget_ended() {
  std::erase_if(in_service_, [&](const InService& service) { return service.end <= now_; });
}

void DeviceTime::wait_until(double time, WaitCause cause) {
  if (time <= now_) return;
  waited_[static_cast<size_t>(cause)] += time - now_;
  if (keeps_spans_)
    spans_.push_back({.kind = TimeSpan::Kind::kWait, .cause = cause, .begin = now_, .end = time});
  now_ = time;
}

void DeviceTime::advance(double time, int label) {
  if (time <= now_) return;
  for (const InService& service : in_service_) {
    const double both = std::min(time, service.end) - std::max(now_, service.begin);
    if (both > 0) seconds_[static_cast<size_t>(service.channel)].hidden += both;
  }
  computed_ += time - now_;
  if (keeps_spans_) {
    TimeSpan* last = spans_.empty() ? nullptr : &spans_.back();
    const bool goes_on = last != nullptr && last->kind == TimeSpan::Kind::kCompute &&
                         last->label == label && last->end == now_;
    if (goes_on) {
      last->end = time;
    } else {
      spans_.push_back({.label = label, .begin = now_, .end = time});
    }
  }
  now_ = time;
}

void DeviceTime::compute(double seconds, int label) {
  forget_ended();
  for (const InService& service : in_service_) {
    if (!stalls_core(service) || service.end <= now_) continue;
    const double before = std::max(0.0, service.begin - now_);
    if (before >= seconds) break;
    seconds -= before;
    advance(now_ + before, label);
    wait_until(service.end, WaitCause::kStall);
  }
  advance(now_ + seconds, label);
}

// From when on a channel takes one more.
double DeviceTime::room_in(int channel) const {
  const auto most = static_cast<size_t>(
      channels_[static_cast<size_t>(channel)].figures.transfers_in_flight.value_or(kMostInFlight));
  std::vector<double> ends;
  for (const InService& service : in_service_) {
    if (service.channel == channel && !service.beside && service.end > now_)
      ends.push_back(service.end);
  }
  if (ends.size() < most) return now_;
  std::ranges::sort(ends);
  return ends[ends.size() - most];
}

void DeviceTime::begin(int channel, int token, const ChannelRequest& request) {
  const auto c = static_cast<size_t>(channel);
  forget_ended();
  const bool erases = request.work == ChannelWork::kErase;
  const bool beside = erases && channels_[c].erases_beside;
  if (!beside) wait_until(room_in(channel), WaitCause::kQueue);
  double& free_at = beside ? erased_at_[c] : free_at_[c];
  InService service{
      .channel = channel, .work = request.work, .beside = beside, .begin = std::max(now_, free_at)};
  service.end = service.begin + seconds_of(channels_[c].figures, request);
  free_at = service.end;
  of_token_[token] = service;
  seconds_[c].work[static_cast<size_t>(request.work)] += service.end - service.begin;
  if (keeps_spans_) {
    spans_.push_back({.kind = TimeSpan::Kind::kWork,
                      .lane = channel,
                      .work = request.work,
                      .begin = service.begin,
                      .end = service.end});
  }
  const auto later = [](double at, const InService& other) { return at < other.begin; };
  in_service_.insert(std::upper_bound(in_service_.begin(), in_service_.end(), service.begin, later),
                     service);
  if (erases ? channels_[c].polled_erases : channels_[c].polled) wait(token);
}

void DeviceTime::wait(int token) {
  const auto found = of_token_.find(token);
  if (found == of_token_.end()) return;
  const InService service = found->second;
  of_token_.erase(found);
  wait_until(service.begin, WaitCause::kQueue);
  wait_until(service.end, cause_of(service.work));
}

}  // namespace thimble
