// Takes a call's queries to the device and through the search, and brings the answers back. Batches
// go in chunks, several at a time, so that copies overlap with searches. A single query travels
// with its launch.
#include "gpu/cuda/knn/query_runner.cuh"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>

#include "config/error.h"
#include "gpu/cuda/device/checks.cuh"
#include "gpu/cuda/knn/raw_queries.cuh"
#include "gpu/cuda/knn/vote_batch.cuh"
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

  // The ramp grows with what is done and shrinks with what is left.
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

/// A chunk of a call that the device works on.
struct UnderWay {
  Chunk chunk;
  Pool<QueryWorkspace>::Lease workspace;
  SearchJob job;
  bool has_searched_hard = false;
  std::size_t asked = 0;  ///< answers that its kernels are to write, those of votes beside others
};

/// The work on one call; all that it is made of is borrowed.
class QueryRunner {
 public:
  QueryRunner(Context& context, const DeviceMirror& mirror, const ScanParts& scan,
              const QueryView& queries, const Request& request)
      : context_(context),
        mirror_(mirror),
        scan_(scan),
        queries_(queries),
        request_(request),
        shape_(shape_search(*context.device, mirror.largest_words(), request.k)) {}

  /// A single query is answered by all blocks together. Else runs all chunks of the call, up to
  /// kChunksAtOnce of them at the same time.
  void run() const {
    if (queries_.rows == 1 && request_.rows == nullptr && request_.after.empty()) return run_one();

    std::deque<UnderWay> under_way;
    const auto end_oldest = [&] {
      end(under_way.front());
      under_way.pop_front();
    };

    // The oldest chunk is waited for only when the next one has no room.
    const std::size_t answers = std::max(request_.labels, request_.k);
    for (std::size_t first = 0; first < queries_.rows;) {
      const Chunk chunk = next_chunk(queries_, first, answers);
      if (under_way.size() == kChunksAtOnce) end_oldest();
      under_way.push_back({chunk, context_.workspaces.lease(), describe()});
      start(under_way.back());
      first = chunk.last;
    }

    while (!under_way.empty()) end_oldest();
  }

 private:
  /// True if a chunk's answer is copied from the device to where the caller wants it.
  bool is_direct(Chunk chunk) const {
    return !is_small(chunk) && (request_.votes() || request_.stride == request_.k) &&
           is_page_locked(request_.answer_of(chunk.first));
  }

  /// True if a kernel of its own, after that of the search, counts a chunk's votes.
  bool votes_in_batch(Chunk chunk) const {
    return request_.votes() && !is_small(chunk) && mirror_.labels().end <= kTableLabels;
  }

  SearchJob describe() const {
    SearchJob job{};
    job.mirror = mirror_.view();
    job.k = request_.k;
    job.slot_bits = request_.slot_bits;
    job.rows = request_.rows;
    job.row_count = request_.row_count;
    job.skipped = kChecks ? skipped_query() : kNoQuery;
    return job;
  }

  static constexpr std::size_t kArrays = 3;  // of a chunk's queries: offsets, terms and values

  /// Copies the arrays to one page-locked block, in which values are aligned to their size, and
  /// leaves in `from` where they are then.
  static void move_to_pinned(const void* (&from)[kArrays], const std::size_t (&bytes)[kArrays],
                             QueryWorkspace& workspace) {
    const std::size_t at[kArrays] = {0, bytes[0], (bytes[0] + bytes[1] + 15) / 16 * 16};
    workspace.in.reserve(at[2] + bytes[2]);
    for (std::size_t i = 0; i < kArrays; ++i) {
      char* const to = workspace.in.data() + at[i];
      if (bytes[i] > 0) std::memcpy(to, from[i], bytes[i]);
      from[i] = to;
    }
  }

