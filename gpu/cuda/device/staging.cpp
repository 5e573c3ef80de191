#include "gpu/cuda/device/staging.cuh"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

#include "config/error.h"
#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/workers.h"

namespace kindred::cuda {

constexpr std::size_t kCopyChunk = std::size_t{2} << 20;
constexpr std::size_t kSmall = std::size_t{1} << 20;  // below it the driver copies as quickly
constexpr std::size_t kMostThreads = 14;

/// One thread's two buffers, filled in turn.
struct DoubleBuffer {
  PinnedBuffer<char> buffer[2]{PinnedBuffer<char>(kCopyChunk), PinnedBuffer<char>(kCopyChunk)};
  Event free[2];
  Stream stream;
};

namespace {

/// Copies the chunks that no other thread has taken yet.
void copy_next_chunks(DoubleBuffer& pair, std::atomic<std::size_t>& next,
                      std::span<const HostCopy> chunks) try {
  // The two buffers are used in turn: one is filled while the device reads the other. A buffer is
  // filled again only when its last copy has ended.
  for (unsigned turn = 0;; turn ^= 1) {
    const std::size_t i = next++;
    if (i >= chunks.size()) break;

    const HostCopy& chunk = chunks[i];
    cuda_check(cudaEventSynchronize(pair.free[turn]), "copy to the device");
    std::memcpy(pair.buffer[turn].data(), chunk.from, chunk.bytes);
    cuda_check(cudaMemcpyAsync(chunk.to, pair.buffer[turn].data(), chunk.bytes,
                               cudaMemcpyHostToDevice, pair.stream),
               "copy to the device");
    cuda_check(cudaEventRecord(pair.free[turn], pair.stream), "copy to the device");
  }

  pair.stream.wait("copy to the device");
} catch (...) {
  pair.stream.settle();  // the caller may free what was being written
  throw;
}

/// Cuts a copy into chunks.
void cut(const HostCopy& copy, std::vector<HostCopy>& chunks) {
  for (std::size_t begin = 0; begin < copy.bytes; begin += kCopyChunk)
    chunks.push_back({static_cast<char*>(copy.to) + begin,
                      static_cast<const char*>(copy.from) + begin,
                      std::min(kCopyChunk, copy.bytes - begin)});
}

}  // namespace

bool is_page_locked(const void* host) {
  cudaPointerAttributes attributes{};
  const cudaError_t status = cudaPointerGetAttributes(&attributes, host);
  ignore_status(status);
  return status == cudaSuccess && attributes.type == cudaMemoryTypeHost;
}

/// What the stagings of a device share.
class Staging::Buffers {
 public:
  explicit Buffers(DevicePointer device) : device_(std::move(device)) {}
  ~Buffers() {
    const DeviceScope scope(*device_, std::nothrow);
    double_buffers_.clear();
    stream_.reset();
  }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  const Stream& stream() const { return *stream_; }
  void copy(std::span<const HostCopy> chunks, std::size_t threads);

 private:
  void make_double_buffers(std::size_t wanted);

  DevicePointer device_;
  std::unique_ptr<Stream> stream_ = std::make_unique<Stream>();  // of copies that need no buffers
  std::mutex mutex_;
  std::vector<std::unique_ptr<DoubleBuffer>> double_buffers_;
};

Staging::Staging(DevicePointer device, std::size_t threads)
    : threads_(number_of_threads(threads)),
      buffers_(one_per_device<Buffers>(device->ordinal(), device)) {}

void Staging::copy_to_device(void* to, const void* from, std::size_t bytes) {
  const HostCopy copy = {to, from, bytes};
  copy_to_device({&copy, 1});
}

void Staging::copy_to_device(std::span<const HostCopy> copies) {
  const Stream& stream = buffers_->stream();
  try {
    // Memory that the device can read is copied at once, and so is what is small. The rest is cut
    // into chunks, which several threads take through buffers.
    std::vector<HostCopy> chunks;
    for (const HostCopy& copy : copies) {
      if (copy.bytes == 0) continue;
      if (copy.bytes > kSmall && !is_page_locked(copy.from)) {
        cut(copy, chunks);
      } else {
        cuda_check(cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyHostToDevice, stream),
                   "copy to the device");
      }
    }

    if (!chunks.empty()) buffers_->copy(chunks, threads_);
  } catch (...) {
    stream.settle();
    throw;
  }

  stream.wait("copy to the device");
}

/// Makes double buffers until there are `wanted`. If page-locked memory is short, one is enough.
void Staging::Buffers::make_double_buffers(std::size_t wanted) {
  try {
    while (double_buffers_.size() < wanted)
      double_buffers_.push_back(std::make_unique<DoubleBuffer>());
  } catch (const Error& e) {
    if (double_buffers_.empty() || e.code() != Errc::kOutOfMemory) throw;
  }
}

void Staging::Buffers::copy(std::span<const HostCopy> chunks, std::size_t threads) {
  // One copy at a time uses the buffers.
  const std::lock_guard lock(mutex_);
  const std::size_t wanted = std::min({kMostThreads, threads, chunks.size()});
  make_double_buffers(wanted);

  std::atomic<std::size_t> next{0};
  // One double buffer per thread. If there are fewer threads, one that takes a second double buffer
  // finds no chunks left.
  for_each_item(std::min(wanted, double_buffers_.size()), threads, [&](std::size_t i) {
    const DeviceScope scope(*device_);
    copy_next_chunks(*double_buffers_[i], next, chunks);
  });
}

}  // namespace kindred::cuda
