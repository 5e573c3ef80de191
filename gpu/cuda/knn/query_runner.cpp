// Takes a call's queries to the device and through the search, and brings the answers back. Batches
// go in chunks, several at a time, so that copies overlap with searches. A single query travels
// with its launch.
#include "gpu/cuda/knn/query_runner.cuh"

#include <algorithm>
#include <cstring>
#include <deque>

#include "config/error.h"
#include "gpu/knn/backend.h"
#include "gpu/scoring.h"

namespace kindred::cuda {
namespace {

constexpr std::size_t kQueriesAtOnce = 32768;  // of a chunk: 15 MB where each has 76 terms
constexpr std::size_t kFirstQueries = 4096;
constexpr std::uint64_t kEntriesAtOnce = std::uint64_t{1} << 22;
constexpr std::size_t kAnswersAtOnce = std::size_t{1} << 22;
constexpr std::size_t kChunksAtOnce = 3;        // one is copied in, one searched, one copied out
constexpr std::size_t kSmallCall = 64;          // queries of a call that kernels answer in place
constexpr std::size_t kSmallEntries = 1 << 14;  // that they read from the host in place
constexpr std::uint32_t kRowsAPart = 1024;      // of rows scored one by one

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

/// The next chunk of a call: bounded in queries, entries and size of the answer. The first chunks
/// and the last ones are small, since nothing overlaps with the copy of the first one in and of the
/// last one out.
Chunk next_chunk(const QueryView& queries, std::size_t first, std::size_t answers) {
  Chunk chunk{first, first, 0};
  const std::size_t ramp = std::max(kFirstQueries, std::min(first, (queries.rows - first) / 2));
  const std::size_t most =
      std::clamp<std::size_t>(kAnswersAtOnce / answers, 1, std::min(kQueriesAtOnce, ramp));
  const std::uint64_t* const begin = queries.row_begin;
  while (chunk.last < queries.rows && chunk.rows() < most &&
         (chunk.rows() == 0 || begin[chunk.last + 1] - begin[first] <= kEntriesAtOnce)) {
    chunk.most_terms = std::max(chunk.most_terms, begin[chunk.last + 1] - begin[chunk.last]);
    ++chunk.last;
  }
  return chunk;
}

void copy_async(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes > 0)
    cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "copy of queries");
}

/// True if a call is a single query, which all blocks answer together.
bool is_one(const QueryView& queries, const Request& request) {
  return queries.rows == 1 && request.rows == nullptr && request.after.empty();
}

/// The terms and factors of a query.
void write_terms(const QueryView& query, const TermWeighting& weighting, double scale,
                 std::uint32_t* term, double* factor) {
  const std::uint64_t begin = query.row_begin[0], end = query.row_begin[1];
  for (std::uint64_t i = begin; i < end; ++i) {
    term[i - begin] = query.term[i];
    factor[i - begin] = term_factor(query.weight[i], weighting.idf[query.term[i]], scale);
  }
}

}  // namespace