  /// Brings a chunk's queries to where kernels read them. Small ones: one page-locked block, which
  /// they read in place. Large ones: copies on the device.
  RawQueries bring_in(Chunk chunk, QueryWorkspace& workspace) const {
    const std::uint64_t base = queries_.row_begin[chunk.first];
    const std::size_t entries = queries_.row_begin[chunk.last] - base;
    const std::size_t offsets = chunk.rows() + 1;
    const bool stays = is_small(chunk) && entries <= kSmallEntries;
    const bool weighted = queries_.weight != nullptr || queries_.count == nullptr;

    // Kernels write terms and factors, wherever they read the queries.
    workspace.queries.term.reserve(context_.device, entries);
    workspace.queries.factor.reserve(context_.device, entries);

    // Three arrays go the same way: from the caller's memory, perhaps through page-locked memory,
    // perhaps to the device. `from` is where each is now.
    const void* from[kArrays] = {queries_.row_begin + chunk.first, queries_.term + base, nullptr};
    std::size_t bytes[kArrays] = {offsets * sizeof(std::uint64_t), entries * sizeof(std::uint32_t),
                                  0};
    if (weighted) {
      from[2] = queries_.weight + base;
      bytes[2] = entries * sizeof(double);
    } else {
      from[2] = queries_.count + base;
      bytes[2] = entries * sizeof(std::uint16_t);
    }

    // Memory that is page-locked is copied from where it is.
    const bool in_place = !stays && is_page_locked(queries_.row_begin) &&
                          is_page_locked(queries_.term) && is_page_locked(from[2]);
    if (!in_place) move_to_pinned(from, bytes, workspace);

    // A small call's kernels read that block. Others read copies on the device.
    if (!stays) {
      workspace.queries.row_begin.reserve(context_.device, offsets);
      workspace.queries.values.reserve(context_.device, bytes[2]);
      void* const to[kArrays] = {workspace.queries.row_begin.data(), workspace.queries.term.data(),
                                 workspace.queries.values.data()};
      for (std::size_t i = 0; i < kArrays; ++i) {
        copy_async(to[i], from[i], bytes[i], workspace.stream);
        from[i] = to[i];
      }
    }

    RawQueries raw{static_cast<std::uint32_t>(chunk.rows()),
                   base,
                   static_cast<const std::uint64_t*>(from[0]),
                   static_cast<const std::uint32_t*>(from[1]),
                   nullptr,
                   nullptr,
                   chunk.most_terms};
    if (weighted)
      raw.weight = static_cast<const double*>(from[2]);
    else
      raw.count = static_cast<const std::uint16_t*>(from[2]);
    return raw;
  }

  /// Makes room for answers on the device.
  template <typename Answer>
  void make_room(DeviceBuffer<Answer>& room, std::size_t answers, const Stream& stream) const {
    room.reserve(context_.device, answers);
    if (kChecks)
      cuda_check(cudaMemsetAsync(room.data(), kUnwritten, answers * sizeof(Answer), stream),
                 "search");
  }

  /// Chooses where the kernels write: page-locked host memory for small calls, else device memory.
  void prepare_answer(UnderWay& work) const {
    const Chunk chunk = work.chunk;
    QueryWorkspace& workspace = *work.workspace;
    SearchJob& job = work.job;

    const std::size_t rows = chunk.rows();

    // The host gets answers through page-locked memory, unless the caller's own is.
    if (!is_direct(chunk)) {
      workspace.out.reserve(rows * request_.answer_bytes());
      if (kChecks) std::memset(workspace.out.data(), kUnwritten, rows * request_.answer_bytes());
    }

    // A vote writes shares. If a kernel of its own counts the votes of the chunk, the search writes
    // neighbors for it.
    if (request_.votes()) {
      if (!is_small(chunk)) make_room(workspace.shares, rows * request_.labels, workspace.stream);
      job.labels = request_.labels;
      job.shares = is_small(chunk) ? reinterpret_cast<LabelShare*>(workspace.out.data())
                                   : workspace.shares.data();
    }

    if (!request_.votes() || votes_in_batch(chunk)) {
      if (!is_small(chunk)) make_room(workspace.neighbors, rows * request_.k, workspace.stream);
      if (request_.votes()) {
        // Hard queries may be answered after votes are counted for the first time, by end(). Until
        // then they have no neighbors.
        static_assert(kNoDocument == 0);
        cuda_check(cudaMemsetAsync(workspace.neighbors.data(), 0,
                                   rows * request_.k * sizeof(Neighbor), workspace.stream),
                   "search");
      }

      job.neighbors = is_small(chunk) ? reinterpret_cast<Neighbor*>(workspace.out.data())
                                      : workspace.neighbors.data();
    }

    // What else comes with each query is copied as it is: the excluded documents, and the keys
    // behind which answers begin.
    if (!request_.exclude.empty()) {
      workspace.queries.exclude.reserve(context_.device, rows);
      copy_async(workspace.queries.exclude.data(), request_.exclude.data() + chunk.first,
                 rows * sizeof(std::uint32_t), workspace.stream);
      job.exclude = workspace.queries.exclude.data();
    }

    if (!request_.after.empty()) {
      workspace.queries.after.reserve(context_.device, rows);
      copy_async(workspace.queries.after.data(), request_.after.data() + chunk.first,
                 rows * sizeof(unsigned long long), workspace.stream);
      job.after = workspace.queries.after.data();
    }
  }

