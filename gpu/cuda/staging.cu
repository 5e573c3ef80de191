#include "gpu/cuda/staging.cuh"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <map>
#include <thread>
#include <vector>

#include "gpu/cuda/device_buffer.cuh"

namespace kindred::cuda {
namespace {

constexpr std::size_t kPiece = std::size_t{2} << 20;
constexpr std::size_t kSmall = std::size_t{1}
                               << 20;  // below this the driver copies pageable memory itself
constexpr unsigned kMostThreads = 14;

/// One thread's two buffers, filled in turn.
struct StagingLane {
  PinnedBuffer<char> buffer[2]{PinnedBuffer<char>(kPiece), PinnedBuffer<char>(kPiece)};
  cudaEvent_t free[2]{};
  cudaStream_t stream{};

  StagingLane() {
    cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    for (cudaEvent_t& event : free)
      cuda_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
  }
  ~StagingLane() {
    for (const cudaEvent_t event : free) cudaEventDestroy(event);
    cudaStreamDestroy(stream);
  }
};

/// Copies the pieces that no other thread has taken yet.
void copy_next_pieces(StagingLane& lane, std::atomic<std::size_t>& next,
                      std::span<const HostCopy> pieces) {
  for (unsigned turn = 0;; turn ^= 1) {
    const std::size_t i = next++;
    if (i >= pieces.size()) break;
    const HostCopy& piece = pieces[i];
    cuda_check(cudaEventSynchronize(lane.free[turn]), "copy to the device");
    std::memcpy(lane.buffer[turn].data(), piece.from, piece.bytes);
    cuda_check(cudaMemcpyAsync(piece.to, lane.buffer[turn].data(), piece.bytes,
                               cudaMemcpyHostToDevice, lane.stream),
               "copy to the device");
    cuda_check(cudaEventRecord(lane.free[turn], lane.stream), "copy to the device");
  }
  cuda_check(cudaStreamSynchronize(lane.stream), "copy to the device");
}

/// Adds a copy's pieces.
void cut(const HostCopy& copy, std::vector<HostCopy>& pieces) {
  for (std::size_t begin = 0; begin < copy.bytes; begin += kPiece)
    pieces.push_back({static_cast<char*>(copy.to) + begin,
                      static_cast<const char*>(copy.from) + begin,
                      std::min(kPiece, copy.bytes - begin)});
}

}  // namespace

bool is_page_locked(const void* host) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, host) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return false;
  }
  return attributes.type == cudaMemoryTypeHost;
}

struct Staging::Lane : StagingLane {};

std::shared_ptr<Staging> Staging::of(const DevicePointer& device) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<Staging>> all;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Staging> staging = all[device->ordinal()].lock();
  if (staging == nullptr) all[device->ordinal()] = staging = std::make_shared<Staging>(device);
  return staging;
}

Staging::Staging(DevicePointer device) : device_(std::move(device)) {
  cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
}
Staging::~Staging() { static_cast<void>(cudaStreamDestroy(stream_)); }

void Staging::copy_to_device(void* to, const void* from, std::size_t bytes) {
  const HostCopy copy = {to, from, bytes};
  copy_to_device({&copy, 1});
}

void Staging::copy_to_device(std::span<const HostCopy> copies) {
  std::vector<HostCopy> pieces;
  for (const HostCopy& copy : copies) {
    if (copy.bytes == 0) continue;
    if (copy.bytes > kSmall && !is_page_locked(copy.from)) {
      cut(copy, pieces);
    } else {
      cuda_check(cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyHostToDevice, stream_),
                 "copy to the device");
    }
  }
  if (!pieces.empty()) copy_pieces(pieces);
  cuda_check(cudaStreamSynchronize(stream_), "copy to the device");
}

void Staging::copy_pieces(std::span<const HostCopy> pieces) {
  const std::lock_guard lock(mutex_);
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t wanted = std::min<std::size_t>({kMostThreads, cores, pieces.size()});
  while (lanes_.size() < wanted) lanes_.push_back(std::make_unique<Lane>());
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> failures(wanted);
  const auto work = [&](std::size_t i) noexcept {
    try {
      device_->make_current();
      copy_next_pieces(*lanes_[i], next, pieces);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < wanted; ++i) threads.emplace_back(work, i);
  work(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace kindred::cuda
