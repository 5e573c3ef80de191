#include "gpu/knn/replicated_backend.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>

#include "config/error.h"
#include "gpu/document_set.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr std::size_t kLeastChunk = 1024;   // queries: what a device gets through while it is told
constexpr std::size_t kChunksInFlight = 2;  // of a device: one is copied while one is searched

/// Queries [first, last) of a call.
struct Chunk {
  std::size_t first;
  std::size_t last;
  std::size_t rows() const { return last - first; }
};

/// Calls answer a chunk of their work by this.
using AskChunk = std::function<void(const Backend& backend, Chunk chunk)>;

/// The queries of a call that no device has answered yet. The chunks that are taken become smaller
/// towards the end, so that all devices are done at about the same time.
class Chunks {
 public:
  Chunks(std::size_t queries, std::size_t devices) : rest_{0, queries}, devices_(devices) {}

  /// False if none waits.
  bool take(Chunk& chunk) {
    const std::lock_guard lock(mutex_);
    if (rest_.rows() == 0) return false;

    // Half of a device's even share of the rest, so that none is left with a long chunk at the end;
    // but never less than what is worth a call.
    const std::size_t share = std::max(kLeastChunk, rest_.rows() / (2 * devices_));

    chunk = {rest_.first, rest_.first + std::min(rest_.rows(), share)};
    rest_.first = chunk.last;
    return true;
  }

 private:
  std::mutex mutex_;
  Chunk rest_;
  const std::size_t devices_;
};

using Replicas = std::vector<std::unique_ptr<const Backend>>;

class ReplicatedBackend final : public Backend {
 public:
  ReplicatedBackend(Replicas replicas, std::size_t threads)
      : replicas_(std::move(replicas)), threads_(threads), calls_(replicas_.size()) {}

  void nearest(const QueryView& queries, std::size_t k, const DocumentSet* allowed,
               std::span<Neighbor> neighbors) const override {
    check_offsets(queries);

    // Arguments that do not fit together cannot be cut: a replica gets them whole, and its checks
    // refuse them.
    const bool fits = k > 0 && neighbors.size() % k == 0 && neighbors.size() / k == queries.rows;

    answer(fits ? queries.rows : 1, [&](const Backend& backend, Chunk chunk) {
      if (!fits) return backend.nearest(queries, k, allowed, neighbors);
      backend.nearest(queries.part(chunk.first, chunk.rows()), k, allowed,
                      neighbors.subspan(chunk.first * k, chunk.rows() * k));
    });
  }

  void vote(const QueryView& queries, const Vote& vote,
            std::span<LabelShare> shares) const override {
    check_offsets(queries);
    const std::size_t each = vote.labels;

    // Arguments that do not fit together cannot be cut: a replica gets them whole, and its checks
    // refuse them.
    const bool fits = each > 0 && shares.size() % each == 0 &&
                      shares.size() / each == queries.rows &&
                      (vote.exclude.empty() || vote.exclude.size() == queries.rows);

    answer(fits ? queries.rows : 1, [&](const Backend& backend, Chunk chunk) {
      if (!fits) return backend.vote(queries, vote, shares);

      // Excluded documents belong to queries, so they are cut as the queries are.
      Vote part = vote;
      if (!vote.exclude.empty()) part.exclude = vote.exclude.subspan(chunk.first, chunk.rows());
      backend.vote(queries.part(chunk.first, chunk.rows()), part,
                   shares.subspan(chunk.first * each, chunk.rows() * each));
    });
  }

  std::unique_ptr<const Backend> refreshed(SegmentListPointer mirror,
                                           const TermWeighting& weighting) const override {
    Replicas fresh(replicas_.size());
    for_each_item(fresh.size(), threads_, [&](std::size_t i) {
      // All devices take the new segments at the same time.
      fresh[i] = replicas_[i]->refreshed(mirror, weighting);
    });
    return std::make_unique<ReplicatedBackend>(std::move(fresh), threads_);
  }

  const SegmentListPointer& mirror() const override { return replicas_.front()->mirror(); }
  double longest() const override { return replicas_.front()->longest(); }

  BackendInfo info() const override {
    std::vector<BackendInfo> each;
    for (const auto& replica : replicas_) each.push_back(replica->info());
    return joined_info(each);
  }

 private:
  void answer(std::size_t queries, const AskChunk& ask) const {
    // A call that is too small to cut, or has nobody to share with, goes to one device.
    if (queries < 2 * kLeastChunk || replicas_.size() == 1) {
      const Turn turn(*this);
      return ask(*replicas_[turn.replica()], {0, queries});
    }

    Chunks chunks(queries, replicas_.size());
    for_each_item(replicas_.size() * kChunksInFlight, threads_, [&](std::size_t item) {
      const Backend& replica = *replicas_[item % replicas_.size()];
      Chunk chunk{};
      while (chunks.take(chunk)) ask(replica, chunk);
    });
  }

  /// The device that answers the fewest calls, for the length of one more.
  class Turn {
   public:
    explicit Turn(const ReplicatedBackend& of) : of_(of) {
      const std::lock_guard lock(of_.mutex_);
      const auto least = std::min_element(of_.calls_.begin(), of_.calls_.end());
      replica_ = static_cast<std::size_t>(least - of_.calls_.begin());
      ++of_.calls_[replica_];
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      const std::lock_guard lock(of_.mutex_);
      --of_.calls_[replica_];
    }
    std::size_t replica() const { return replica_; }

   private:
    const ReplicatedBackend& of_;
    std::size_t replica_;
  };

  const Replicas replicas_;
  const std::size_t threads_;
  mutable std::mutex mutex_;
  mutable std::vector<std::size_t> calls_;  ///< that each answers now; guarded by the mutex
};

}  // namespace

std::unique_ptr<const Backend> replicate(std::vector<std::unique_ptr<const Backend>> replicas,
                                         std::size_t threads) {
  if (replicas.empty())
    throw Error(Errc::kInvalidArgument, "no device is to hold the mirror; expected at least one");
  return std::make_unique<ReplicatedBackend>(std::move(replicas), number_of_threads(threads));
}

}  // namespace kindred
