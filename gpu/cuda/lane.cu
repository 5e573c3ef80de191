#include "gpu/cuda/lane.cuh"

#include <atomic>

namespace kindred::cuda {

Lane::Lane() : fault(1), arrived(1) {
  *arrived.data() = 0;
  cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
}

Lane::~Lane() {
  static_cast<void>(cudaStreamSynchronize(stream));
  static_cast<void>(cudaStreamDestroy(stream));
}

void Lane::wait_for_arrival() const {
  constexpr int kLooks = 1 << 16;         // some 200 us
  constexpr int kLooksBetween = 1 << 12;  // two questions whether the stream failed
  const volatile unsigned* const last = arrived.data();
  for (int look = 1; *last != ticket && look < kLooks; ++look)
    if (look % kLooksBetween == 0) {
      const cudaError_t state = cudaStreamQuery(stream);
      if (state != cudaErrorNotReady) cuda_check(state, "search");
    }
  if (*last != ticket) wait();
  std::atomic_thread_fence(std::memory_order_acquire);
}

std::unique_ptr<Lane> LanePool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Lane> lane = std::move(idle_.back());
      idle_.pop_back();
      return lane;
    }
  }
  return std::make_unique<Lane>();
}

void LanePool::give_back(std::unique_ptr<Lane> lane) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(lane));
}

}  // namespace kindred::cuda
