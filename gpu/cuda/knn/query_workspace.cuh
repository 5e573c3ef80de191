#pragma once

#include <memory>
#include <span>

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/device/stream.cuh"
#include "gpu/cuda/search/search.cuh"
#include "gpu/knn/backend.h"
#include "gpu/pool.h"

namespace kindred::cuda {

/// What one chunk of a call works with: a stream, and memory that grows to what calls need. Small
/// calls use the pinned memory, which their kernels read and write in place. A workspace is created
/// and destroyed while the device is current.
struct QueryWorkspace {
  QueryWorkspace();
  ~QueryWorkspace();
  QueryWorkspace(const QueryWorkspace&) = delete;
  QueryWorkspace& operator=(const QueryWorkspace&) = delete;

  /// Waits until the device has written each of these words of mapped memory, which are kNotYet
  /// before. First polls them, which takes a few microseconds less than waiting for the stream. If
  /// that takes long, waits for the stream.
  void wait_for(std::span<const std::uint64_t> words) const;

  /// Waits until everything on the stream is done.
  void wait() const { stream.wait("search"); }

  Stream stream;
  Stream beside;       ///< for kernels that run at the same time as those of `stream`
  Event begins, ends;  ///< of the work beside
  PinnedBuffer<char> in, out;
  PinnedBuffer<unsigned> fault;         ///< one QueryFault
  PinnedBuffer<std::uint64_t> arrived;  ///< OneQuery::arrived
  DeviceBuffer<std::uint64_t> row_begin;
  PinnedBuffer<QueryItem> items_in;  ///< Progress, in the place of one item, then the items
  DeviceBuffer<QueryItem> items;     ///< the same
  DeviceBuffer<std::uint32_t> term, exclude, deferred;
  DeviceBuffer<double> weight, factor;
  DeviceBuffer<std::uint16_t> count;
  DeviceBuffer<Neighbor> neighbors;
  DeviceBuffer<LabelShare> shares;
  DeviceBuffer<unsigned long long> partial, after;
  DeviceBuffer<unsigned> done_and_floor;
};

/// Borrows a workspace for the length of a scope. It is given back only if its work ended well.
/// After an error it may still have work in flight, and is destroyed when that is done.
class LeasedWorkspace {
 public:
  explicit LeasedWorkspace(Pool<QueryWorkspace>& pool) : pool_(pool), workspace_(pool.take()) {}
  ~LeasedWorkspace() {
    if (returns_) pool_.give_back(std::move(workspace_));
  }
  LeasedWorkspace(const LeasedWorkspace&) = delete;
  LeasedWorkspace& operator=(const LeasedWorkspace&) = delete;

  QueryWorkspace* operator->() const { return workspace_.get(); }
  QueryWorkspace& operator*() const { return *workspace_; }
  /// Waits for the workspace's work and lets the pool have it again.
  void finish() {
    workspace_->wait();
    release();
  }
  /// Lets the pool have it again, since the answer has arrived.
  void release() { returns_ = true; }

 private:
  Pool<QueryWorkspace>& pool_;
  std::unique_ptr<QueryWorkspace> workspace_;
  bool returns_ = false;
};

}  // namespace kindred::cuda
