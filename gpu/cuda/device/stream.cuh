#pragma once

#include "gpu/cuda/device/cuda_check.cuh"

namespace kindred::cuda {

/// Owns a stream that neither waits for the legacy default stream nor makes it wait. It is created
/// and destroyed while its device is current.
class Stream {
 public:
  /// @throws Error kOutOfMemory, kDevice.
  Stream() { cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }
  ~Stream() { ignore_status(cudaStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }

  /// Waits for all work on the stream. @throws Error kDevice, saying what was being done.
  void wait(const char* what) const { cuda_check(cudaStreamSynchronize(stream_), what); }
  /// The same for destructors: an error is not reported.
  void settle() const noexcept { ignore_status(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace kindred::cuda
