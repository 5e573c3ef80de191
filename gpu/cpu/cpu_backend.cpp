#include "gpu/cpu/cpu_backend.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <thread>

#include "config/error.h"
#include "gpu/cpu/instruction_set.h"
#include "gpu/cpu/search.h"
#include "gpu/cpu/workers.h"
#include "gpu/scoring.h"

namespace kindred {
namespace cpu {
namespace {

constexpr std::size_t kQueriesAtOnce = 16;           // one item of parallel work
constexpr std::size_t kPairsWorthAThread = 1 << 19;  // rows x queries, about a millisecond
constexpr double kFewAllowed = 0.03;                 // below this share, rows are scored one by one

/// Measured: a plane pays from about 1 in 16 documents on with AVX-512, 1 in 7 with AVX2, never
/// without; tiles of fewer documents lose more in look-ups than their accumulators gain.
TileLayout layout_for(InstructionSet set) {
  TileLayout layout;
  if (set == InstructionSet::kAvx512) layout.plane_density = 0.06;
  if (set == InstructionSet::kAvx2) layout.plane_density = 0.15;
  return layout;
}

AlignedArray<float> filter_reciprocals(const ExactScores& exact) {
  const std::size_t rows = exact.mirror().rows;
  AlignedArray<float> result((rows + Tile::kPadding - 1) / Tile::kPadding * Tile::kPadding);
  for (std::size_t row = 0; row < rows; ++row) {
    const double reciprocal = exact.reciprocal(static_cast<std::uint32_t>(row)) * 0x1p62;
    if (reciprocal == 0) continue;
    const auto nearest = static_cast<float>(reciprocal);  // may be infinite, and is then an upper
    result.data()[row] = std::nextafter(nearest, std::numeric_limits<float>::infinity());
  }
  return result;
}

/// Searchers that no call uses at the moment: their memory is kept warm.
class SearcherPool {
 public:
  explicit SearcherPool(const Index& index) : index_(index) {}

  std::unique_ptr<Searcher> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Searcher> searcher = std::move(idle_.back());
        idle_.pop_back();
        return searcher;
      }
    }
    return std::make_unique<Searcher>(index_);
  }

  void give_back(std::unique_ptr<Searcher> searcher) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(searcher));
  }

 private:
  const Index& index_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Searcher>> idle_;
};

class CpuBackend final : public Backend {
 public:
  CpuBackend(CsrView mirror, const TermWeighting& weighting, std::size_t threads)
      : set_(choose_instruction_set()),
        threads_(threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency())),
        index_{{}, {}, ExactScores(mirror, weighting, threads_), choose_scan(set_)},
        searchers_(index_) {
    index_.tiles = build_tiles(mirror, layout_for(set_), threads_);
    index_.filter_reciprocals = filter_reciprocals(index_.exact);
  }

  std::vector<Neighbor> nearest(const Queries& queries, std::size_t k,
                                const RowBits* allowed) const override;
  std::string_view kind() const override { return "cpu"; }
  std::string device() const override {
    return std::string("CPU (") + name(set_) + ", " + std::to_string(threads_) +
           (threads_ == 1 ? " thread)" : " threads)");
  }
  std::size_t bytes() const override { return index_.bytes(); }

 private:
  void check(const Queries& queries, std::size_t k, const RowBits* allowed) const;
  Allowed allow(const RowBits* allowed) const;
  std::size_t threads_for(std::size_t queries) const;
  void search_whole(const Queries& queries, const Allowed& allowed, std::size_t threads,
                    std::size_t k, std::span<Neighbor> result) const;
  void search_in_parts(const Queries& queries, const Allowed& allowed, std::size_t parts,
                       std::size_t threads, std::size_t k, std::span<Neighbor> result) const;

  InstructionSet set_;
  std::size_t threads_;
  Index index_;
  mutable SearcherPool searchers_;
};

void CpuBackend::check(const Queries& queries, std::size_t k, const RowBits* allowed) const {
  const CsrView mirror = index_.exact.mirror();
  if (k == 0) throw Error(Errc::kInvalidArgument, "k is 0; at least 1 neighbor must be asked for");
  if (k > (SIZE_MAX / sizeof(Neighbor)) / (queries.rows() + 1))
    throw Error(Errc::kOutOfMemory, "k is " + std::to_string(k) + ", too many neighbors to hold");
  if (allowed != nullptr && allowed->size() < (std::size_t{mirror.rows} + 63) / 64)
    throw Error(Errc::kInvalidArgument, "the allowed bits cover fewer rows than the mirror has");
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    const auto terms = queries.terms(q);  // ascending
    if (!terms.empty() && terms.back() >= mirror.columns)
      throw Error(Errc::kInvalidArgument,
                  "query " + std::to_string(q) + " names term " + std::to_string(terms.back()) +
                      ", but the mirror has only " + std::to_string(mirror.columns));
  }
}

