#include "gpu/cuda/cuda_backend.h"

#include <algorithm>
#include <cstring>
#include <deque>

#include "config/error.h"
#include "gpu/allowed_rows.h"
#include "gpu/check.h"
#include "gpu/cuda/device_mirror.cuh"
#include "gpu/cuda/lane.cuh"
#include "gpu/cuda/lengths.cuh"
#include "gpu/cuda/prepare.cuh"
#include "gpu/cuda/search.cuh"
#include "gpu/cuda/vote_batch.cuh"
#include "gpu/scoring.h"
#include "gpu/vote.h"

namespace kindred {
namespace cuda {
namespace {

constexpr std::size_t kQueriesAtOnce = 32768;  // of a chunk: 15 MB where each has 76 terms
constexpr std::size_t kFirstQueries = 4096;
constexpr std::uint64_t kEntriesAtOnce = std::uint64_t{1} << 22;
constexpr std::size_t kAnswersAtOnce = std::size_t{1} << 22;
constexpr std::size_t kLanes = 3;           // one chunk comes, one is searched, one goes
constexpr std::size_t kSmallCall = 64;      // queries that kernels read from the host in place
constexpr std::uint32_t kRowsAPart = 1024;  // of rows scored one by one

/// What all backends of a family share.
struct Context {
  Context(int ordinal, std::size_t budget)
      : device(std::make_shared<Device>(ordinal, budget)), staging(Staging::of(device)) {
    enable_search(*device);
  }
  DevicePointer device;
  std::shared_ptr<Staging> staging;
  LanePool lanes;
};

/// What a call asks for, beyond the queries.
struct Request {
  std::uint32_t k = 0;
  const std::uint32_t* slot_bits = nullptr;
  const std::uint32_t* rows = nullptr;  ///< device
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

/// Queries first .. last of a call.
struct Chunk {
  std::size_t first = 0, last = 0;
  std::size_t rows() const { return last - first; }
};

/// The device memory that a filter needs for one call.
struct Filter {
  DeviceBuffer<std::uint64_t> bits;
  DeviceBuffer<std::uint32_t> slot_bits, rows;
};

class CudaBackend final : public Backend {
 public:
  /// @throws Error kUnsupported if the device cannot search this mirror.
  CudaBackend(std::shared_ptr<Context> context, DeviceMirror mirror)
      : context_(std::move(context)), mirror_(std::move(mirror)) {
    static_cast<void>(shape_search(*context_->device, mirror_.largest_words(), kMaxNeighbors));
  }

  void nearest(const QueryView& queries, std::size_t k, const RowBits* allowed,
               std::span<Neighbor> neighbors) const override;
  void vote(const QueryView& queries, const Vote& vote,
            std::span<LabelShare> shares) const override;
  std::unique_ptr<const Backend> refreshed(const MirrorChange& change,
                                           const TermWeighting& weighting) const override;
  BackendInfo info() const override;

 private:
  MirrorSize size() const { return {mirror_.view().rows, mirror_.view().columns}; }
  void check_table(const QueryView& queries) const;
  Filter limit_to(const RowBits* allowed, Request& request) const;
  void run(const QueryView& queries, const Request& request) const;
  void run_one(const QueryView& query, const Request& request) const;
  void start(const QueryView& queries, const Request& request, Chunk chunk, Lane& lane) const;
  void end(const Request& request, Chunk chunk, Lane& lane) const;
  RawQueries bring_in(const QueryView& queries, Chunk chunk, Lane& lane) const;
  bool votes_in_batch(const Request& request, Chunk chunk) const;
  void prepare_answer(const Request& request, Chunk chunk, Lane& lane, SearchJob& job) const;
  SearchJob describe(const Request& request) const;
  void split(std::uint32_t parts, const SearchShape& shape, Lane& lane, SearchJob& job) const;
  void vote_on_host(const QueryView& queries, const Vote& vote, std::span<LabelShare> shares) const;

