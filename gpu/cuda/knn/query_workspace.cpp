#include "gpu/cuda/knn/query_workspace.cuh"

#include <atomic>

#include "gpu/cuda/search/search.cuh"

namespace kindred::cuda {

QueryWorkspace::QueryWorkspace() : fault(1), arrived(1) {}

QueryWorkspace::~QueryWorkspace() {
  stream.settle();
  beside.settle();
}

void QueryWorkspace::wait_for(std::span<const std::uint64_t> words) const {
  constexpr int kLooks = 1 << 16;         // about 200 us
  constexpr int kLooksBetween = 1 << 12;  // two checks whether the stream failed
  const volatile std::uint64_t* word = words.data();
  const auto have_arrived = [&] {
    while (word != words.data() + words.size() && *word != kNotYet) ++word;
    return word == words.data() + words.size();
  };
  for (int look = 1; !have_arrived() && look < kLooks; ++look)
    if (look % kLooksBetween == 0) {
      const cudaError_t state = cudaStreamQuery(stream);
      if (state == cudaErrorNotReady)
        ignore_status(state);
      else
        cuda_check(state, "search");
    }
  if (!have_arrived()) wait();
  std::atomic_thread_fence(std::memory_order_acquire);
}

}  // namespace kindred::cuda