Allowed CpuBackend::allow(const RowBits* allowed) const {
  Allowed result;
  if (allowed == nullptr) return result;
  const std::uint32_t rows = index_.exact.mirror().rows;
  result.bits = allowed->data();
  const auto word = [&](std::size_t i) {  // without bits past the last row
    const std::size_t left = rows - i * 64;
    return left >= 64 ? result.bits[i] : result.bits[i] & ((std::uint64_t{1} << left) - 1);
  };
  const std::size_t words = (std::size_t{rows} + 63) / 64;
  std::size_t count = 0;
  for (std::size_t i = 0; i < words; ++i) count += static_cast<std::size_t>(std::popcount(word(i)));
  result.few = static_cast<double>(count) < kFewAllowed * rows;
  if (!result.few) return result;
  result.rows.reserve(count);
  for (std::size_t i = 0; i < words; ++i)
    for (std::uint64_t bits = word(i); bits != 0; bits &= bits - 1)
      result.rows.push_back(
          static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
  return result;
}

std::size_t CpuBackend::threads_for(std::size_t queries) const {
  const std::size_t pairs = queries * index_.exact.mirror().rows;
  return std::clamp<std::size_t>(pairs / kPairsWorthAThread, 1, threads_);
}

std::vector<Neighbor> CpuBackend::nearest(const Queries& queries, std::size_t k,
                                          const RowBits* allowed) const {
  check(queries, k, allowed);
  std::vector<Neighbor> result(queries.rows() * k);
  const Allowed rows = allow(allowed);
  const std::size_t threads = threads_for(queries.rows());
  const std::size_t pieces = rows.few ? rows.rows.size() : index_.tiles.size();
  if (queries.rows() >= threads || pieces < 2)
    search_whole(queries, rows, threads, k, result);
  else
    search_in_parts(queries, rows, std::min(threads, pieces), threads, k, result);
  return result;
}

void CpuBackend::search_whole(const Queries& queries, const Allowed& allowed, std::size_t threads,
                              std::size_t k, std::span<Neighbor> result) const {
  const std::size_t chunk =
      std::clamp<std::size_t>(queries.rows() / (4 * threads), 1, kQueriesAtOnce);
  for_each_item((queries.rows() + chunk - 1) / chunk, threads, [&](std::size_t item) {
    std::unique_ptr<Searcher> searcher = searchers_.take();
    const std::size_t end = std::min(queries.rows(), (item + 1) * chunk);
    for (std::size_t q = item * chunk; q < end; ++q)
      searcher->search(queries, q, allowed, 0, 1, result.subspan(q * k, k));
    searchers_.give_back(std::move(searcher));
  });
}

void CpuBackend::search_in_parts(const Queries& queries, const Allowed& allowed, std::size_t parts,
                                 std::size_t threads, std::size_t k,
                                 std::span<Neighbor> result) const {
  const std::size_t room = std::min<std::size_t>(k, index_.exact.mirror().rows);
  std::vector<Neighbor> best(queries.rows() * parts * room);
  std::vector<std::size_t> found(queries.rows() * parts);
  for_each_item(found.size(), threads, [&](std::size_t item) {
    std::unique_ptr<Searcher> searcher = searchers_.take();
    found[item] = searcher->search(queries, item / parts, allowed, item % parts, parts,
                                   std::span(best).subspan(item * room, room));
    searchers_.give_back(std::move(searcher));
  });
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    std::vector<Neighbor> merged;
    for (std::size_t item = q * parts; item < (q + 1) * parts; ++item)
      merged.insert(merged.end(), best.begin() + static_cast<std::ptrdiff_t>(item * room),
                    best.begin() + static_cast<std::ptrdiff_t>(item * room + found[item]));
    std::sort(merged.begin(), merged.end(), [](const Neighbor& a, const Neighbor& b) {
      return ranks_before(a.similarity, a.row, b.similarity, b.row);
    });
    std::copy_n(merged.begin(), std::min(k, merged.size()),
                result.begin() + static_cast<std::ptrdiff_t>(q * k));
  }
}

}  // namespace
}  // namespace cpu

std::unique_ptr<const Backend> make_cpu_backend(CsrView mirror, const TermWeighting& weighting,
                                                std::size_t threads) {
  return std::make_unique<cpu::CpuBackend>(mirror, weighting, threads);
}

}  // namespace kindred
