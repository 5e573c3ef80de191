// The queue between the caller of ingest and the thread that writes.
#include "plugin/writing/ingest_queue.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "tests/fixtures/catch.h"
#include "tests/fixtures/error_code.h"

using namespace kindred;
using Kind = IngestQueue::Next::Kind;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t kMuch = std::size_t{1} << 30;

IncomingRecord incoming(std::string id, std::size_t bytes = 1) {
  IncomingRecord record;
  record.record.id = std::move(id);
  record.bytes = bytes;
  return record;
}

void analyze(IncomingRecord& record) { record.parsed = true; }

template <typename Work>
std::future<void> beside(Work work) {
  return std::async(std::launch::async, std::move(work));
}

bool waits(const std::future<void>& call) {
  return call.wait_for(milliseconds(50)) == std::future_status::timeout;
}

/// Fails the queue at the end of the scope, so that no thread of a test that fails waits for ever.
struct Ending {
  IngestQueue& queue;
  ~Ending() { queue.close(true); }
};

}  // namespace

TEST_CASE("records come out in the order in which they came, whoever analyzes them") {
  std::atomic<int> calls = 0;
  IngestQueue queue(16, kMuch, [&](IncomingRecord& record) {
    if (++calls % 7 == 0) std::this_thread::sleep_for(milliseconds(1));
    record.parsed = true;
  });
  std::vector<std::future<void>> threads;
  for (int i = 0; i < 3; ++i) threads.push_back(beside([&] { queue.analyze_all(); }));
  threads.push_back(beside([&] {
    for (int i = 0; i < 1000; ++i) queue.push(incoming(std::to_string(i)));
    queue.close(false);
  }));
  std::vector<std::string> ids;
  bool analyzed = true;
  while (true) {
    const IngestQueue::Next next = queue.take({});
    if (next.kind != Kind::kRecord) break;
    ids.push_back(next.incoming->record.id);
    analyzed = analyzed && next.incoming->parsed;
  }
  for (auto& thread : threads) thread.get();
  CHECK(analyzed);
  CHECK(calls == 1000);
  REQUIRE(ids.size() == 1000);
  for (int i = 0; i < 1000; ++i) REQUIRE(ids[static_cast<std::size_t>(i)] == std::to_string(i));
}

TEST_CASE("whoever adds to a queue that is full waits until a record is taken") {
  const bool by_bytes = GENERATE(false, true);
  IngestQueue queue(by_bytes ? 100 : 3, by_bytes ? 30 : kMuch, analyze);
  std::future<void> more;
  const Ending ending{queue};
  for (int i = 0; i < 3; ++i) queue.push(incoming("x", 10));
  more = beside([&] {
    try {
      queue.push(incoming("y", 10));
    } catch (const Error&) {  // of Ending
    }
  });
  CHECK(waits(more));
  CHECK(queue.take({}).incoming->record.id == "x");
  CHECK(more.wait_for(std::chrono::seconds(30)) == std::future_status::ready);
}

TEST_CASE("a record that is longer than the queue may hold waits in it alone") {
  IngestQueue queue(100, 30, analyze);
  queue.push(incoming("long", 1000));
  CHECK(queue.take({}).incoming->record.id == "long");
  queue.push(incoming("short", 1));
}

TEST_CASE("a commit comes after all records that were added before, and ends when it is done") {
  IngestQueue queue(100, kMuch, analyze);
  std::future<void> commit;
  const Ending ending{queue};
  queue.push(incoming("a"));
  commit = beside([&] { queue.commit(); });
  CHECK(queue.take({}).incoming->record.id == "a");
  CHECK(queue.take({}).kind == Kind::kCommit);
  CHECK(waits(commit));
  queue.committed();
  commit.get();
}

TEST_CASE("a deadline comes where no record does, and where more come than are analyzed") {
  IngestQueue queue(100, kMuch, analyze);
  CHECK(queue.take(IngestQueue::Clock::now() + milliseconds(20)).kind == Kind::kTime);
  queue.push(incoming("a"));
  CHECK(queue.take(IngestQueue::Clock::now() - milliseconds(1)).kind == Kind::kTime);
  CHECK(queue.take(IngestQueue::Clock::now() + std::chrono::hours(1)).kind == Kind::kRecord);
}

TEST_CASE("a failure of any thread reaches all that wait, and those that come later") {
  IngestQueue queue(1, kMuch, analyze);
  queue.push(incoming("a"));
  const auto caller = beside([&] {
    try {
      queue.push(incoming("b"));
    } catch (const Error&) {
      return;
    }
    std::terminate();
  });
  CHECK(waits(caller));
  queue.fail(std::make_exception_ptr(Error(Errc::kDatabase, "the disk is full")));
  caller.wait();
  CHECK(test::code_of([&] { queue.push(incoming("c")); }, "disk") == Errc::kDatabase);
  CHECK(test::code_of([&] { queue.commit(); }, "disk") == Errc::kDatabase);
  CHECK(test::code_of([&] { queue.take({}); }, "disk") == Errc::kDatabase);
  queue.analyze_all();  // ends at once
}

TEST_CASE("what analysis throws is a failure, and is not lost") {
  IngestQueue queue(10, kMuch,
                    [](IncomingRecord&) { throw Error(Errc::kInternal, "analysis has failed"); });
  queue.push(incoming("a"));
  queue.analyze_all();
  CHECK(test::code_of([&] { queue.take({}); }, "analysis") == Errc::kInternal);
  CHECK(test::code_of([&] { queue.commit(); }, "analysis") == Errc::kInternal);
}
