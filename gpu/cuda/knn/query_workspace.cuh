#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/device/stream.cuh"
#include "gpu/knn/backend.h"

namespace kindred::cuda {

/// What one chunk of a call works with: a stream and memory that grows to what calls need. The
/// pinned block serves small calls, whose kernels read and write it in place. A workspace is made
/// and goes where the device is current.
struct QueryWorkspace {
  QueryWorkspace();
  ~QueryWorkspace();
  QueryWorkspace(const QueryWorkspace&) = delete;
  QueryWorkspace& operator=(const QueryWorkspace&) = delete;

  /// Waits until the device has written each of these words of mapped memory, which are kNotYet: by
  /// looking, since that takes a few microseconds less than to wait for the stream, and by waiting
  /// where it takes long.
  void wait_for(std::span<const std::uint64_t> words) const;

  /// Waits until everything on the stream is done.
  void wait() const { stream.wait("search"); }

  Stream stream;
  PinnedBuffer<char> in, out;
  PinnedBuffer<unsigned> fault;         ///< one QueryFault
  PinnedBuffer<std::uint64_t> arrived;  ///< OneQuery::arrived
  DeviceBuffer<std::uint64_t> row_begin;
  DeviceBuffer<std::uint32_t> term, exclude;
  DeviceBuffer<double> weight, factor;
  DeviceBuffer<std::uint16_t> count;
  DeviceBuffer<Neighbor> neighbors;
  DeviceBuffer<LabelShare> shares;
  DeviceBuffer<unsigned long long> partial, after;
  DeviceBuffer<unsigned> done_and_floor;
};

/// Workspaces that no call uses at the moment. Shared by a backend and those refreshed from it.
class WorkspacePool {
 public:
  std::unique_ptr<QueryWorkspace> take();
  /// A workspace that the pool finds no memory for goes.
  void give_back(std::unique_ptr<QueryWorkspace> workspace) noexcept;
  void clear() noexcept { idle_.clear(); }

 private:
  std::mutex mutex_;  // held for a push or a pop
  std::vector<std::unique_ptr<QueryWorkspace>> idle_;
};

/// A workspace for the length of a scope. It is only given back if its work ended well: one that
/// threw may still have work in flight, and goes when that is done.
class LeasedWorkspace {
 public:
  explicit LeasedWorkspace(WorkspacePool& pool) : pool_(pool), workspace_(pool.take()) {}
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
  /// Lets the pool have it again: what was asked has arrived.
  void release() { returns_ = true; }

 private:
  WorkspacePool& pool_;
  std::unique_ptr<QueryWorkspace> workspace_;
  bool returns_ = false;
};

}  // namespace kindred::cuda
