#include "plugin/ranks/deal.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <future>
#include <mutex>
#include <optional>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/ranks/collective.h"

namespace kindred {
namespace {

constexpr std::uint64_t kAsking = 0, kAnswers = 1;  // parts of a step; answers: one for each thread
constexpr std::uint64_t kNone = UINT64_MAX;         // instead of a task

/// What a thread of another rank sends: what it has done, and that it is free.
struct Asking {
  std::uint64_t thread = 0, done = kNone;
};

std::string bytes_of(std::uint64_t number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

std::uint64_t number_of(const std::string& bytes, std::size_t place = 0) {
  std::uint64_t number = 0;
  if (bytes.size() < (place + 1) * sizeof number)
    throw Error(Errc::kInternal, "a rank sent a message that is too short");
  std::memcpy(&number, bytes.data() + place * sizeof number, sizeof number);
  return number;
}

/// What rank 0 knows: which tasks are left, and the results so far.
class Dealer {
 public:
  Dealer(const Tasks& tasks, Journal* journal)
      : tasks_(tasks), journal_(journal), results_(tasks.count) {
    for (std::size_t task = 0; task < tasks.count; ++task) {
      std::optional<std::string> known;
      if (journal != nullptr) known = journal->find(tasks.step, task);
      if (known)
        results_[task] = std::move(*known);
      else
        left_.push_back(task);
    }
    std::reverse(left_.begin(), left_.end());
  }

  std::uint64_t next() {
    const std::lock_guard lock(mutex_);
    if (left_.empty()) return kNone;
    const std::size_t task = left_.back();
    left_.pop_back();
    return task;
  }

  void finish(std::uint64_t task, std::string result) {
    if (task >= results_.size()) throw Error(Errc::kInternal, "a rank did an unknown task");
    if (journal_ != nullptr) journal_->add(tasks_.step, task, result);
    const std::lock_guard lock(mutex_);
    results_[task] = std::move(result);
  }

  /// Deals nothing more: a task failed.
  void stop() {
    const std::lock_guard lock(mutex_);
    left_.clear();
  }

  std::vector<std::string> take() { return std::move(results_); }

 private:
  const Tasks& tasks_;
  Journal* const journal_;
  std::mutex mutex_;
  std::vector<std::size_t> left_;  ///< the next one last
  std::vector<std::string> results_;
};

std::string name_of(const Tasks& tasks, std::size_t task) {
  return tasks.name ? tasks.name(task)
                    : tasks.step + ", part " + std::to_string(task + 1) + " of " +
                          std::to_string(tasks.count);
}

/// Answers the threads of other ranks until each of them has been told that nothing is left.
void serve(Ranks& ranks, std::uint64_t step, std::size_t threads, Dealer& dealer) {
  while (threads > 0) {
    RankMessage message = ranks.receive(channel_of(step, kAsking));
    const std::uint64_t thread = number_of(message.bytes), done = number_of(message.bytes, 1);
    if (done != kNone) dealer.finish(done, message.bytes.substr(sizeof(Asking)));
    const std::uint64_t task = dealer.next();
    ranks.send(message.from, channel_of(step, kAnswers + thread), bytes_of(task));
    if (task == kNone) --threads;
  }
}

/// The work of rank 0: it deals to others and to its own threads.
std::vector<std::string> deal_out(Ranks& ranks, std::uint64_t step, const Tasks& tasks,
                                  std::size_t other_threads, Journal* journal) {
  Dealer dealer(tasks, journal);
  std::future<void> serving;
  if (other_threads > 0) {
    serving =
        run_beside(2, [&, step, other_threads] { serve(ranks, step, other_threads, dealer); });
  }
  const auto compute = [&](std::size_t) {
    try {
      for (std::uint64_t task; (task = dealer.next()) != kNone;) {
        ranks.tell(name_of(tasks, task));
        dealer.finish(task, tasks.work(task));
      }
    } catch (...) {
      dealer.stop();
      throw;
    }
  };
  for_each_task(std::min(tasks.at_once, tasks.count), tasks.at_once, tasks.threads, compute);
  if (serving.valid()) {
    ranks.tell("waiting for the last of: " + tasks.step);
    serving.get();
  }
  return dealer.take();
}

/// The work of another rank.
void take_part(Ranks& ranks, std::uint64_t step, const Tasks& tasks) {
  for_each_task(tasks.at_once, tasks.at_once, tasks.threads, [&](std::size_t thread) {
    std::string asking = bytes_of(thread) + bytes_of(kNone);
    while (true) {
      ranks.send(0, channel_of(step, kAsking), std::move(asking));
      const std::uint64_t task =
          number_of(ranks.receive(channel_of(step, kAnswers + thread)).bytes);
      if (task == kNone) return;
      ranks.tell(name_of(tasks, task));
      asking = bytes_of(thread) + bytes_of(task) + tasks.work(task);
    }
  });
  ranks.tell("waiting for the last of: " + tasks.step);
}

std::string joined(const std::vector<std::string>& results) {
  std::string bytes;
  for (const std::string& result : results) bytes += bytes_of(result.size()) + result;
  return bytes;
}

std::vector<std::string> separated(const std::string& bytes, std::size_t count) {
  std::vector<std::string> results;
  for (std::size_t at = 0; results.size() < count;) {
    if (bytes.size() - at < sizeof(std::uint64_t))
      throw Error(Errc::kInternal, "rank 0 sent too few results");
    const std::uint64_t size = number_of(bytes.substr(at, sizeof(std::uint64_t)));
    results.push_back(bytes.substr(at + sizeof size, size));
    at += sizeof size + results.back().size();
  }
  return results;
}

}  // namespace

std::vector<std::string> deal(Ranks& ranks, const Tasks& tasks, Journal* journal) {
  if (ranks.size() == 1) return deal_out(ranks, 0, tasks, 0, journal);
  const std::vector<std::string> threads = gather(ranks, bytes_of(tasks.at_once));
  const std::uint64_t step = ranks.next_step();
  if (ranks.rank() != 0) {
    take_part(ranks, step, tasks);
    return separated(broadcast(ranks, ""), tasks.count);
  }
  std::size_t other_threads = 0;
  for (std::size_t rank = 1; rank < threads.size(); ++rank)
    other_threads += number_of(threads[rank]);
  std::vector<std::string> results = deal_out(ranks, step, tasks, other_threads, journal);
  broadcast(ranks, joined(results));
  return results;
}

}  // namespace kindred