  std::shared_ptr<Context> context_;
  DeviceMirror mirror_;
};

bool is_small(Chunk chunk) { return chunk.rows() <= kSmallCall; }

/// True if a chunk's answer is copied from the device to where the caller wants it.
bool is_direct(const Request& request, Chunk chunk) {
  return !is_small(chunk) && (request.votes() || request.stride == request.k) &&
         is_page_locked(request.answer_of(chunk.first));
}

void check_fault(unsigned fault) {
  if (fault == kTermsDescend)
    throw Error(Errc::kInvalidArgument, "a query has terms that do not ascend");
  if (fault == kUnknownTerm)
    throw Error(Errc::kInvalidArgument, "a query names a term that the mirror does not have");
  if (fault == kNotFinite) throw Error(Errc::kInvalidArgument, "query: a weight is not finite");
}

/// The next chunk of a call: bounded in queries, entries and size of the answer. Chunks grow from
/// small ones and shrink to small ones: nothing hides the way of the first one in and of the last
/// one out.
Chunk next_chunk(const QueryView& queries, std::size_t first, std::size_t answers) {
  Chunk chunk{first, first};
  const std::size_t ramp = std::max(kFirstQueries, std::min(first, (queries.rows - first) / 2));
  const std::size_t most =
      std::clamp<std::size_t>(kAnswersAtOnce / answers, 1, std::min(kQueriesAtOnce, ramp));
  while (chunk.last < queries.rows && chunk.rows() < most &&
         (chunk.rows() == 0 ||
          queries.row_begin[chunk.last + 1] - queries.row_begin[first] <= kEntriesAtOnce))
    ++chunk.last;
  return chunk;
}

void copy_async(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes > 0)
    cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "copy of queries");
}

// --- a chunk's way in, through, and out ---

/// Small calls: one page-locked block, which kernels read in place. Large ones: copies.
RawQueries CudaBackend::bring_in(const QueryView& queries, Chunk chunk, Lane& lane) const {
  const std::uint64_t base = queries.row_begin[chunk.first];
  const std::size_t entries = queries.row_begin[chunk.last] - base;
  const std::size_t offsets = chunk.rows() + 1;
  const bool weighted = queries.weight != nullptr || queries.count == nullptr;
  RawQueries raw{
      static_cast<std::uint32_t>(chunk.rows()), base, nullptr, nullptr, nullptr, nullptr};
  lane.term.reserve(context_->device, entries);
  lane.factor.reserve(context_->device, entries);
  const std::size_t term_at = offsets * sizeof(std::uint64_t);
  const std::size_t value_at = (term_at + entries * sizeof(std::uint32_t) + 15) / 16 * 16;
  const std::size_t value_size = weighted ? sizeof(double) : sizeof(std::uint16_t);
  const void* values =
      weighted ? static_cast<const void*>(queries.weight + base) : queries.count + base;
  const char *from_offsets = reinterpret_cast<const char*>(queries.row_begin + chunk.first),
             *from_terms = reinterpret_cast<const char*>(queries.term + base),
             *from_values = static_cast<const char*>(values);
  const bool in_place = !is_small(chunk) && is_page_locked(queries.row_begin) &&
                        is_page_locked(queries.term) && is_page_locked(values);
  if (!in_place) {
    lane.in.reserve(value_at + entries * value_size);
    char* block = lane.in.data();
    std::memcpy(block, from_offsets, offsets * sizeof(std::uint64_t));
    if (entries > 0) {
      std::memcpy(block + term_at, from_terms, entries * sizeof(std::uint32_t));
      std::memcpy(block + value_at, from_values, entries * value_size);
    }
    from_offsets = block, from_terms = block + term_at, from_values = block + value_at;
  }
  if (!is_small(chunk)) {
    lane.row_begin.reserve(context_->device, offsets);
    if (weighted)
      lane.weight.reserve(context_->device, entries);
    else
      lane.count.reserve(context_->device, entries);
    void* to_values = weighted ? static_cast<void*>(lane.weight.data()) : lane.count.data();
    copy_async(lane.row_begin.data(), from_offsets, offsets * sizeof(std::uint64_t), lane.stream);
    copy_async(lane.term.data(), from_terms, entries * sizeof(std::uint32_t), lane.stream);
    copy_async(to_values, from_values, entries * value_size, lane.stream);
    from_offsets = reinterpret_cast<const char*>(lane.row_begin.data());
    from_terms = reinterpret_cast<const char*>(lane.term.data());
    from_values = static_cast<const char*>(to_values);
  }
  raw.row_begin = reinterpret_cast<const std::uint64_t*>(from_offsets);
  raw.term = reinterpret_cast<const std::uint32_t*>(from_terms);
  if (weighted)
    raw.weight = reinterpret_cast<const double*>(from_values);
  else
    raw.count = reinterpret_cast<const std::uint16_t*>(from_values);
  return raw;
}

/// True if a chunk's votes are a kernel of their own, behind that of the search.
bool CudaBackend::votes_in_batch(const Request& request, Chunk chunk) const {
  return request.votes() && !is_small(chunk) && mirror_.label_count() <= kTableLabels;
}

/// Where the kernels write: page-locked host memory for small calls, else device memory.
void CudaBackend::prepare_answer(const Request& request, Chunk chunk, Lane& lane,
                                 SearchJob& job) const {
  const std::size_t rows = chunk.rows();
  if (!is_direct(request, chunk)) lane.out.reserve(rows * request.answer_bytes());
  if (request.votes()) {
    if (!is_small(chunk)) lane.shares.reserve(context_->device, rows * request.labels);
    job.labels = request.labels;
    job.shares =
        is_small(chunk) ? reinterpret_cast<LabelShare*>(lane.out.data()) : lane.shares.data();
  }
  if (!request.votes() || votes_in_batch(request, chunk)) {
    if (!is_small(chunk)) lane.neighbors.reserve(context_->device, rows * request.k);
    job.neighbors =
        is_small(chunk) ? reinterpret_cast<Neighbor*>(lane.out.data()) : lane.neighbors.data();
  }
  if (!request.exclude.empty()) {
    lane.exclude.reserve(context_->device, rows);
    copy_async(lane.exclude.data(), request.exclude.data() + chunk.first,
               rows * sizeof(std::uint32_t), lane.stream);
    job.exclude = lane.exclude.data();
  }
  if (!request.after.empty()) {
    lane.after.reserve(context_->device, rows);
    copy_async(lane.after.data(), request.after.data() + chunk.first,
               rows * sizeof(unsigned long long), lane.stream);
    job.after = lane.after.data();
  }
}

/// Cuts queries into parts, so that the whole device works on a few.
void CudaBackend::split(std::uint32_t parts, const SearchShape& shape, Lane& lane,
                        SearchJob& job) const {
  job.parts = parts;
  if (parts == 1) return;
  lane.partial.reserve(context_->device,
                       std::size_t{std::max(job.queries.rows, 1u)} * parts * job.k);
  const std::size_t counters = 2 * std::size_t{shape.blocks};
  if (lane.done_and_floor.size() < counters) {
    lane.done_and_floor.reserve(context_->device, counters);
    cuda_check(
        cudaMemsetAsync(lane.done_and_floor.data(), 0, counters * sizeof(unsigned), lane.stream),
        "search");
  }
  job.partial = lane.partial.data();
  job.done = lane.done_and_floor.data();
  job.floor = lane.done_and_floor.data() + lane.done_and_floor.size() / 2;
}

SearchJob CudaBackend::describe(const Request& request) const {
  SearchJob job{};
  job.mirror = mirror_.view();
  job.k = request.k;
  job.slot_bits = request.slot_bits;
  job.rows = request.rows;
  job.row_count = request.row_count;
  return job;
}

void CudaBackend::start(const QueryView& queries, const Request& request, Chunk chunk,
                        Lane& lane) const {
  const RawQueries raw = bring_in(queries, chunk, lane);
  *lane.fault.data() = kNoFault;
  prepare_queries(mirror_.view(), raw, lane.term.data(), lane.factor.data(), lane.fault.data(),
                  lane.stream);
  SearchJob job = describe(request);
  job.queries = {raw.rows, raw.base, raw.row_begin, lane.term.data(), lane.factor.data()};
  prepare_answer(request, chunk, lane, job);
  const SearchShape shape = shape_search(*context_->device, mirror_.largest_words(), request.k);
  const std::uint32_t pieces =
      job.rows != nullptr ? (job.row_count + kRowsAPart - 1) / kRowsAPart : job.mirror.tile_count;
  split(std::clamp(shape.blocks / std::max(raw.rows, 1u), 1u, std::max(pieces, 1u)), shape, lane,
        job);
  LabelShare* const shares = job.shares;
  if (votes_in_batch(request, chunk)) job.shares = nullptr;
  search(job, shape, lane.stream);
  if (is_small(chunk)) return;
  if (votes_in_batch(request, chunk))
    vote_batch({job.mirror, raw.rows, job.k, job.neighbors, job.exclude, mirror_.label_count(),
                job.labels, shares},
               lane.stream);
  const void* answer = request.votes() ? static_cast<const void*>(shares) : job.neighbors;
  void* to = is_direct(request, chunk) ? request.answer_of(chunk.first) : lane.out.data();
  copy_async(to, answer, chunk.rows() * request.answer_bytes(), lane.stream);
}

/// Waits for a chunk and puts its answer where the caller wants it.
void CudaBackend::end(const Request& request, Chunk chunk, Lane& lane) const {
  if (!request.after.empty())
    copy_async(request.after.data() + chunk.first, lane.after.data(),
               chunk.rows() * sizeof(unsigned long long), lane.stream);
  lane.wait();
  check_fault(*lane.fault.data());
  if (is_direct(request, chunk)) return;
  const std::size_t bytes = request.answer_bytes();
  for (std::size_t q = 0; q < chunk.rows(); ++q)
    std::memcpy(request.answer_of(chunk.first + q), lane.out.data() + q * bytes, bytes);
}

/// True if a call's query can travel with its launch.
bool is_one(const QueryView& queries, const Request& request) {
  return queries.rows == 1 && queries.row_begin[1] - queries.row_begin[0] <= kTermsInside &&
         request.rows == nullptr && request.after.empty();
}

/// A query alone: weighed here, since a launch costs more than that, and told of by the kernel,
/// since waiting for the stream does too.
void CudaBackend::run_one(const QueryView& query, const Request& request) const {
  check_queries(query, size().columns);
  const TermWeighting& weighting = mirror_.weighting();
  Queries weighed;
  if (query.count != nullptr) add_row_of_counts(query, 0, weighting, weighed);
  const QueryView view = query.count != nullptr ? weighed.view() : query;
  LeasedLane lane(context_->lanes);
  OneQuery one;
  one.arrived = lane->arrived.data();
  one.terms = static_cast<std::uint32_t>(view.row_begin[1] - view.row_begin[0]);
  for (std::uint32_t i = 0; i < one.terms; ++i) {
    one.term[i] = view.term[view.row_begin[0] + i];
    one.factor[i] = term_factor(view.weight[view.row_begin[0] + i], weighting.idf[one.term[i]],
                                mirror_.view().scale);
  }
  SearchJob job = describe(request);
  prepare_answer(request, {0, 1}, *lane, job);
  const Device& device = *context_->device;
  const SearchShape shape = shape_search(device, mirror_.largest_words(), request.k);
  const std::uint32_t tiles = std::max(job.mirror.tile_count, 1u);
  const std::uint32_t team = team_size(device, shape, tiles);
  split(team > 1 ? tiles * team : std::min(tiles, shape.blocks), shape, *lane, job);
  const std::span<std::uint64_t> watched =
      request.votes() ? std::span(lane->arrived.data(), 1)
                      : std::span(reinterpret_cast<std::uint64_t*>(lane->out.data()), request.k);
  static_assert(sizeof(Neighbor) == sizeof(kNotYet));
  std::fill(watched.begin(), watched.end(), kNotYet);
  search_one(job, one, team, shape, lane->stream);
  lane->wait_for(watched);
  std::memcpy(request.answer_of(0), lane->out.data(), request.answer_bytes());
  lane.release();
}

/// All chunks of a call, up to kLanes of them on the way at once.
void CudaBackend::run(const QueryView& queries, const Request& request) const {
  if (is_one(queries, request)) return run_one(queries, request);
  std::deque<std::pair<Chunk, std::unique_ptr<LeasedLane>>> under_way;
  const auto end_oldest = [&] {
    auto& [chunk, lane] = under_way.front();
    end(request, chunk, **lane);
    lane->finish();
    under_way.pop_front();
  };
  const std::size_t answers = std::max(request.labels, request.k);
  for (std::size_t first = 0; first < queries.rows;) {
    const Chunk chunk = next_chunk(queries, first, answers);
    if (under_way.size() == kLanes) end_oldest();
    under_way.emplace_back(chunk, std::make_unique<LeasedLane>(context_->lanes));
    start(queries, request, chunk, **under_way.back().second);
    first = chunk.last;
  }
  while (!under_way.empty()) end_oldest();
}

// --- the contract ---

void CudaBackend::check_table(const QueryView& queries) const {
  if (queries.count != nullptr && mirror_.view().tf_size == 0)
    throw Error(Errc::kInvalidArgument, "query: the table of term frequencies is empty");
}

Filter CudaBackend::limit_to(const RowBits* allowed, Request& request) const {
  Filter filter;
  request.slot_bits = mirror_.live_slots();
  if (allowed == nullptr) return filter;
  const AllowedRows rows = allow_rows(allowed, size().rows);
  const DevicePointer& device = context_->device;
  if (rows.few) {
    filter.rows = DeviceBuffer<std::uint32_t>(device, std::max<std::size_t>(rows.rows.size(), 1));
    context_->staging->copy_to_device(filter.rows.data(), rows.rows.data(),
                                      rows.rows.size() * sizeof(std::uint32_t));
    request.rows = filter.rows.data();
    request.row_count = static_cast<std::uint32_t>(rows.rows.size());
    return filter;
  }
  filter.bits = upload<std::uint64_t>(device, allowed->first((std::size_t{size().rows} + 63) / 64));
  filter.slot_bits = DeviceBuffer<std::uint32_t>(device, mirror_.slots() / 32);
  const MirrorView& view = mirror_.view();
  gather_slot_bits(
      view.tiles, view.tile_count, reinterpret_cast<const std::uint32_t*>(filter.bits.data()),
      mirror_.has_dead() ? view.reciprocal : nullptr, filter.slot_bits.data(), device->stream());
  cuda_check(cudaStreamSynchronize(device->stream()), "filter");
  request.slot_bits = filter.slot_bits.data();
  return filter;
}

void CudaBackend::nearest(const QueryView& queries, std::size_t k, const RowBits* allowed,
                          std::span<Neighbor> neighbors) const {
  check_nearest(size(), queries, k, allowed, neighbors.size());
  check_table(queries);
  context_->device->make_current();
  Request request;
  const Filter filter = limit_to(allowed, request);
  request.neighbors = neighbors;
  request.stride = k;
  const std::size_t found = std::min<std::size_t>(k, size().rows);  // no more rows than there are
  std::vector<unsigned long long> after(found > kMaxNeighbors ? queries.rows : 0);
  request.after = after;
  for (request.column = 0; request.column < found; request.column += request.k) {
    request.k =
        static_cast<std::uint32_t>(std::min<std::size_t>(found - request.column, kMaxNeighbors));
    run(queries, request);
  }
  for (std::size_t q = 0; found < k && q < queries.rows; ++q)
    std::fill_n(neighbors.begin() + static_cast<std::ptrdiff_t>(q * k + found), k - found,
                Neighbor{});
}

void CudaBackend::vote(const QueryView& queries, const Vote& vote,
                       std::span<LabelShare> shares) const {
  check_vote(size(), queries, vote, shares.size());
  check_table(queries);
  context_->device->make_current();
  const std::size_t k = std::min<std::size_t>(vote.k, size().rows) + (vote.exclude.empty() ? 0 : 1);
  const std::size_t pairs = k * mirror_.most_labels();
  if (k == 0 || k > kMaxNeighbors || pairs > kMaxVotes || vote.labels > kMaxVotes ||
      std::min<std::size_t>(pairs, mirror_.label_count()) > kMaxVotedLabels ||
      mirror_.label_count() > kVotableLabels)
    return vote_on_host(queries, vote, shares);
  Request request;
  const Filter filter = limit_to(vote.allowed, request);
  request.k = static_cast<std::uint32_t>(k);
  request.exclude = vote.exclude;
  request.labels = static_cast<std::uint32_t>(vote.labels);
  request.shares = shares;
  run(queries, request);
}

/// Where a query's votes do not fit a block's memory.
void CudaBackend::vote_on_host(const QueryView& queries, const Vote& vote,
                               std::span<LabelShare> shares) const {
  const std::size_t k = std::min<std::size_t>(vote.k, size().rows) + (vote.exclude.empty() ? 0 : 1);
  if (k == 0) return static_cast<void>(std::fill(shares.begin(), shares.end(), LabelShare{}));
  std::vector<Neighbor> neighbors(answer_size(queries.rows, k, sizeof(Neighbor)));
  nearest(queries, k, vote.allowed, neighbors);
  for (std::size_t q = 0; q < queries.rows; ++q) {
    const std::span<Neighbor> all = std::span(neighbors).subspan(q * k, k);
    const std::uint32_t exclude = vote.exclude.empty() ? Neighbor::kNoRow : vote.exclude[q];
    const std::vector<LabelShare> found =
        label_shares(all.first(leave_out(all, exclude, vote.k)),
                     [&](std::uint32_t row) { return mirror_.labels(row); });
    const std::span<LabelShare> out = shares.subspan(q * vote.labels, vote.labels);
    std::fill(out.begin(), out.end(), LabelShare{});
    std::copy_n(found.begin(), std::min(found.size(), out.size()), out.begin());
  }
}

std::unique_ptr<const Backend> CudaBackend::refreshed(const MirrorChange& change,
                                                      const TermWeighting& weighting) const {
  context_->device->make_current();
  return std::make_unique<CudaBackend>(
      context_, DeviceMirror(mirror_, *context_->staging, change, weighting));
}

BackendInfo CudaBackend::info() const {
  const Device& device = *context_->device;
  return {"cuda", device.name(), device.compute_capability(), device.used()};
}

}  // namespace
}  // namespace cuda

std::unique_ptr<const Backend> make_cuda_backend(CsrView mirror, const TermWeighting& weighting,
                                                 const BackendOptions& options, LabelView labels) {
  auto context = std::make_shared<cuda::Context>(options.device, options.memory);
  cuda::DeviceMirror on_device(context->device, *context->staging, mirror, labels, weighting);
  return std::make_unique<cuda::CudaBackend>(std::move(context), std::move(on_device));
}

}  // namespace kindred
