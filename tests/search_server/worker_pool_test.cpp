#include "http/worker_pool.h"

#include <atomic>
#include <future>

#include "tests/fixtures/catch.h"

using search_server::WorkerPool;
using std::chrono::milliseconds;

TEST_CASE("a pool takes as many tasks as it has threads and places in its queue") {
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  std::atomic<int> done{0};
  WorkerPool pool(2, 3);
  const auto task = [&] {
    open.wait();
    ++done;
  };
  int taken = 0;
  while (pool.submit(task)) ++taken;
  CHECK(taken == 5);
  gate.set_value();
  while (done < 5) std::this_thread::yield();
  CHECK(pool.waiting() == 0);
}

TEST_CASE("tasks for later run in the order of their times, whatever the queue holds") {
  WorkerPool pool(1, 0);
  std::promise<std::string> all;
  std::string order;
  pool.submit_after(milliseconds(60), [&] { all.set_value(order + "c"); });
  pool.submit_after(milliseconds(30), [&] { order += "b"; });
  pool.submit_after(milliseconds(0), [&] { order += "a"; });
  CHECK(all.get_future().get() == "abc");
}

TEST_CASE("a stopped pool has ended what ran, dropped what waited, and takes nothing") {
  std::promise<void> running;
  std::atomic<int> done{0};
  WorkerPool pool(1, 10);
  pool.submit([&] {
    running.set_value();
    std::this_thread::sleep_for(milliseconds(20));
    ++done;
  });
  running.get_future().wait();
  for (int i = 0; i < 5; ++i) pool.submit([&] { ++done; });
  pool.submit_after(milliseconds(1), [&] { ++done; });
  pool.stop();
  CHECK(done == 1);
  CHECK_FALSE(pool.submit([&] { ++done; }));
  pool.submit_after(milliseconds(0), [&] { ++done; });
  pool.stop();
  CHECK(done == 1);
}
