#pragma once

#include "gpu/cuda/device/launch.cuh"

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

/// Owns an event that orders the work of streams. It is created and destroyed while its device is
/// current.
class Event {
 public:
  /// @throws Error kOutOfMemory, kDevice.
  Event() { cuda_check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "event"); }
  ~Event() { ignore_status(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  operator cudaEvent_t() const { return event_; }

  /// What `after` is given from now on waits for what `before` has been given. @throws Error
  /// kDevice.
  void order(const Stream& before, const Stream& after) const {
    cuda_check(cudaEventRecord(event_, before), "event");
    cuda_check(cudaStreamWaitEvent(after, event_), "event");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace kindred::cuda
