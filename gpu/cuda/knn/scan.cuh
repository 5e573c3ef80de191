#pragma once

#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/knn/query_terms.cuh"
#include "gpu/cuda/knn/rank.cuh"
#include "gpu/cuda/knn/search_block.cuh"

// Computes the exact similarity of every row of a range from the rows themselves, for a single
// query on a small mirror. This reads all entries, about 18 times as many as the query has
// postings, but in one step and from the second-level cache. A search of tiles is a chain of many
// steps. Entries are distributed to threads regardless of their rows. Those whose terms the query
// has are listed and then added up.

namespace kindred::cuda {

// Finds the query's terms among those of rows. Most of a row's terms are not the query's, and one
// look into shared memory shows that.

/// Numbers the query's terms in an empty table; all threads of the block. The numbers are there
/// after the caller's next barrier.
inline __device__ void number_terms(TermTable& table, const Query& query) {
  auto* const words = reinterpret_cast<std::uint32_t*>(table.number);
  for (std::uint32_t i = threadIdx.x; i < query.terms; i += kThreads) {
    const std::uint32_t slot = term_slot(query.term[i]);
    const std::uint32_t shift = slot % 2 * 16;
    const std::uint32_t number = i < TermTable::kMostNumbered ? i + 1 : TermTable::kUnnumbered;
    // A thread that comes second sees that a number is there. It sets all bits, which stay set.
    const std::uint32_t before = atomicOr(words + slot / 2, number << shift);
    if ((before >> shift & 0xFFFF) != 0)
      atomicOr(words + slot / 2, TermTable::kUnnumbered << shift);
  }
}

/// The factor of `term`; 0 if the query lacks it.
inline __device__ double find_factor(const TermTable& table, const Query& query,
                                     std::uint32_t term) {
  // Most terms end here. A term that shares its slot with another is searched for.
  const std::uint32_t number = table.number[term_slot(term)];
  if (number == 0) return 0;
  if (number == TermTable::kUnnumbered) return find_factor(query, term);
  if (query.term[number - 1] != term) return 0;
  return query.factor[number - 1];
}

inline constexpr std::uint32_t kScanRows = kThreads;  // at a time; in the end one per thread
inline constexpr std::uint32_t kScanQuads = 5;        // of entries that a thread loads at once
inline constexpr std::uint32_t kScanEntries = kScanQuads * kThreads * 4;  // of a step

/// The block's memory, in the place of the accumulators. Entries are counted from the first quad of
/// the current rows.
struct ScanList {
  TermTable terms;
  std::uint32_t row_begin[kScanRows];
  std::uint32_t low[kScanRows], high[kScanRows];  // halves of the rows' sums
  std::uint32_t hit[kScanEntries];                // entry of the step << 8 | count
};

/// Scans a block's rows, at most kScanRows at a time. What the first rows need loads while the
/// query is made ready.
class RowScan {
 public:
  /// The rows at places [begin, end) of the mirror. Starts to load where the entries of the first
  /// rows are.
  __device__ RowScan(const Block& block, const MirrorView& mirror, std::uint32_t begin,
                     std::uint32_t end)
      : block_(block),
        mirror_(mirror),
        list_(*reinterpret_cast<ScanList*>(block.sums)),
        next_(begin),
        end_(end) {
    // What is loaded here arrives while the query is made ready.
    ask_for_rows();
    if (threadIdx.x < min(kCountsInside, mirror.tf_size)) own_.tf = mirror.tf[threadIdx.x];

    zero(&list_.terms, sizeof(list_.terms));
    if (threadIdx.x == 0) block.fixed.total = 0;
  }

  /// Makes the best rows candidates; if these are many, merges some. The query must be loaded
  /// before. Ends with a barrier.
  __device__ void run() {
    // The entries load while the terms are numbered.
    if (rows_.size > 0) begin_entries();
    __syncthreads();

    number_terms(list_.terms, block_.fixed.query);
    __syncthreads();

    // Rows after rows: their hits are found and added up, and those that may be among the best
    // become candidates.
    while (rows_.size > 0) {
      scan_entries();
      push_rows();
      ask_for_rows();
      if (rows_.size == 0) break;
      begin_entries();
      merge_if_full(block_);
    }
    __syncthreads();
  }

 private:
  static constexpr std::uint32_t kTogether = 2;  // entries that a thread looks up

  /// The current rows, which end before next_ and are of one segment.
  struct Rows {
    std::uint32_t size;
    std::uint64_t first_entry, last_entry;  // in the segment: [first, last)
    const std::uint32_t* column;            // of the first quad
    const std::uint8_t* count;
    std::uint32_t entries_begin;
    std::uint32_t entries_end;
  };
  /// The current row of this thread.
  struct OwnRow {
    std::uint32_t place;
    std::uint64_t begin;
    double reciprocal;
    double tf = 0;  // of a count
  };
  struct LoadingEntries {
    std::uint32_t step;  // the first one
    uint4 terms[kScanQuads];
    std::uint32_t counts[kScanQuads];
  };

