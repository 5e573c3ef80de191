#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "gpu/cuda/device/device.cuh"
#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/device/device_mirror.cuh"
#include "gpu/cuda/knn/search.cuh"
#include "gpu/knn/backend.h"

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
  /// @throws Error kDevice, also if the stream is done and has not written all of them.
  void wait_for(std::span<const std::uint64_t> words) const;

  /// Waits until everything on the stream is done.
  void wait() const { stream.wait("search"); }

  /// A stream for kernels that run at the same time as those of `stream`, and its events.
  struct Beside {
    Stream stream;
    Event begins;
    Event ends;
  };
  /// The queries and what is asked of them, on the device.
  struct QueryArrays {
    DeviceBuffer<std::uint64_t> row_begin;
    DeviceBuffer<std::uint32_t> term;
    DeviceBuffer<std::uint32_t> exclude;
    DeviceBuffer<double> factor;
    DeviceBuffer<char> values;  ///< weights or counts
    DeviceBuffer<unsigned long long> after;
  };
  /// Progress, in the place of one item, then the items.
  struct Items {
    PinnedBuffer<QueryItem> in;
    DeviceBuffer<QueryItem> all;
    DeviceBuffer<std::uint32_t> deferred;
  };

  Stream stream;
  Beside beside;
  PinnedBuffer<char> in;
  PinnedBuffer<char> out;
  PinnedBuffer<unsigned> fault;         ///< one QueryFault
  PinnedBuffer<Progress> progress;      ///< how far the kernels came
  PinnedBuffer<std::uint64_t> arrived;  ///< OneQuery::arrived
  QueryArrays queries;
  Items items;
  DeviceBuffer<Neighbor> neighbors;
  DeviceBuffer<LabelShare> shares;
  DeviceBuffer<unsigned long long> partial;
  DeviceBuffer<unsigned> done_and_floor;
};

/// @throws Error kDevice if kernels wrote another number of answers than was asked for: what is in
/// the room for them is then no answer.
void check_answered(std::size_t answered, std::size_t asked);

/// Queries [first, last) of a call.
struct Chunk {
  std::size_t first = 0;
  std::size_t last = 0;
  std::uint64_t most_terms = 0;  ///< of any of them
  std::size_t rows() const { return last - first; }
};

/// Lists a chunk's queries by falling cost: a block that takes a long query last would work on it
/// alone. Costs are numbers of terms, a few taken for one. `items` has room for all. Returns how
/// many of the first ones have more than kManyTerms terms, at most kMostLong.
std::uint32_t list_items(const QueryView& queries, Chunk chunk, std::span<QueryItem> items);

/// How the rows of a mirror are shared out to the blocks that scan them for a single query.
class ScanParts {
 public:
  /// @throws Error kOutOfMemory, kDevice.
  explicit ScanParts(const DeviceMirror& mirror);

  /// True if a scan answers sooner than a search of postings.
  bool pays() const { return count_ > 0; }
  std::uint32_t count() const { return count_; }
  /// The first place of each part, in device memory; null if parts have equal numbers of rows.
  const std::uint32_t* begin() const { return begin_.data(); }

 private:
  std::uint32_t count_ = 0;
  DeviceBuffer<std::uint32_t> begin_;
};

}  // namespace kindred::cuda
