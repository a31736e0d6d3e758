// SPDX-License-Identifier: Apache-2.0
#include "host_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace thimble::host_file {

using Clock = std::chrono::steady_clock;

struct Operation {
  enum class Kind { kRead, kWrite, kErase };
  /// Cancelled ones are kFree again.
  enum class State { kFree, kQueued, kEnded };
  Kind kind = Kind::kRead;
  State state = State::kFree;
  uint32_t offset = 0, size = 0;
  void* into = nullptr;
  const void* from = nullptr;
  int status = THIMBLE_STORAGE_OK;
};

int failure_of(Operation::Kind kind) {
  switch (kind) {
    case Operation::Kind::kRead:
      return THIMBLE_STORAGE_READ_FAILED;
    case Operation::Kind::kWrite:
      return THIMBLE_STORAGE_WRITE_FAILED;
    case Operation::Kind::kErase:
      return THIMBLE_STORAGE_ERASE_FAILED;
  }
  return THIMBLE_STORAGE_READ_FAILED;
}

// Moves `size` bytes with move(done, left), which is as pread and pwrite: it may move fewer.
template <class Move>
int moved(uint32_t size, int failure, const Move& move) {
  for (uint32_t done = 0; done < size;) {
    const ssize_t count = move(done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == ENOSPC) return THIMBLE_STORAGE_FULL;
    if (count <= 0) return failure;  // 0: the file was made shorter
    done += static_cast<uint32_t>(count);
  }
  return THIMBLE_STORAGE_OK;
}

}  // namespace thimble::host_file

using thimble::host_file::Clock;
using thimble::host_file::failure_of;
using thimble::host_file::moved;
using thimble::host_file::Operation;

struct thimble_host_file {
 public:
  thimble_host_file(int descriptor, uint32_t size, uint32_t tokens,
                    const thimble_host_file_device& device)
      : descriptor_(descriptor), size_(size), device_(device), operations_(tokens) {
    queue_.reserve(tokens);
    thread_ = std::thread([this] { serve(); });
  }
  thimble_host_file(const thimble_host_file&) = delete;
  thimble_host_file& operator=(const thimble_host_file&) = delete;
  ~thimble_host_file() {
    cancel();
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
    ::close(descriptor_);
  }

  int begin(uint32_t token, const Operation& wanted) {
    const int failure = failure_of(wanted.kind);
    const bool erases = wanted.kind == Operation::Kind::kErase;
    if (wanted.offset > size_ || wanted.size > size_ - wanted.offset) return THIMBLE_STORAGE_FULL;
    const uint32_t unit = erases                                   ? device_.block
                          : wanted.kind == Operation::Kind::kWrite ? device_.granule
                                                                   : 1;
    if (unit != 0 && wanted.offset % unit != 0) return failure;
    if (erases && (unit == 0 || wanted.size % unit != 0)) return failure;
    {
      const std::lock_guard lock(mutex_);
      if (token >= operations_.size() || operations_[token].state != Operation::State::kFree)
        return failure;
      operations_[token] = wanted;
      operations_[token].state = Operation::State::kQueued;
      queue_.push_back(token);
      counts_.most_in_flight = std::max(counts_.most_in_flight, ++in_flight_);
    }
    changed_.notify_all();
    return THIMBLE_STORAGE_OK;
  }

  int wait(uint32_t token) {
    std::unique_lock lock(mutex_);
    if (token >= operations_.size() || operations_[token].state == Operation::State::kFree)
      return THIMBLE_STORAGE_READ_FAILED;
    Operation& operation = operations_[token];
    if (operation.state == Operation::State::kEnded) ++counts_.overlapped;
    changed_.wait(lock, [&] { return operation.state == Operation::State::kEnded; });
    operation.state = Operation::State::kFree;
    --in_flight_;
    return operation.status;
  }

