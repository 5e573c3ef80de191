#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "gpu/cuda/device/device_mirror.cuh"
#include "gpu/cuda/device/staging.cuh"
#include "gpu/cuda/knn/query_workspace.cuh"
#include "gpu/cuda/knn/search.cuh"

namespace kindred::cuda {

/// What a backend and those refreshed from it share.
struct Context {
  /// Called in a scope of the device. `threads`: CPU threads that a call may use; 0 = one per core.
  Context(DevicePointer its_device, std::size_t threads)
      : device(std::move(its_device)), staging(device, threads) {
    enable_search(*device);
    enable_scan();
  }
  ~Context() {
    const DeviceScope scope(*device, std::nothrow);
    workspaces.clear();
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  DevicePointer device;
  Staging staging;
  /// Shared by a backend and those refreshed from it.
  Pool<QueryWorkspace> workspaces{[] { return std::make_unique<QueryWorkspace>(); }};
  std::atomic<bool> expects_hard = false;  ///< the last chunk had hard queries
};

/// What a call asks for, beyond the queries.
struct Request {
  std::uint32_t k = 0;
  const std::uint32_t* slot_bits = nullptr;
  const std::uint32_t* rows = nullptr;  ///< places, in device memory
  std::uint32_t row_count = 0;
  std::span<Neighbor> neighbors;  ///< [queries, stride], to be written from `column` on
  std::size_t stride = 0, column = 0;
  std::span<unsigned long long> after;  ///< [queries] see SearchJob::after
  std::span<const std::uint32_t> exclude;
  std::uint32_t labels = 0;
  std::span<LabelShare> shares;

  bool votes() const { return labels > 0; }
  /// Of one query.
  std::size_t answer_bytes() const {
    return votes() ? labels * sizeof(LabelShare) : k * sizeof(Neighbor);
  }
  void* answer_of(std::size_t q) const {
    return votes() ? static_cast<void*>(shares.data() + q * labels)
                   : neighbors.data() + q * stride + column;
  }
};

/// Runs calls on a mirror; all that it is made of is borrowed. Any number of threads may use it.
class QueryRunner {
 public:
  QueryRunner(Context& context, const DeviceMirror& mirror, const ScanParts& scan)
      : context_(context), mirror_(mirror), scan_(scan) {}

  /// Writes the answer to a request. The request has been checked.
  /// @throws Error kInvalidArgument for queries that are not as QueryView says; kOutOfMemory,
  /// kDevice.
  void run(const QueryView& queries, const Request& request) const;

 private:
  void run_one(const QueryView& query, const Request& request) const;
  bool scans_rows(const Request& request) const;
  LongQuery bring_long(const QueryView& query, QueryWorkspace& workspace) const;
  /// A chunk of a call that the device works on.
  struct UnderWay {
    UnderWay(Chunk its_chunk, Pool<QueryWorkspace>& pool) : chunk(its_chunk), workspace(pool) {}

    Chunk chunk;
    LeasedWorkspace workspace;
    SearchJob job{};
    bool has_searched_hard = false;
  };
  void start(const QueryView& queries, const Request& request, UnderWay& work) const;
  void hand_out(const Request& request, UnderWay& work) const;
  bool lacks_hard(const UnderWay& work) const;
  void end(const Request& request, UnderWay& work) const;
  RawQueries bring_in(const QueryView& queries, Chunk chunk, QueryWorkspace& workspace) const;
  bool votes_in_batch(const Request& request, Chunk chunk) const;
  void prepare_answer(const Request& request, Chunk chunk, QueryWorkspace& workspace,
                      SearchJob& job) const;
  SearchJob describe(const Request& request) const;
  void prepare_items(const QueryView& queries, Chunk chunk, const SearchShape& shape,
                     QueryWorkspace& workspace, SearchJob& job) const;
  SearchShape shape_of(const Request& request) const;
  void search_batch(UnderWay& work, const SearchShape& shape) const;
  void share_work(std::uint32_t queries, std::uint32_t parts, const SearchShape& shape,
                  QueryWorkspace& workspace, SearchJob& job) const;
  void split(std::uint32_t parts, const SearchShape& shape, QueryWorkspace& workspace,
             SearchJob& job) const;

  Context& context_;
  const DeviceMirror& mirror_;
  const ScanParts& scan_;
};

}  // namespace kindred::cuda
