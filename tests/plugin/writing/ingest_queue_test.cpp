// The queue between the caller of ingest and the thread that writes, and what that thread does
// before it classifies.
#include "plugin/writing/ingest_queue.h"

#include <exception>
#include <future>

#include "plugin/writing/wave_tagger.h"
#include "tests/fixtures/error_code.h"

using namespace kindred;
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

TEST_CASE("the engine is refreshed when that is cheap, or when an eighth of the voters is new") {
  VoterCounts counts = {.asks = true, .is_ready = true, .voters = 800};
  CHECK(next_step(counts) == VoterStep::kNone);
  counts.committed = true;
  CHECK(next_step(counts) == VoterStep::kNone);
  counts.in_proportion = true;
  CHECK(next_step(counts) == VoterStep::kRefresh);
  counts.lacking = 99;
  CHECK(next_step(counts) == VoterStep::kRefresh);
  counts.lacking = 100;
  CHECK(next_step(counts) == VoterStep::kCommit);
  counts.asks = false;
  CHECK(next_step(counts) == VoterStep::kNone);
  CHECK(next_step({.asks = true, .own = 3}) == VoterStep::kCommit);
  CHECK(next_step({.asks = true, .is_ready = true, .own = 3}) == VoterStep::kWriteLabeled);
  CHECK(next_step({.asks = true, .is_ready = true}) == VoterStep::kNone);
}