  void cancel() {
    std::unique_lock lock(mutex_);
    queue_.clear();
    cancelling_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !busy_; });
    cancelling_ = false;
    for (Operation& operation : operations_) operation.state = Operation::State::kFree;
    in_flight_ = 0;
  }

  [[nodiscard]] bool erases() const { return device_.block != 0; }

  thimble_host_file_counts counts() {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  [[nodiscard]] double device_seconds(const Operation& operation) const {
    if (operation.kind == Operation::Kind::kErase) {
      const uint32_t blocks = operation.size / device_.block;
      return device_.erase_seconds * blocks;
    }
    const double rate = operation.kind == Operation::Kind::kRead ? device_.read_bytes_per_second
                                                                 : device_.write_bytes_per_second;
    return device_.access_seconds + (rate > 0 ? operation.size / rate : 0);
  }

  // What the file's thread does.
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return closing_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const uint32_t token = queue_.front();
      queue_.erase(queue_.begin());
      busy_ = true;
      const Operation operation = operations_[token];
      const double seconds = device_seconds(operation);
      count(operation, seconds);
      lock.unlock();
      const Clock::time_point begun = Clock::now();
      const int status = execute(operation);
      if (device_.pass != nullptr) device_.pass(device_.pass_context, seconds);
      lock.lock();
      if (device_.pass == nullptr && seconds > 0)
        changed_.wait_until(lock,
                            begun + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(seconds)),
                            [&] { return cancelling_; });
      operations_[token].status = status;
      operations_[token].state = Operation::State::kEnded;
      busy_ = false;
      changed_.notify_all();
    }
  }

  void count(const Operation& operation, double seconds) {
    counts_.device_seconds += seconds;
    switch (operation.kind) {
      case Operation::Kind::kRead:
        ++counts_.reads;
        counts_.read_bytes += operation.size;
        return;
      case Operation::Kind::kWrite:
        ++counts_.writes;
        counts_.written_bytes += operation.size;
        return;
      case Operation::Kind::kErase:
        ++counts_.erases;
        counts_.erased_blocks += operation.size / device_.block;
        return;
    }
  }

  [[nodiscard]] int execute(const Operation& operation) const {
    const int failure = failure_of(operation.kind);
    const auto at = [&](uint32_t done) { return off_t{operation.offset} + off_t{done}; };
    switch (operation.kind) {
      case Operation::Kind::kRead:
        return moved(operation.size, failure, [&](uint32_t done, uint32_t left) {
          return ::pread(descriptor_, static_cast<uint8_t*>(operation.into) + done, left, at(done));
        });
      case Operation::Kind::kWrite:
        return moved(operation.size, failure, [&](uint32_t done, uint32_t left) {
          return ::pwrite(descriptor_, static_cast<const uint8_t*>(operation.from) + done, left,
                          at(done));
        });
      case Operation::Kind::kErase: {
        std::array<uint8_t, 4096> ones;
        ones.fill(0xff);
        return moved(operation.size, failure, [&](uint32_t done, uint32_t left) {
          return ::pwrite(descriptor_, ones.data(), std::min<size_t>(left, ones.size()), at(done));
        });
      }
    }
    return failure;
  }

  const int descriptor_;
  const uint32_t size_;
  const thimble_host_file_device device_;

  std::mutex mutex_;  ///< of all that follows
  std::condition_variable changed_;
  std::vector<Operation> operations_;  ///< by token
  std::vector<uint32_t> queue_;        ///< tokens of what has not begun, with room for all
  uint32_t in_flight_ = 0;
  bool busy_ = false, cancelling_ = false, closing_ = false;
  thimble_host_file_counts counts_{};
  std::thread thread_;
};

namespace {

thimble_host_file& file_of(void* context) { return *static_cast<thimble_host_file*>(context); }

int read_file(void* context, uint32_t token, uint32_t offset, void* bytes, uint32_t size) {
  return file_of(context).begin(
      token, {Operation::Kind::kRead, Operation::State::kFree, offset, size, bytes});
}

int write_file(void* context, uint32_t token, uint32_t offset, const void* bytes, uint32_t size) {
  return file_of(context).begin(
      token, {Operation::Kind::kWrite, Operation::State::kFree, offset, size, nullptr, bytes});
}

int erase_file(void* context, uint32_t token, uint32_t offset, uint32_t size) {
  return file_of(context).begin(token,
                                {Operation::Kind::kErase, Operation::State::kFree, offset, size});
}

int wait_for_file(void* context, uint32_t token) { return file_of(context).wait(token); }
void cancel_file(void* context) { file_of(context).cancel(); }

}  // namespace

thimble_host_file* thimble_host_file_open(const char* path, uint32_t size, uint32_t tokens,
                                          const thimble_host_file_device* device) {
  const int descriptor = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0) return nullptr;
  int why = 0;
  struct stat found;
  // A longer file is left as long as it is.
  if (::fstat(descriptor, &found) == 0 &&
      (found.st_size >= off_t{size} || ::ftruncate(descriptor, off_t{size}) == 0)) {
    try {
      return new thimble_host_file(descriptor, size, tokens,
                                   device == nullptr ? thimble_host_file_device{} : *device);
    } catch (const std::bad_alloc&) {
      why = ENOMEM;
    } catch (const std::system_error& error) {  // no thread
      why = error.code().value();
    }
  } else {
    why = errno;
  }
  ::close(descriptor);
  errno = why;
  return nullptr;
}

thimble_storage thimble_host_file_storage(thimble_host_file* file) {
  return {file,          read_file,  write_file, file->erases() ? erase_file : nullptr,
          wait_for_file, cancel_file};
}

thimble_host_file_counts thimble_host_file_counts_of(thimble_host_file* file) {
  return file->counts();
}

void thimble_host_file_close(thimble_host_file* file) { delete file; }
