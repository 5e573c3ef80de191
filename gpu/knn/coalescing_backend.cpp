#include "gpu/knn/coalescing_backend.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/error.h"
#include "gpu/document_set.h"

namespace kindred {
namespace {

constexpr std::size_t kMostCalls = 256;   // of one batch
constexpr std::size_t kMostItems = 1024;  // neighbors or shares of a call that joins one

/// Calls with equal keys can share a batch.
struct BatchKey {
  bool counts;                 ///< the queries are counts, not weights
  std::size_t vote_k;          ///< vote(): its k; 0 is nearest()
  const DocumentSet* allowed;  ///< or voters: the object itself, which outlives its calls
  friend bool operator<(const BatchKey& a, const BatchKey& b) {
    return std::tie(a.counts, a.vote_k, a.allowed) < std::tie(b.counts, b.vote_k, b.allowed);
  }
};

/// One call. It lives on its caller's stack. The mutex guards everything but the arguments.
struct Call {
  const QueryView& query;  ///< one row
  std::uint32_t exclude;
  std::span<Neighbor> neighbors;  ///< the answer of nearest(), else empty
  std::span<LabelShare> shares;   ///< the answer of vote(), else empty

  enum class Turn { kWaits, kLeads, kIsDone } turn = Turn::kWaits;
  Errc code = Errc::kOk;  ///< what went wrong; each thread throws an Error of its own
  std::string fault{};
  std::condition_variable wake{};
};

/// The calls of one key that wait. It exists while a call of that key leads.
using CallQueue = std::deque<Call*>;

/// The calls that run together; its leader comes first.
class CallBatch {
 public:
  explicit CallBatch(Call& leader) { calls_[size_++] = &leader; }

  void move_from(CallQueue& waiting) {
    while (size_ < kMostCalls && !waiting.empty()) {
      calls_[size_++] = waiting.front();
      waiting.pop_front();
    }
  }

  std::span<Call* const> followers() const { return std::span(calls_).subspan(1, size_ - 1); }

  /// Answers all calls, or gives the error to all of them.
  void run(const Backend& backend, const BatchKey& key) noexcept try {
    // A call that is alone goes straight through, without a copy of its query.
    if (size_ == 1)
      run_one(backend, key, *calls_[0]);
    else if (key.vote_k == 0)
      run_nearest(backend, join_queries(), key.allowed);
    else
      run_vote(backend, join_queries(), {key.vote_k, most(&Call::shares), key.allowed, {}});
  } catch (const Error& e) {
    fail(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    fail(Errc::kOutOfMemory, "not enough memory for a batch of queries");
  } catch (const std::exception& e) {
    fail(Errc::kInternal, e.what());
  }

 private:
  void fail(Errc code, const char* what) noexcept {
    // The code goes to every call. Its text may not fit memory a second time.
    for (Call* const call : calls()) {
      call->code = code;
      try {
        call->fault = what;
      } catch (const std::bad_alloc&) {
        call->fault.clear();  // then the code must be enough
      }
    }
  }

  std::span<Call* const> calls() const { return std::span(calls_).first(size_); }

  static void run_one(const Backend& backend, const BatchKey& key, const Call& call) {
    if (key.vote_k == 0)
      return backend.nearest(call.query, call.neighbors.size(), key.allowed, call.neighbors);

    Vote vote{key.vote_k, call.shares.size(), key.allowed, {}};
    if (call.exclude != kNoDocument) vote.exclude = {&call.exclude, 1};
    backend.vote(call.query, vote, call.shares);
  }

  /// The size of the longest answer that a call wants. Shorter answers are its beginning.
  template <typename Item>
  std::size_t most(std::span<Item> Call::*answer) const {
    std::size_t size = 0;
    for (const Call* const call : calls()) size = std::max(size, (call->*answer).size());
    return size;
  }

  template <typename Item>
  void hand_out(const std::vector<Item>& items, std::size_t each, std::span<Item> Call::*answer) {
    for (std::size_t i = 0; i < size_; ++i) {
      const std::span<Item> out = calls_[i]->*answer;
      std::copy_n(items.begin() + static_cast<std::ptrdiff_t>(i * each), out.size(), out.begin());
    }
  }

  void run_nearest(const Backend& backend, const QueryView& queries, const DocumentSet* allowed) {
    // All calls ask for as many as the one that wants most; each takes the beginning of its list.
    const std::size_t k = most(&Call::neighbors);
    std::vector<Neighbor> neighbors(size_ * k);

    backend.nearest(queries, k, allowed, neighbors);
    hand_out(neighbors, k, &Call::neighbors);
  }

  void run_vote(const Backend& backend, const QueryView& queries, Vote vote) {
    // A vote has either no list of excluded documents or one with an entry for each query.
    std::vector<std::uint32_t> exclude;
    bool excludes_any = false;
    for (const Call* const call : calls()) {
      exclude.push_back(call->exclude);
      if (call->exclude != kNoDocument) excludes_any = true;
    }
    if (excludes_any) vote.exclude = exclude;

    std::vector<LabelShare> shares(size_ * vote.labels);
    backend.vote(queries, vote, shares);
    hand_out(shares, vote.labels, &Call::shares);
  }

  QueryView join_queries() {
    // Calls of one key have either weights or counts, all of them.
    for (const Call* const call : calls()) {
      const QueryView& query = call->query;
      const std::uint64_t begin = query.row_begin[0];
      const std::uint64_t end = query.row_begin[1];
      term_.insert(term_.end(), query.term + begin, query.term + end);
      if (query.weight != nullptr)
        weight_.insert(weight_.end(), query.weight + begin, query.weight + end);
      if (query.count != nullptr)
        count_.insert(count_.end(), query.count + begin, query.count + end);
      row_begin_.push_back(term_.size());
    }

    QueryView joined{size_, row_begin_.data(), term_.data()};
    if (calls_[0]->query.count != nullptr)
      joined.count = count_.data();
    else
      joined.weight = weight_.data();
    return joined;
  }

  std::array<Call*, kMostCalls> calls_;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> row_begin_{0};
  std::vector<std::uint32_t> term_;
  std::vector<double> weight_;
  std::vector<std::uint16_t> count_;
};

class CoalescingBackend final : public Backend {
 public:
  explicit CoalescingBackend(std::unique_ptr<const Backend> inner) : inner_(std::move(inner)) {}