  /// Makes room for what the blocks of a query share.
  void share_work(UnderWay& work, std::uint32_t queries, std::uint32_t parts) const {
    QueryWorkspace& workspace = *work.workspace;
    SearchJob& job = work.job;
    workspace.partial.reserve(context_.device, std::size_t{queries} * parts * job.k);

    // The counters are 0 between launches, as the kernels leave them so. Only new memory is
    // cleared.
    const std::size_t counters = 2 * std::size_t{std::max(shape_.blocks, kTeamWorks)};
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
  void split(UnderWay& work, std::uint32_t parts) const {
    work.job.parts = parts;
    if (parts > 1) share_work(work, std::max(work.job.queries.rows, 1u), parts);
  }

  /// Lists the queries of a batch, if it has one block for each, for the blocks that search it.
  /// Clusters answer those of very many terms, where the code of the kernels has clusters. Progress
  /// begins with nothing; kernels count a few answers where the host reads them.
  void prepare_items(UnderWay& work) const {
    const Chunk chunk = work.chunk;
    QueryWorkspace& workspace = *work.workspace;
    SearchJob& job = work.job;
    const bool has_items = job.parts == 1 && job.rows == nullptr;

    // A small call without items counts its few answers where the host reads them.
    *workspace.progress.data() = {};
    job.answered = &workspace.progress.data()->answered;
    if (is_small(chunk) && !has_items) return;

    // Progress lies before the items, so that one copy brings both.
    static_assert(sizeof(Progress) == sizeof(QueryItem));
    const std::size_t all = has_items ? 1 + chunk.rows() : 1;
    workspace.items.in.reserve(all);
    workspace.items.all.reserve(context_.device, all);
    QueryItem* const in = workspace.items.in.data();

    in[0] = {};  // no progress
    std::uint32_t of_many_terms = 0;
    if (has_items) of_many_terms = list_items(queries_, chunk, {in + 1, chunk.rows()});
    copy_async(workspace.items.all.data(), in, all * sizeof(*in), workspace.stream);

    job.progress = reinterpret_cast<Progress*>(workspace.items.all.data());
    job.answered = &job.progress->answered;

    // Items are taken in their order; those that turn out to be hard are listed again.
    if (!has_items) return;
    workspace.items.deferred.reserve(context_.device, chunk.rows());
    job.items = workspace.items.all.data() + 1;
    job.deferred = workspace.items.deferred.data();

    // Teams answer long queries and a few hard ones, if the device can hold a team at all.
    if (!context_.code.has_clusters() || shape_.blocks < kLargestTeam) return;
    job.long_items = of_many_terms;
    job.few_hard = static_cast<std::uint32_t>(std::min<std::size_t>(kFewHard, chunk.rows()));
    share_work(work, kTeamWorks, kLargestTeam);
  }

  /// Long queries begin first, since they take longest, and the others run beside them. Kernels for
  /// hard queries follow if such are expected: where there are none, these would only wait for room
  /// on the device.
  void search_batch(UnderWay& work) const {
    const SearchJob& job = work.job;
    QueryWorkspace& workspace = *work.workspace;
    const bool has_long = job.long_items > 0;
    const bool has_items = job.items != nullptr;
    const cudaStream_t stream = has_long ? workspace.beside.stream : workspace.stream;

    // The other stream begins when the queries are there, and the first one goes on when it is
    // done.
    if (has_long) {
      workspace.beside.begins.order(workspace.stream, workspace.beside.stream);
      search_long(job, shape_, workspace.stream);
    }

    search(job, shape_, stream);
    work.has_searched_hard = has_items && context_.expects_hard.load(std::memory_order_relaxed);
    if (work.has_searched_hard) search_hard(job, shape_, stream);
    if (has_long) workspace.beside.ends.order(workspace.beside.stream, workspace.stream);

    work.asked = work.chunk.rows();
  }

  /// Counts the votes of a chunk's neighbors, if that is not the search's own work, and copies the
  /// answer and the progress.
  void hand_out(UnderWay& work) const {
    const Chunk chunk = work.chunk;
    QueryWorkspace& workspace = *work.workspace;
    const SearchJob& job = work.job;

    // This kernel counts its answers beside those of the search.
    if (votes_in_batch(chunk)) {
      vote_batch({job.mirror, job.queries.rows, job.k, job.neighbors, job.exclude,
                  mirror_.labels().end, job.labels, workspace.shares.data(), job.answered},
                 workspace.stream);
      work.asked += chunk.rows();
    }

    // How many answers were written comes with them, so that the host can hold it against what it
    // asked for.
    if (job.progress != nullptr)
      copy_async(workspace.progress.data(), job.progress, sizeof(Progress), workspace.stream);

    // The kernels of a small call have written to the host's memory.
    if (is_small(chunk)) return;
    const void* answer = job.neighbors;
    if (request_.votes()) answer = workspace.shares.data();
    void* to = workspace.out.data();
    if (is_direct(chunk)) to = request_.answer_of(chunk.first);
    copy_async(to, answer, chunk.rows() * request_.answer_bytes(), workspace.stream);
  }

  void start(UnderWay& work) const {
    QueryWorkspace& workspace = *work.workspace;
    const RawQueries raw = bring_in(work.chunk, workspace);

    // A fault that the kernels find is written to memory that the host reads when the chunk is
    // done.
    *workspace.fault.data() = kNoFault;
    prepare_queries(mirror_.view(), raw, workspace.queries.term.data(),
                    workspace.queries.factor.data(), workspace.fault.data(), workspace.stream);

    SearchJob& job = work.job;
    job.queries = {raw.rows, raw.base, raw.row_begin, workspace.queries.term.data(),
                   workspace.queries.factor.data()};

    // The answer's room, then into how many parts a query is cut, then the items of a batch: each
    // needs what is before it.
    prepare_answer(work);
    std::uint32_t units = job.mirror.tile_count;
    if (job.rows != nullptr) units = (job.row_count + kRowsAPart - 1) / kRowsAPart;
    split(work, std::clamp(shape_.most_parts() / std::max(raw.rows, 1u), 1u, std::max(units, 1u)));
    prepare_items(work);

    // The search writes neighbors where another kernel counts the votes.
    if (votes_in_batch(work.chunk)) job.shares = nullptr;
    search_batch(work);
    hand_out(work);
  }

  /// True if a chunk whose kernels are done has hard queries that no kernel has answered.
  bool lacks_hard(const UnderWay& work) const {
    if (work.job.items == nullptr) return false;

    // One chunk foretells the next: those of a call are much alike.
    const bool has_hard = work.workspace->progress.data()->deferred > 0;
    context_.expects_hard.store(has_hard, std::memory_order_relaxed);
    return has_hard && !work.has_searched_hard;
  }

  /// Waits for a chunk and puts its answer where the caller wants it. Where hard queries were not
  /// expected and there are some, they are answered now.
  void end(UnderWay& work) const {
    const Chunk chunk = work.chunk;
    QueryWorkspace& workspace = *work.workspace;

    // What the kernels found wrong comes first: there may be no answer then.
    workspace.wait();
    check_fault(*workspace.fault.data());

    if (lacks_hard(work)) {
      search_hard(work.job, shape_, workspace.stream);
      hand_out(work);
      workspace.wait();
    }

    check_answered(workspace.progress.data()->answered, work.asked);

    // The keys behind which the next search begins.
    if (!request_.after.empty()) {
      copy_async(request_.after.data() + chunk.first, workspace.queries.after.data(),
                 chunk.rows() * sizeof(unsigned long long), workspace.stream);
      workspace.wait();
    }

    // Small calls, and callers whose memory is not page-locked, get copies.
    if (is_direct(chunk)) return;
    const std::size_t bytes = request_.answer_bytes();
    for (std::size_t q = 0; q < chunk.rows(); ++q)
      std::memcpy(request_.answer_of(chunk.first + q), workspace.out.data() + q * bytes, bytes);
  }

  /// The terms and factors of a query.
  void write_terms(const QueryView& query, std::uint32_t* term, double* factor) const {
    const std::uint64_t begin = query.row_begin[0];
    const std::uint64_t end = query.row_begin[1];
    for (std::uint64_t i = begin; i < end; ++i) {
      term[i - begin] = query.term[i];
      factor[i - begin] = term_factor(query.weight[i], mirror_.weighting().idf[query.term[i]],
                                      mirror_.view().scale);
    }
  }

  /// Brings a single query to the device that has too many terms to travel with its launch.
  LongQuery bring_long(const QueryView& query, QueryWorkspace& workspace) const {
    const std::size_t terms = query.row_begin[1] - query.row_begin[0];
    workspace.queries.term.reserve(context_.device, terms);
    workspace.queries.factor.reserve(context_.device, terms);

    // Factors come first, as they need the larger alignment.
    workspace.in.reserve(terms * (sizeof(double) + sizeof(std::uint32_t)));
    auto* const factor = reinterpret_cast<double*>(workspace.in.data());
    auto* const term = reinterpret_cast<std::uint32_t*>(factor + terms);
    write_terms(query, term, factor);

    copy_async(workspace.queries.term.data(), term, terms * sizeof(*term), workspace.stream);
    copy_async(workspace.queries.factor.data(), factor, terms * sizeof(*factor), workspace.stream);

    return {workspace.arrived.data(), static_cast<std::uint32_t>(terms),
            workspace.queries.term.data(), workspace.queries.factor.data()};
  }

  /// The words of a single query's answer that the host watches. They hold a value that no answer
  /// has until the kernel writes them.
  std::span<const std::uint64_t> watch(QueryWorkspace& workspace) const {
    static_assert(sizeof(Neighbor) == sizeof(kNotYet));
    std::span<std::uint64_t> watched(workspace.arrived.data(), 1);
    if (!request_.votes())
      watched = {reinterpret_cast<std::uint64_t*>(workspace.out.data()), request_.k};
    std::ranges::fill(watched, kNotYet);
    return watched;
  }

  /// Runs a single query. The host weighs it, because a launch would cost more. The kernel
  /// announces its answer, because waiting for the stream would cost more. It is answered from the
  /// rows if there is no filter, and they have few entries.
  void run_one() const {
    // Checked and weighed here. Nothing is copied yet if the query has a fault.
    check_queries(queries_, mirror_.view().columns);
    Queries weighed;
    QueryView query = queries_;
    if (queries_.count != nullptr) {
      add_row_of_counts(queries_, 0, mirror_.weighting(), weighed);
      query = weighed.view();
    }

    UnderWay work{{0, 1}, context_.workspaces.lease(), describe()};
    QueryWorkspace& workspace = *work.workspace;
    SearchJob& job = work.job;
    prepare_answer(work);

    // Rows are scanned where no filter is given beyond the dead ones, which have similarity 0
    // anyway. A scan has one part for each block; a search has one for each tile, or for each block
    // of a team.
    const bool scans = request_.slot_bits == mirror_.live_slots() && scan_.pays();
    const std::uint32_t tiles = std::max(job.mirror.tile_count, 1u);
    const std::uint32_t team = team_size(context_.code, shape_, tiles);
    job.part_begin = scan_.begin();
    std::uint32_t parts = std::min(tiles, shape_.most_parts());
    if (team > 1) parts = tiles * team;
    if (scans) parts = scan_.count();
    split(work, parts);

    // Where the host looks for the answer has to be ready before the kernel can write there.
    const std::span<const std::uint64_t> watched = watch(workspace);
    const auto launch = [&](const auto& one) {
      if (scans)
        scan_one(job, one, workspace.stream);
      else
        search_one(job, one, team, shape_, workspace.stream);
    };

    // Three sizes of an argument: the launch of a small one is quicker, and a long query does not
    // fit at all.
    const auto terms = static_cast<std::uint32_t>(query.row_begin[1] - query.row_begin[0]);
    const auto launch_with = [&](auto& argument) {
      argument.arrived = workspace.arrived.data();
      argument.terms = terms;
      write_terms(query, argument.term, argument.factor);
      launch(argument);
    };

    if (terms <= kFewTerms) {
      ShortQuery argument;
      launch_with(argument);
    } else if (terms <= kTermsInside) {
      OneQuery argument;
      launch_with(argument);
    } else {
      launch(bring_long(query, workspace));
    }

    workspace.wait_for(watched);
    std::memcpy(request_.answer_of(0), workspace.out.data(), request_.answer_bytes());
  }

  Context& context_;
  const DeviceMirror& mirror_;
  const ScanParts& scan_;
  const QueryView& queries_;
  const Request& request_;
  const SearchShape shape_;
};

}  // namespace

void run_queries(Context& context, const DeviceMirror& mirror, const ScanParts& scan,
                 const QueryView& queries, const Request& request) {
  QueryRunner(context, mirror, scan, queries, request).run();
}

}  // namespace kindred::cuda