  __device__ void ask_for_rows() {
    rows_.size = 0;
    if (next_ == end_) return;

    // Rows of a step are of one segment, whose arrays are looked up once.
    const SegmentView segment = mirror_.segment_of(next_);
    const std::uint64_t* const row_begin = segment.row_begin + (next_ - segment.first_place);
    own_.place = next_ + threadIdx.x;
    rows_.size = min(min(end_, segment.first_place + segment.rows) - next_, kScanRows);

    next_ += rows_.size;
    rows_.column = segment.column;
    rows_.count = segment.count;
    rows_.first_entry = row_begin[0];
    rows_.last_entry = row_begin[rows_.size];

    if (threadIdx.x >= rows_.size) return;
    own_.begin = row_begin[threadIdx.x];
    own_.reciprocal = mirror_.reciprocal[own_.place];
  }

  __device__ void begin_entries() {
    // Quads are aligned, so the first one may begin with entries of the row before, which are told
    // apart by entries_begin.
    const std::uint64_t base = rows_.first_entry & ~std::uint64_t{3};
    rows_.column += base;
    rows_.count += base;
    rows_.entries_begin = static_cast<std::uint32_t>(rows_.first_entry - base);
    rows_.entries_end = static_cast<std::uint32_t>(rows_.last_entry - base);

    loading_.step = 0;
    ask_for_entries();
  }

  /// Stores what was loaded and is not needed before the first sum.
  __device__ void begin_sums() {
    if (threadIdx.x < min(kCountsInside, mirror_.tf_size)) block_.fixed.tf[threadIdx.x] = own_.tf;

    if (threadIdx.x >= rows_.size) return;
    list_.row_begin[threadIdx.x] =
        static_cast<std::uint32_t>(own_.begin - (rows_.first_entry & ~std::uint64_t{3}));
    list_.low[threadIdx.x] = 0;
    list_.high[threadIdx.x] = 0;
  }

  __device__ void scan_entries() {
    // The entries of the next step load while the hits of this one are added.
    while (true) {
      list_hits();
      if (loading_.step == 0) begin_sums();

      const std::uint32_t step = loading_.step;
      loading_.step += kScanEntries;
      const bool is_last = loading_.step >= rows_.entries_end;
      if (!is_last) ask_for_entries();

      __syncthreads();
      add_hits(step);
      __syncthreads();

      // No thread counts hits of the next step before the count is 0 again.
      if (threadIdx.x == 0) block_.fixed.total = 0;
      if (is_last) return;
      __syncthreads();
    }
  }

  __device__ void ask_for_entries() {
    constexpr std::uint32_t kNoTerm = 0xFFFFFFFFu;
#pragma unroll
    for (std::uint32_t j = 0; j < kScanQuads; ++j) {
      const std::uint32_t entry = loading_.step + (j * kThreads + threadIdx.x) * 4;

      // Threads beyond the end have entries of no term.
      loading_.terms[j] = {kNoTerm, kNoTerm, kNoTerm, kNoTerm};
      loading_.counts[j] = 0;

      if (entry >= rows_.entries_end) continue;
      load_now(rows_.column + entry, loading_.terms[j]);
      load_now(rows_.count + entry, loading_.counts[j]);
    }
  }

