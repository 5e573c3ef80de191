#include "gpu/knn/backend.h"

#include <algorithm>

#include "config/error.h"
#include "gpu/cuda/device/lengths.cuh"
#include "gpu/cuda/knn/query_runner.cuh"
#include "gpu/document_set.h"
#include "gpu/knn/vote.h"
#include "gpu/segment_list.h"

namespace kindred {
namespace cuda {
namespace {

/// The device memory that a filter needs for one call.
struct FilterBuffers {
  DeviceBuffer<std::uint64_t> bits;
  DeviceBuffer<std::uint32_t> slot_bits;
  DeviceBuffer<std::uint32_t> rows;
};

class CudaBackend final : public Backend {
 public:
  /// @throws Error kUnsupported if the device cannot search this mirror.
  CudaBackend(std::shared_ptr<Context> context, DeviceMirror mirror)
      : context_(std::move(context)), mirror_(std::move(mirror)), scan_(mirror_) {
    static_cast<void>(shape_search(*context_->device, mirror_.largest_words(), kMaxNeighbors));
  }

  void nearest(const QueryView& queries, std::size_t k, const DocumentSet* allowed,
               std::span<Neighbor> neighbors) const override {
    check_nearest(mirror_.list(), queries, k, allowed, neighbors.size());
    check_table(queries);

    // A mirror without weight has no neighbors and launches no kernel, so the host checks the
    // queries.
    if (is_empty()) {
      check_entries(queries);
      std::ranges::fill(neighbors, Neighbor{});
      return;
    }

    const DeviceScope scope(*context_->device);
    Request request;
    const FilterBuffers filter = limit_to(allowed, request);
    request.neighbors = neighbors;
    request.stride = k;

    // Searches give at most kMaxNeighbors. More come from several of them, each behind the last key
    // of the one before.
    const std::size_t found = std::min<std::size_t>(k, mirror_.list().places());  // all at most
    std::vector<unsigned long long> after(found > kMaxNeighbors ? queries.rows : 0);
    request.after = after;

    for (request.column = 0; request.column < found; request.column += request.k) {
      request.k =
          static_cast<std::uint32_t>(std::min<std::size_t>(found - request.column, kMaxNeighbors));
      run_queries(*context_, mirror_, scan_, queries, request);
    }

    // No search fills what is beyond the number of documents.
    for (std::size_t q = 0; found < k && q < queries.rows; ++q)
      std::fill_n(neighbors.begin() + static_cast<std::ptrdiff_t>(q * k + found), k - found,
                  Neighbor{});
  }

  void vote(const QueryView& queries, const Vote& vote,
            std::span<LabelShare> shares) const override {
    check_vote(mirror_.list(), queries, vote, shares.size());
    check_table(queries);
    if (is_empty()) {
      check_entries(queries);
      std::ranges::fill(shares, LabelShare{});
      return;
    }

    // Where a vote does not fit a block's memory, the host counts it from the neighbors.
    const DeviceScope scope(*context_->device);
    std::size_t k = std::min<std::size_t>(vote.k, mirror_.list().documents());
    if (!vote.exclude.empty()) ++k;  // the excluded one may be among them
    const std::size_t pairs = k * mirror_.labels().most;
    if (k > kMaxNeighbors || pairs > kMaxVotes || vote.labels > kMaxVotes ||
        std::min<std::size_t>(pairs, mirror_.labels().end) > kMaxVotedLabels ||
        mirror_.labels().end > kVotableLabels)
      return vote_on_host(queries, vote, k, shares);

    // The device counts the votes, so neighbors stay there.
    Request request;
    const FilterBuffers filter = limit_to(vote.voters, request);
    request.k = static_cast<std::uint32_t>(k);
    request.exclude = vote.exclude;
    request.labels = static_cast<std::uint32_t>(vote.labels);
    request.shares = shares;
    run_queries(*context_, mirror_, scan_, queries, request);
  }

  std::unique_ptr<const Backend> refreshed(SegmentListPointer mirror,
                                           const TermWeighting& weighting) const override {
    const DeviceScope scope(*context_->device);
    return std::make_unique<CudaBackend>(
        context_,
        DeviceMirror(mirror_.device(), context_->staging, std::move(mirror), weighting, &mirror_));
  }

