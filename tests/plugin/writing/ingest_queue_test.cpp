// The queue between the caller of ingest and the thread that writes.
#include "plugin/writing/ingest_queue.h"

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
  ~Ending() { queue.fail(std::make_exception_ptr(Error(Errc::kCanceled, "the end"))); }
};

}  // namespace

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
  queue.ask_commit();
  commit = beside([&] { queue.wait_for_commit(); });
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