  // Loads that begin where they stand. The compiler would put them off until after the barriers
  // that they are to overlap with, to save registers.
  static __device__ void load_now(const std::uint32_t* from, uint4& to) {
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w)
                 : "l"(from));
  }
  static __device__ void load_now(const std::uint8_t* from, std::uint32_t& to) {
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(to) : "l"(from));
  }

  /// Lists the loaded entries whose terms the query may have.
  __device__ void list_hits() {
    // A bit for each of the thread's 20 entries: one look into shared memory each.
    std::uint32_t mask = 0;
#pragma unroll
    for (std::uint32_t j = 0; j < kScanQuads; ++j) {
      const auto bit = [&](std::uint32_t term, std::uint32_t i) {
        return list_.terms.number[term_slot(term)] != 0 ? 1u << (j * 4 + i) : 0u;
      };
      const uint4& term = loading_.terms[j];
      mask |= bit(term.x, 0) | bit(term.y, 1) | bit(term.z, 2) | bit(term.w, 3);
    }

    // Lanes write their hits next to each other. The last lane, which knows how many there are,
    // takes the room.
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t own = __popc(mask);
    std::uint32_t place = sum_before(own);
    std::uint32_t first = 0;
    if (lane == 31) first = atomicAdd(&block_.fixed.total, place + own);
    place += __shfl_sync(kWholeWarp, first, 31);

    // A hit is the number of its entry in the step, and 8 bits of its count.
#pragma unroll
    for (std::uint32_t j = 0; j < kScanQuads; ++j)
      for (std::uint32_t bits = mask >> j * 4 & 0xF; bits != 0; bits &= bits - 1) {
        const std::uint32_t i = __ffs(static_cast<int>(bits)) - 1;
        const std::uint32_t count = loading_.counts[j] >> i * 8 & 0xFF;
        list_.hit[place] = ((j * kThreads + threadIdx.x) * 4 + i) << 8 | count;
        ++place;
      }
  }

  /// Adds what the listed entries contribute to the sums of their rows. A thread looks up a few
  /// together, since that is a chain of loads.
  __device__ void add_hits(std::uint32_t step) {
    for (std::uint32_t h = threadIdx.x; h < block_.fixed.total; h += kTogether * kThreads) {
      std::uint32_t entry[kTogether];
      std::uint32_t row[kTogether];
      std::int64_t value[kTogether];
#pragma unroll
      for (std::uint32_t j = 0; j < kTogether; ++j) {
        const bool is_listed = h + j * kThreads < block_.fixed.total;
        const std::uint32_t hit = is_listed ? list_.hit[h + j * kThreads] : 0;

        // A quad may have entries of other rows at both ends; these add nothing.
        entry[j] = step + (hit >> 8);
        const bool is_own =
            is_listed && entry[j] >= rows_.entries_begin && entry[j] < rows_.entries_end;
        value[j] = is_own ? contribution_of(entry[j], hit & 0xFF) : 0;
      }

      // Then the rows of these entries, by one search for all of them.
      find_rows(entry, row);
#pragma unroll
      for (std::uint32_t j = 0; j < kTogether; ++j)
        if (value[j] != 0) add_to_row(row[j], value[j]);
    }
  }

  __device__ void add_to_row(std::uint32_t row, std::int64_t value) {
    const auto low = static_cast<std::uint32_t>(value);

    // Two words of 32 bits make a sum of 64: who makes the lower one overflow carries into the
    // upper one.
    auto high = static_cast<std::uint32_t>(value >> 32);
    const std::uint32_t sum = atomicAdd(&list_.low[row], low) + low;
    if (sum < low) ++high;
    if (high > 0) atomicAdd(&list_.high[row], high);
  }

  __device__ std::int64_t contribution_of(std::uint32_t entry, std::uint32_t count) const {
    const double factor = find_factor(list_.terms, block_.fixed.query, __ldg(rows_.column + entry));

    // Large counts are listed by the segment, of which all current rows are.
    if (count == SegmentView::kLargeCount) {
      const SegmentView segment = mirror_.segment_of(next_ - 1);
      count = segment.count_of(static_cast<std::uint64_t>(rows_.column - segment.column) + entry);
    }

    if (count >= mirror_.tf_size) return 0;  // only dead rows have it
    const double tf = count < kCountsInside ? block_.fixed.tf[count] : mirror_.tf[count];
    return contribution(factor, tf);
  }

  /// The last row that begins at or before each of some entries.
  __device__ void find_rows(const std::uint32_t (&entry)[kTogether],
                            std::uint32_t (&row)[kTogether]) const {
#pragma unroll
    for (std::uint32_t& own : row) own = 0;

    // A binary search that all entries take together, so that their loads overlap.
    const std::uint32_t largest = 1u << (31 - __clz(static_cast<int>(rows_.size)));
    for (std::uint32_t step = largest; step > 0; step /= 2) {
#pragma unroll
      for (std::uint32_t j = 0; j < kTogether; ++j) {
        const std::uint32_t next = min(row[j] + step, rows_.size - 1);
        if (list_.row_begin[next] <= entry[j]) row[j] = next;
      }
    }
  }

  __device__ void push_rows() {
    // A row's similarity is exact here, so one that does not reach the threshold is out.
    if (threadIdx.x >= rows_.size) return;
    const std::uint64_t sum = std::uint64_t{list_.high[threadIdx.x]} << 32 | list_.low[threadIdx.x];
    const Key key = make_key(similarity(static_cast<std::int64_t>(sum), own_.reciprocal),
                             mirror_.number_at(own_.place));
    if (key != kNoKey && bits_of(key) >= block_.fixed.threshold) push_key(block_, key);
  }

  const Block& block_;
  const MirrorView& mirror_;
  ScanList& list_;
  std::uint32_t next_;  // the first place whose row is not loaded yet
  std::uint32_t end_;   // of this block's places
  Rows rows_;
  OwnRow own_;
  LoadingEntries loading_;
};

}  // namespace kindred::cuda
