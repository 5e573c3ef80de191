#include "gpu/knn/replicated_backend.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "config/error.h"
#include "gpu/knn/backend.h"
#include "gpu/knn/check.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr std::size_t kLeastPiece = 1024;   // queries: what a device gets through while it is told
constexpr std::size_t kPiecesInFlight = 2;  // of a device: one is copied while one is searched

/// Queries [first, last) of a call.
struct Piece {
  std::size_t first, last;
  std::size_t rows() const { return last - first; }
};

/// Calls answer a piece of their work by this.
using AskPiece = std::function<void(const Backend& backend, Piece piece)>;

/// One of the devices.
struct Replica {
  explicit Replica(std::shared_ptr<const Backend> inner, bool behind)
      : backend(std::move(inner)), is_behind(behind), short_of_memory(behind) {}

  std::shared_ptr<const Backend> backend;
  /// It had no memory for the latest state of the mirror, and does not answer.
  const bool is_behind;
  std::atomic<bool> lost{false}, short_of_memory;
  std::size_t calls = 0;  ///< that it answers now; guarded by the backend's mutex
};

/// The queries of a call that no device has answered yet. The pieces that are taken become smaller
/// towards the end, so that all devices are done at about the same time.
class Pieces {
 public:
  Pieces(std::size_t queries, std::size_t takers) : rest_{0, queries}, takers_(takers) {}

  /// False if none waits.
  bool take(Piece& piece) {
    const std::lock_guard lock(mutex_);
    if (!returned_.empty()) {
      piece = returned_.back();
      returned_.pop_back();
      return true;
    }
    if (rest_.rows() == 0) return false;
    const std::size_t share = std::max(kLeastPiece, rest_.rows() / (2 * takers_));
    piece = {rest_.first, rest_.first + std::min(rest_.rows(), share)};
    rest_.first = piece.last;
    return true;
  }

  void give_back(Piece piece) {
    const std::lock_guard lock(mutex_);
    returned_.push_back(piece);
  }

  bool empty() const {
    const std::lock_guard lock(mutex_);
    return returned_.empty() && rest_.rows() == 0;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Piece> returned_;
  Piece rest_;
  const std::size_t takers_;
};

class ReplicatedBackend final : public Backend {
 public:
  ReplicatedBackend(std::size_t threads, Log log) : threads_(threads), log_(std::move(log)) {}

  /// Before anything is asked.
  void add(std::shared_ptr<const Backend> replica, bool is_behind = false) {
    replicas_.emplace_back(std::move(replica), is_behind);
  }

  void nearest(const QueryView& queries, std::size_t k, const RowSet* allowed,
               std::span<Neighbor> neighbors) const override;
  void vote(const QueryView& queries, const Vote& vote,
            std::span<LabelShare> shares) const override;
  std::unique_ptr<const Backend> refreshed(SegmentListPointer mirror,
                                           const TermWeighting& weighting,
                                           double longest_elsewhere) const override;
  double longest() const override { return live().front()->backend->longest(); }
  BackendInfo info() const override;

 private:
  using Replicas = std::vector<Replica*>;
  class Turn;

  Replicas live() const;
  void answer(std::size_t queries, const AskPiece& ask) const;
  void answer_whole(Piece whole, Replicas takers, const AskPiece& ask) const;
  void answer_in_pieces(std::size_t queries, Replicas takers, const AskPiece& ask) const;
  std::exception_ptr attempt(Replica& replica, const std::function<void()>& work) const;

  mutable std::deque<Replica> replicas_;
  const std::size_t threads_;
  const Log log_;
  mutable std::mutex mutex_;  ///< guards the calls of the replicas
};

/// The device that answers the fewest calls, for the length of one more.
class ReplicatedBackend::Turn {
 public:
  Turn(std::mutex& mutex, const Replicas& candidates) : mutex_(mutex) {
    const std::lock_guard lock(mutex_);
    const auto fewer = [](const Replica* a, const Replica* b) { return a->calls < b->calls; };
    replica_ = *std::min_element(candidates.begin(), candidates.end(), fewer);
    ++replica_->calls;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    const std::lock_guard lock(mutex_);
    --replica_->calls;
  }
  Replica& replica() const { return *replica_; }