/// Brings a chunk's queries to where kernels read them. Small ones: one page-locked block, which
/// they read in place. Large ones: copies on the device.
RawQueries QueryRunner::bring_in(const QueryView& queries, Chunk chunk,
                                 QueryWorkspace& workspace) const {
  const std::uint64_t base = queries.row_begin[chunk.first];
  const std::size_t entries = queries.row_begin[chunk.last] - base;
  const std::size_t offsets = chunk.rows() + 1;
  const bool stays = is_small(chunk) && entries <= kSmallEntries;
  const bool weighted = queries.weight != nullptr || queries.count == nullptr;
  RawQueries raw{};
  raw.rows = static_cast<std::uint32_t>(chunk.rows());
  raw.base = base;
  raw.most_terms = chunk.most_terms;
  workspace.term.reserve(context_.device, entries);
  workspace.factor.reserve(context_.device, entries);
  const std::size_t term_at = offsets * sizeof(std::uint64_t);
  const std::size_t value_at = (term_at + entries * sizeof(std::uint32_t) + 15) / 16 * 16;
  const std::size_t value_size = weighted ? sizeof(double) : sizeof(std::uint16_t);
  const void* values =
      weighted ? static_cast<const void*>(queries.weight + base) : queries.count + base;
  const char *from_offsets = reinterpret_cast<const char*>(queries.row_begin + chunk.first),
             *from_terms = reinterpret_cast<const char*>(queries.term + base),
             *from_values = static_cast<const char*>(values);
  const bool in_place = !stays && is_page_locked(queries.row_begin) &&
                        is_page_locked(queries.term) && is_page_locked(values);
  if (!in_place) {
    workspace.in.reserve(value_at + entries * value_size);
    char* block = workspace.in.data();
    std::memcpy(block, from_offsets, offsets * sizeof(std::uint64_t));
    if (entries > 0) {
      std::memcpy(block + term_at, from_terms, entries * sizeof(std::uint32_t));
      std::memcpy(block + value_at, from_values, entries * value_size);
    }
    from_offsets = block, from_terms = block + term_at, from_values = block + value_at;
  }
  if (!stays) {
    workspace.row_begin.reserve(context_.device, offsets);
    if (weighted)
      workspace.weight.reserve(context_.device, entries);
    else
      workspace.count.reserve(context_.device, entries);
    void* to_values =
        weighted ? static_cast<void*>(workspace.weight.data()) : workspace.count.data();
    copy_async(workspace.row_begin.data(), from_offsets, offsets * sizeof(std::uint64_t),
               workspace.stream);
    copy_async(workspace.term.data(), from_terms, entries * sizeof(std::uint32_t),
               workspace.stream);
    copy_async(to_values, from_values, entries * value_size, workspace.stream);
    from_offsets = reinterpret_cast<const char*>(workspace.row_begin.data());
    from_terms = reinterpret_cast<const char*>(workspace.term.data());
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

/// True if a kernel of its own, after that of the search, counts a chunk's votes.
bool QueryRunner::votes_in_batch(const Request& request, Chunk chunk) const {
  return request.votes() && !is_small(chunk) && mirror_.label_count() <= kTableLabels;
}

/// Chooses where the kernels write: page-locked host memory for small calls, else device memory.
void QueryRunner::prepare_answer(const Request& request, Chunk chunk, QueryWorkspace& workspace,
                                 SearchJob& job) const {
  const std::size_t rows = chunk.rows();
  if (!is_direct(request, chunk)) workspace.out.reserve(rows * request.answer_bytes());
  if (request.votes()) {
    if (!is_small(chunk)) workspace.shares.reserve(context_.device, rows * request.labels);
    job.labels = request.labels;
    job.shares = is_small(chunk) ? reinterpret_cast<LabelShare*>(workspace.out.data())
                                 : workspace.shares.data();
  }
  if (!request.votes() || votes_in_batch(request, chunk)) {
    if (!is_small(chunk)) workspace.neighbors.reserve(context_.device, rows * request.k);
    if (request.votes()) {
      // Hard queries may be answered after votes are counted for the first time, by end(). Until
      // then they have no neighbors.
      static_assert(Neighbor::kNoRow == ~std::uint32_t{0});
      cuda_check(cudaMemsetAsync(workspace.neighbors.data(), 0xFF,
                                 rows * request.k * sizeof(Neighbor), workspace.stream),
                 "search");
    }
    job.neighbors = is_small(chunk) ? reinterpret_cast<Neighbor*>(workspace.out.data())
                                    : workspace.neighbors.data();
  }
  if (!request.exclude.empty()) {
    workspace.exclude.reserve(context_.device, rows);
    copy_async(workspace.exclude.data(), request.exclude.data() + chunk.first,
               rows * sizeof(std::uint32_t), workspace.stream);
    job.exclude = workspace.exclude.data();
  }
  if (!request.after.empty()) {
    workspace.after.reserve(context_.device, rows);
    copy_async(workspace.after.data(), request.after.data() + chunk.first,
               rows * sizeof(unsigned long long), workspace.stream);
    job.after = workspace.after.data();
  }
}

/// Lists the queries of a batch for the blocks that search it. Clusters answer those of very many
/// terms, where the device has clusters.
void QueryRunner::prepare_items(const QueryView& queries, Chunk chunk, const SearchShape& shape,
                                QueryWorkspace& workspace, SearchJob& job) const {
  if (job.parts > 1 || job.rows != nullptr) return;
  static_assert(sizeof(Progress) == sizeof(QueryItem));
  const std::size_t all = 1 + chunk.rows();
  workspace.items_in.reserve(all);
  workspace.items.reserve(context_.device, all);
  workspace.deferred.reserve(context_.device, chunk.rows());
  QueryItem* const in = workspace.items_in.data();
  in[0] = {};  // no progress
  const std::uint32_t of_many_terms = list_items(queries, chunk, {in + 1, chunk.rows()});
  copy_async(workspace.items.data(), in, all * sizeof(*in), workspace.stream);
  job.progress = reinterpret_cast<Progress*>(workspace.items.data());
  job.items = workspace.items.data() + 1;
  job.deferred = workspace.deferred.data();
  if (!context_.device->has_clusters() || shape.blocks < kLargestTeam) return;
  job.long_items = of_many_terms;
  job.few_hard = static_cast<std::uint32_t>(std::min<std::size_t>(kFewHard, chunk.rows()));
  share_work(kTeamWorks, kLargestTeam, shape, workspace, job);
}

/// Long queries begin first, since they take longest, and the others run beside them. Kernels for
/// hard queries follow if such are expected: where there are none, these would only wait for room
/// on the device.
void QueryRunner::search_batch(UnderWay& work, const SearchShape& shape) const {
  const SearchJob& job = work.job;
  QueryWorkspace& workspace = *work.workspace;
  const bool has_long = job.long_items > 0, has_items = job.progress != nullptr;
  const cudaStream_t stream = has_long ? workspace.beside : workspace.stream;
  if (has_long) {
    workspace.begins.order(workspace.stream, workspace.beside);
    search_long(job, shape, workspace.stream);
  }
  search(job, shape, stream);
  work.has_searched_hard = has_items && context_.expects_hard.load(std::memory_order_relaxed);
  if (work.has_searched_hard) search_hard(job, shape, stream);
  if (has_long) workspace.ends.order(workspace.beside, workspace.stream);
  if (has_items)
    copy_async(workspace.items_in.data(), job.progress, sizeof(Progress), workspace.stream);
}

/// Makes room for what the blocks of a query share.
void QueryRunner::share_work(std::uint32_t queries, std::uint32_t parts, const SearchShape& shape,
                             QueryWorkspace& workspace, SearchJob& job) const {
  workspace.partial.reserve(context_.device, std::size_t{queries} * parts * job.k);
  const std::size_t counters = 2 * std::size_t{std::max(shape.blocks, kTeamWorks)};
  if (workspace.done_and_floor.size() < counters) {
    workspace.done_and_floor.reserve(context_.device, counters);
    cuda_check(cudaMemsetAsync(workspace.done_and_floor.data(), 0, counters * sizeof(unsigned),
                               workspace.stream),
               "search");
  }
  job.partial = workspace.partial.data();
  job.done = workspace.done_and_floor.data();
  job.floor = workspace.done_and_floor.data() + workspace.done_and_floor.size() / 2;
}

/// Cuts queries into parts, so that even a few of them use the whole device.
void QueryRunner::split(std::uint32_t parts, const SearchShape& shape, QueryWorkspace& workspace,
                        SearchJob& job) const {
  job.parts = parts;
  if (parts > 1) share_work(std::max(job.queries.rows, 1u), parts, shape, workspace, job);
}

SearchJob QueryRunner::describe(const Request& request) const {
  SearchJob job{};
  job.mirror = mirror_.view();
  job.k = request.k;
  job.slot_bits = request.slot_bits;
  job.rows = request.rows;
  job.row_count = request.row_count;
  return job;
}

SearchShape QueryRunner::shape_of(const Request& request) const {
  return shape_search(*context_.device, mirror_.largest_words(), request.k);
}

void QueryRunner::start(const QueryView& queries, const Request& request, UnderWay& work) const {
  const Chunk chunk = work.chunk;
  QueryWorkspace& workspace = *work.workspace;
  const RawQueries raw = bring_in(queries, chunk, workspace);
  *workspace.fault.data() = kNoFault;
  prepare_queries(mirror_.view(), raw, workspace.term.data(), workspace.factor.data(),
                  workspace.fault.data(), workspace.stream);
  SearchJob& job = work.job = describe(request);
  job.queries = {raw.rows, raw.base, raw.row_begin, workspace.term.data(), workspace.factor.data()};
  prepare_answer(request, chunk, workspace, job);
  const SearchShape shape = shape_of(request);
  const std::uint32_t pieces =
      job.rows != nullptr ? (job.row_count + kRowsAPart - 1) / kRowsAPart : job.mirror.tile_count;
  split(std::clamp(shape.most_parts() / std::max(raw.rows, 1u), 1u, std::max(pieces, 1u)), shape,
        workspace, job);
  prepare_items(queries, chunk, shape, workspace, job);
  if (votes_in_batch(request, chunk)) job.shares = nullptr;
  search_batch(work, shape);
  hand_out(request, work);
}

/// Counts the votes of a chunk's neighbors, if that is not the search's own work, and copies the
/// answer.
void QueryRunner::hand_out(const Request& request, UnderWay& work) const {
  const Chunk chunk = work.chunk;
  QueryWorkspace& workspace = *work.workspace;
  if (is_small(chunk)) return;
  const SearchJob& job = work.job;
  LabelShare* const shares = workspace.shares.data();
  if (votes_in_batch(request, chunk))
    vote_batch({job.mirror, job.queries.rows, job.k, job.neighbors, job.exclude,
                mirror_.label_count(), job.labels, shares},
               workspace.stream);
  const void* answer = request.votes() ? static_cast<const void*>(shares) : job.neighbors;
  void* to = is_direct(request, chunk) ? request.answer_of(chunk.first) : workspace.out.data();
  copy_async(to, answer, chunk.rows() * request.answer_bytes(), workspace.stream);
}

/// True if a chunk whose kernels are done has hard queries that no kernel has answered.
bool QueryRunner::lacks_hard(const UnderWay& work) const {
  if (work.job.progress == nullptr) return false;
  const auto* const progress = reinterpret_cast<const Progress*>(work.workspace->items_in.data());
  const bool has_hard = progress->deferred > 0;
  context_.expects_hard.store(has_hard, std::memory_order_relaxed);
  return has_hard && !work.has_searched_hard;
}

/// Waits for a chunk and puts its answer where the caller wants it. Where hard queries were not
/// expected and there are some, they are answered now.
void QueryRunner::end(const Request& request, UnderWay& work) const {
  const Chunk chunk = work.chunk;
  QueryWorkspace& workspace = *work.workspace;
  workspace.wait();
  check_fault(*workspace.fault.data());
  if (lacks_hard(work)) {
    search_hard(work.job, shape_of(request), workspace.stream);
    hand_out(request, work);
    workspace.wait();
  }
  if (!request.after.empty()) {
    copy_async(request.after.data() + chunk.first, workspace.after.data(),
               chunk.rows() * sizeof(unsigned long long), workspace.stream);
    workspace.wait();
  }
  if (is_direct(request, chunk)) return;
  const std::size_t bytes = request.answer_bytes();
  for (std::size_t q = 0; q < chunk.rows(); ++q)
    std::memcpy(request.answer_of(chunk.first + q), workspace.out.data() + q * bytes, bytes);
}

/// True if a single query is answered from the rows: there is no filter, and they have few entries.
bool QueryRunner::scans_rows(const Request& request) const {
  return request.slot_bits == mirror_.live_slots() && scan_.pays();
}

/// Brings a single query to the device that has too many terms to travel with its launch.
LongQuery QueryRunner::bring_long(const QueryView& query, QueryWorkspace& workspace) const {
  const std::size_t terms = query.row_begin[1] - query.row_begin[0];
  workspace.term.reserve(context_.device, terms);
  workspace.factor.reserve(context_.device, terms);
  workspace.in.reserve(terms * (sizeof(double) + sizeof(std::uint32_t)));
  auto* const factor = reinterpret_cast<double*>(workspace.in.data());
  auto* const term = reinterpret_cast<std::uint32_t*>(factor + terms);
  write_terms(query, mirror_.weighting(), mirror_.view().scale, term, factor);
  copy_async(workspace.term.data(), term, terms * sizeof(*term), workspace.stream);
  copy_async(workspace.factor.data(), factor, terms * sizeof(*factor), workspace.stream);
  return {workspace.arrived.data(), static_cast<std::uint32_t>(terms), workspace.term.data(),
          workspace.factor.data()};
}

/// Runs a single query. The host weighs it, because a launch would cost more. The kernel announces
/// its answer, because waiting for the stream would cost more.
void QueryRunner::run_one(const QueryView& query, const Request& request) const {
  check_queries(query, mirror_.view().columns);
  const TermWeighting& weighting = mirror_.weighting();
  Queries weighed;
  if (query.count != nullptr) add_row_of_counts(query, 0, weighting, weighed);
  const QueryView view = query.count != nullptr ? weighed.view() : query;
  LeasedWorkspace workspace(context_.workspaces);
  SearchJob job = describe(request);
  prepare_answer(request, {0, 1}, *workspace, job);
  const Device& device = *context_.device;
  const SearchShape shape = shape_of(request);
  const bool scans = scans_rows(request);
  const std::uint32_t tiles = std::max(job.mirror.tile_count, 1u);
  const std::uint32_t team = team_size(device, shape, tiles);
  job.part_begin = scan_.begin();
  split(scans      ? scan_.count()
        : team > 1 ? tiles * team
                   : std::min(tiles, shape.most_parts()),
        shape, *workspace, job);
  const std::span<std::uint64_t> watched =
      request.votes()
          ? std::span(workspace->arrived.data(), 1)
          : std::span(reinterpret_cast<std::uint64_t*>(workspace->out.data()), request.k);
  static_assert(sizeof(Neighbor) == sizeof(kNotYet));
  std::fill(watched.begin(), watched.end(), kNotYet);
  const auto launch = [&](const auto& one) {
    if (scans)
      scan_one(job, one, workspace->stream);
    else
      search_one(job, one, team, shape, workspace->stream);
  };
  const auto terms = static_cast<std::uint32_t>(view.row_begin[1] - view.row_begin[0]);
  if (terms <= kTermsInside) {
    OneQuery one;
    one.arrived = workspace->arrived.data();
    one.terms = terms;
    write_terms(view, weighting, mirror_.view().scale, one.term, one.factor);
    launch(one);
  } else {
    launch(bring_long(view, *workspace));
  }
  workspace->wait_for(watched);
  std::memcpy(request.answer_of(0), workspace->out.data(), request.answer_bytes());
  workspace.release();
}

/// Runs all chunks of a call, up to kChunksAtOnce of them at the same time.
void QueryRunner::run(const QueryView& queries, const Request& request) const {
  if (is_one(queries, request)) return run_one(queries, request);
  std::deque<UnderWay> under_way;
  const auto end_oldest = [&] {
    end(request, under_way.front());
    under_way.front().workspace.finish();
    under_way.pop_front();
  };
  const std::size_t answers = std::max(request.labels, request.k);
  for (std::size_t first = 0; first < queries.rows;) {
    const Chunk chunk = next_chunk(queries, first, answers);
    if (under_way.size() == kChunksAtOnce) end_oldest();
    start(queries, request, under_way.emplace_back(chunk, context_.workspaces));
    first = chunk.last;
  }
  while (!under_way.empty()) end_oldest();
}

}  // namespace kindred::cuda