  const SegmentListPointer& mirror() const override { return mirror_.shared_list(); }
  double longest() const override { return mirror_.longest(); }
  BackendInfo info() const override {
    const Device& device = *context_->device;
    return {"cuda", context_->code.on(device), device.compute_capability(), device.used()};
  }

 private:
  void check_table(const QueryView& queries) const {
    if (queries.rows > 0 && queries.row_begin[queries.rows] > queries.begin &&
        queries.count != nullptr && mirror_.view().tf_size == 0)
      throw Error(Errc::kInvalidArgument, "query: the table of term frequencies is empty");
  }
  /// True if no document can be a neighbor: there is none that is alive and has a term of weight.
  bool is_empty() const { return mirror_.longest() == 0; }
  /// Checks what the kernels check otherwise: for an empty mirror none is launched.
  void check_entries(const QueryView& queries) const {
    check_queries(queries, mirror_.list().columns());
    for (std::size_t q = 0; queries.count != nullptr && q < queries.rows; ++q) {
      Queries weighed;
      add_row_of_counts(queries, q, mirror_.weighting(), weighed);
    }
  }

  FilterBuffers limit_to(const DocumentSet* allowed, Request& request) const {
    FilterBuffers filter;
    request.slot_bits = mirror_.live_slots();
    if (allowed == nullptr) return filter;

    const AllowedPlaces places = allow(allowed, mirror_.list());
    const DevicePointer& device = context_->device;

    // Few documents are a list of rows to score.
    if (places.few) {
      const std::size_t count = places.places.size();
      filter.rows = DeviceBuffer<std::uint32_t>(device, std::max<std::size_t>(count, 1));
      context_->staging.copy_to_device(filter.rows.data(), places.places.data(),
                                       count * sizeof(std::uint32_t));
      request.rows = filter.rows.data();
      request.row_count = static_cast<std::uint32_t>(count);
      return filter;
    }

    // Others are bits: by place as the host has them, then by slot as the search reads them,
    // without dead ones.
    filter.bits = upload<std::uint64_t>(device, places.words);
    filter.slot_bits = DeviceBuffer<std::uint32_t>(device, mirror_.slots() / 32);
    gather_slot_bits(mirror_.view(), reinterpret_cast<const std::uint32_t*>(filter.bits.data()),
                     mirror_.has_dead() ? mirror_.view().reciprocal : nullptr,
                     filter.slot_bits.data(), device->stream());
    device->stream().wait("filter");

    request.slot_bits = filter.slot_bits.data();
    return filter;
  }

  /// For queries whose votes do not fit a block's memory.
  void vote_on_host(const QueryView& queries, const Vote& vote, std::size_t k,
                    std::span<LabelShare> shares) const {
    std::vector<Neighbor> neighbors(answer_size(queries.rows, k, sizeof(Neighbor)));
    nearest(queries, k, vote.voters, neighbors);

    const auto labels_of = [&](std::uint32_t number) {
      return mirror_.list().labels_of_neighbor(number);
    };
    for (std::size_t q = 0; q < queries.rows; ++q)
      write_shares(vote, q, vote.k, std::span(neighbors).subspan(q * k, k), labels_of, shares);
  }

  std::shared_ptr<Context> context_;
  DeviceMirror mirror_;
  ScanParts scan_;
};

}  // namespace
}  // namespace cuda

std::unique_ptr<const Backend> make_cuda_backend(SegmentListPointer mirror,
                                                 const TermWeighting& weighting,
                                                 const BackendOptions& options) {
  const auto device = std::make_shared<cuda::Device>(options.device, options.memory);
  const cuda::DeviceScope scope(*device);
  auto context = std::make_shared<cuda::Context>(device, options.threads);
  cuda::DeviceMirror on_device(device, context->staging, std::move(mirror), weighting);
  return std::make_unique<cuda::CudaBackend>(std::move(context), std::move(on_device));
}

}  // namespace kindred