 private:
  std::mutex& mutex_;
  Replica* replica_;
};

/// Those that are neither behind nor lost; if all are lost, these: then they say so again.
ReplicatedBackend::Replicas ReplicatedBackend::live() const {
  Replicas found, all;
  for (Replica& replica : replicas_) {
    if (replica.is_behind) continue;
    all.push_back(&replica);
    if (!replica.lost) found.push_back(&replica);
  }
  return found.empty() ? all : found;
}

void ReplicatedBackend::nearest(const QueryView& queries, std::size_t k, const RowSet* allowed,
                                std::span<Neighbor> neighbors) const {
  check_offsets(queries);
  const bool fits = k > 0 && neighbors.size() % k == 0 && neighbors.size() / k == queries.rows;
  answer(fits ? queries.rows : 1, [&](const Backend& backend, Piece piece) {
    if (!fits) return backend.nearest(queries, k, allowed, neighbors);
    backend.nearest(queries.part(piece.first, piece.rows()), k, allowed,
                    neighbors.subspan(piece.first * k, piece.rows() * k));
  });
}

void ReplicatedBackend::vote(const QueryView& queries, const Vote& vote,
                             std::span<LabelShare> shares) const {
  check_offsets(queries);
  const std::size_t each = vote.labels;
  const bool fits = each > 0 && shares.size() % each == 0 && shares.size() / each == queries.rows &&
                    (vote.exclude.empty() || vote.exclude.size() == queries.rows);
  answer(fits ? queries.rows : 1, [&](const Backend& backend, Piece piece) {
    if (!fits) return backend.vote(queries, vote, shares);
    Vote part = vote;
    if (!vote.exclude.empty()) part.exclude = vote.exclude.subspan(piece.first, piece.rows());
    backend.vote(queries.part(piece.first, piece.rows()), part,
                 shares.subspan(piece.first * each, piece.rows() * each));
  });
}

/// Answers `queries` queries. @throws what the last device threw, if all fail.
void ReplicatedBackend::answer(std::size_t queries, const AskPiece& ask) const {
  Replicas takers = live();
  if (queries < 2 * kLeastPiece || takers.size() == 1)
    answer_whole({0, queries}, std::move(takers), ask);
  else
    answer_in_pieces(queries, std::move(takers), ask);
}

void ReplicatedBackend::answer_whole(Piece whole, Replicas takers, const AskPiece& ask) const {
  while (true) {
    const Turn turn(mutex_, takers);
    Replica& replica = turn.replica();
    const std::exception_ptr fault = attempt(replica, [&] { ask(*replica.backend, whole); });
    if (!fault) return;
    std::erase(takers, &replica);
    if (takers.empty()) std::rethrow_exception(fault);
  }
}

/// A device that fails takes no more pieces, and the one that it had waits again.
void ReplicatedBackend::answer_in_pieces(std::size_t queries, Replicas takers,
                                         const AskPiece& ask) const {
  Pieces pieces(queries, takers.size());
  while (!pieces.empty()) {
    std::vector<std::exception_ptr> faults(takers.size() * kPiecesInFlight);
    for_each_item(faults.size(), threads_, [&](std::size_t item) {
      Replica& replica = *takers[item % takers.size()];
      for (Piece piece{}; !faults[item] && pieces.take(piece);) {
        faults[item] = attempt(replica, [&] { ask(*replica.backend, piece); });
        if (faults[item]) pieces.give_back(piece);
      }
    });
    std::exception_ptr last;
    Replicas left = takers;
    for (std::size_t item = 0; item < faults.size(); ++item) {
      if (!faults[item]) continue;
      last = faults[item];
      std::erase(left, takers[item % takers.size()]);
    }
    takers = std::move(left);
    if (takers.empty()) std::rethrow_exception(last);
  }
}

/// Does work on a device. Returns the error that others can help with; other errors are thrown.
std::exception_ptr ReplicatedBackend::attempt(Replica& replica,
                                              const std::function<void()>& work) const try {
  work();
  return nullptr;
} catch (const Error& e) {
  if (e.code() != Errc::kDevice && e.code() != Errc::kOutOfMemory) throw;
  const bool is_lost = e.code() == Errc::kDevice;
  const bool is_told = (is_lost ? replica.lost : replica.short_of_memory).exchange(true);
  if (log_ && !is_told)
    log_(std::string("the other devices answer") + (is_lost ? ": " : " what does not fit: ") +
         e.what());
  return std::current_exception();
}

std::unique_ptr<const Backend> ReplicatedBackend::refreshed(SegmentListPointer mirror,
                                                            const TermWeighting& weighting,
                                                            double longest_elsewhere) const {
  Replicas sources = live();
  for (Replica& replica : replicas_)
    if (replica.is_behind && !replica.lost) sources.push_back(&replica);
  std::vector<std::shared_ptr<const Backend>> fresh(sources.size());
  std::vector<std::exception_ptr> faults(sources.size());
  for_each_item(sources.size(), threads_, [&](std::size_t i) {
    faults[i] = attempt(*sources[i], [&] {
      fresh[i] = sources[i]->backend->refreshed(mirror, weighting, longest_elsewhere);
    });
  });
  auto result = std::make_unique<ReplicatedBackend>(threads_, log_);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (fresh[i]) result->add(std::move(fresh[i]));
    if (faults[i] && !sources[i]->lost) result->add(sources[i]->backend, true);
  }
  if (result->live().empty()) std::rethrow_exception(faults.front());
  return result;
}

BackendInfo ReplicatedBackend::info() const {
  std::vector<BackendInfo> each;
  for (const Replica* const replica : live()) each.push_back(replica->backend->info());
  return joined_info(each);
}

}  // namespace

std::unique_ptr<const Backend> replicate(std::vector<std::unique_ptr<const Backend>> replicas,
                                         std::size_t threads, Log log) {
  if (replicas.empty())
    throw Error(Errc::kInvalidArgument, "no device is to hold the mirror; expected at least one");
  auto result = std::make_unique<ReplicatedBackend>(number_of_threads(threads), std::move(log));
  for (auto& replica : replicas) result->add(std::move(replica));
  return result;
}

}  // namespace kindred
