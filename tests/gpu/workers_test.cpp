#include "gpu/workers.h"

#include <condition_variable>

#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

/// The most of something that was ever under way at once.
class Most {
 public:
  class Under {
   public:
    explicit Under(Most& most) : most_(most) {
      const std::size_t now = ++most_.now_;
      std::size_t known = most_.most_;
      while (known < now && !most_.most_.compare_exchange_weak(known, now)) {
      }
    }
    ~Under() { --most_.now_; }
    Under(const Under&) = delete;
    Under& operator=(const Under&) = delete;

   private:
    Most& most_;
  };

  std::size_t most() const { return most_; }

 private:
  std::atomic<std::size_t> now_ = 0, most_ = 0;
};

/// Waits until so many threads wait here, or for a long time.
class Meeting {
 public:
  explicit Meeting(std::size_t threads) : missing_(threads) {}

  bool join() {
    std::unique_lock lock(mutex_);
    if (--missing_ == 0) changed_.notify_all();
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return missing_ == 0; });
  }

 private:
  std::size_t missing_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace

TEST_CASE("every task, and every item of the loops within, is done once") {
  for (const std::size_t threads : {1, 2, 3, 8}) {
    for (const std::size_t at_once : {1, 2, 8}) {
      std::vector<std::atomic<int>> done(7 * 50);
      for_each_task(7, at_once, threads, [&](std::size_t task) {
        for_each_item(50, 8, [&](std::size_t item) { ++done[task * 50 + item]; });
      });
      for (const std::atomic<int>& times : done) CHECK(times == 1);
    }
  }
}

TEST_CASE("threads without a task help in the loops of a task") {
  Meeting meeting(4);
  std::atomic<std::size_t> met = 0;
  for_each_task(1, 1, 4, [&](std::size_t) {
    for_each_item(4, 4, [&](std::size_t) { met += meeting.join(); });
  });
  CHECK(met == 4);
}

TEST_CASE("no more threads run, and no more tasks at once, than were asked for") {
  Most tasks, items;
  for_each_task(20, 2, 3, [&](std::size_t) {
    const Most::Under task(tasks);
    for_each_item(20, 16, [&](std::size_t) {
      const Most::Under item(items);
      for_each_item(5, 16, [](std::size_t) {});
    });
  });
  CHECK(tasks.most() <= 2);
  CHECK(items.most() <= 3);
}

TEST_CASE("what an item throws ends its loop and its task, and is thrown to the caller") {
  std::atomic<std::size_t> begun = 0;
  const auto fail = [&] {
    for_each_task(1000, 2, 3, [&](std::size_t) {
      ++begun;
      for_each_item(10, 3, [](std::size_t item) {
        if (item == 5) throw std::runtime_error("item 5");
      });
    });
  };
  CHECK_THROWS_AS(fail(), std::runtime_error);
  CHECK(begun < 1000);
}

TEST_CASE("tasks within a task share its threads") {
  Most items;
  std::atomic<std::size_t> done = 0;
  for_each_task(3, 3, 2, [&](std::size_t) {
    for_each_task(4, 4, 8, [&](std::size_t) {
      const Most::Under item(items);
      ++done;
    });
  });
  CHECK(done == 12);
  CHECK(items.most() <= 2);
}