  void nearest(const QueryView& queries, std::size_t k, const DocumentSet* allowed,
               std::span<Neighbor> neighbors) const override {
    if (queries.rows != 1 || k > kMostItems) return inner_->nearest(queries, k, allowed, neighbors);

    // Checked before it joins, so that a call with a fault does not fail those of others.
    check_nearest(*mirror(), queries, k, allowed, neighbors.size());
    check_queries(queries, mirror()->columns());

    Call call{queries, kNoDocument, neighbors, {}};
    join({queries.count != nullptr, 0, allowed}, call);
  }

  void vote(const QueryView& queries, const Vote& vote,
            std::span<LabelShare> shares) const override {
    if (queries.rows != 1 || vote.labels > kMostItems) return inner_->vote(queries, vote, shares);

    // Checked before it joins, so that a call with a fault does not fail those of others.
    check_vote(*mirror(), queries, vote, shares.size());
    check_queries(queries, mirror()->columns());

    std::uint32_t exclude = kNoDocument;
    if (!vote.exclude.empty()) exclude = vote.exclude[0];
    Call call{queries, exclude, {}, shares};
    join({queries.count != nullptr, vote.k, vote.voters}, call);
  }

  std::unique_ptr<const Backend> refreshed(SegmentListPointer mirror,
                                           const TermWeighting& weighting) const override {
    return coalesce(inner_->refreshed(std::move(mirror), weighting));
  }

  const SegmentListPointer& mirror() const override { return inner_->mirror(); }
  double longest() const override { return inner_->longest(); }
  BackendInfo info() const override { return inner_->info(); }

 private:
  using CallQueues = std::map<BatchKey, CallQueue>;

  void join(const BatchKey& key, Call& call) const {
    std::unique_lock lock(mutex_);

    // A queue exists exactly while a call of its key leads, so whoever makes it leads at once.
    const auto [queue, is_first] = queues_.try_emplace(key);
    if (!is_first) {
      queue->second.push_back(&call);
      while (call.turn == Call::Turn::kWaits) call.wake.wait(lock);
    }

    // Awake, the call is either answered or the one that must lead the next batch.
    if (call.turn != Call::Turn::kIsDone) lead(queue, call, lock);
    lock.unlock();
    if (call.code != Errc::kOk) throw Error(call.code, call.fault);
  }

  /// Runs a batch of `call` and the calls that wait. The first of those that still wait then leads.
  void lead(CallQueues::iterator queue, Call& call, std::unique_lock<std::mutex>& lock) const {
    CallQueue& waiting = queue->second;

    // The batch takes all that wait, and runs without the lock, so that others may queue up
    // meanwhile.
    CallBatch batch(call);
    batch.move_from(waiting);

    lock.unlock();
    batch.run(*inner_, queue->first);
    lock.lock();

    // Each follower is woken under the lock: its call, on its own stack, ends as soon as it sees
    // this.
    for (Call* const follower : batch.followers()) {
      follower->turn = Call::Turn::kIsDone;
      follower->wake.notify_one();
    }

    // Without anybody who waits, the queue goes, and the next call of this key leads. Otherwise the
    // first that waits leads, and what comes meanwhile queues up behind the rest.
    if (waiting.empty()) {
      queues_.erase(queue);
      return;
    }

    waiting.front()->turn = Call::Turn::kLeads;
    waiting.front()->wake.notify_one();
    waiting.pop_front();
  }

  std::unique_ptr<const Backend> inner_;
  mutable std::mutex mutex_;  ///< never held while a batch runs
  mutable CallQueues queues_;
};

}  // namespace

std::unique_ptr<const Backend> coalesce(std::unique_ptr<const Backend> inner) {
  return std::make_unique<CoalescingBackend>(std::move(inner));
}

}  // namespace kindred
