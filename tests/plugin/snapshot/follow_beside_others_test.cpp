// Engines that follow an index while threads ask them, and while others write it.
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>
#include <xapian.h>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <tuple>

#include "config/regular_file.h"
#include "plugin/learning.h"
#include "plugin/tune/tune_report.h"
#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/small_collection.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/fixtures/tuning_collection.h"
#include "tests/plugin/snapshot/changing_database.h"

using namespace kindred;
using test::ChangingDatabase;

namespace {

/// The revision of an answer, the vote, and every label's score with every bit.
using VoteAnswer =
    std::tuple<std::uint64_t, std::string, std::vector<std::pair<std::string, double>>>;

/// Asks for the tags of one text by several votes.
void collect_answers(const Engine& engine, std::set<VoteAnswer>& answers) {
  ClassifyRequest request;
  request.scores = true;
  for (const char* const vote : {"centroid", "profile", "similarity"}) {
    request.vote = vote;
    const Classification found = engine.classify(test::record("", "t1 t2 t3 t17 t30"), request);
    VoteAnswer answer{found.revision, vote, {}};
    for (const Tag& tag : found.scores) std::get<2>(answer).emplace_back(tag.label, tag.confidence);
    answers.insert(std::move(answer));
  }
}

/// Threads that ask an engine until they are stopped, or this is destroyed.
class AskingThreads {
 public:
  explicit AskingThreads(const Engine& engine) {
    for (int i = 0; i < 4; ++i)
      threads_.push_back(std::async(std::launch::async, [&] { return ask(engine); }));
  }
  ~AskingThreads() { done_ = true; }
  AskingThreads(const AskingThreads&) = delete;
  AskingThreads& operator=(const AskingThreads&) = delete;

  /// The answers that each one got. Throws what one of them threw.
  std::vector<std::set<VoteAnswer>> stop() {
    done_ = true;
    std::vector<std::set<VoteAnswer>> answers;
    for (auto& thread : threads_) answers.push_back(thread.get());
    return answers;
  }

 private:
  std::set<VoteAnswer> ask(const Engine& engine) const {
    std::set<VoteAnswer> answers;
    do {
      collect_answers(engine, answers);
      engine.matching("label:k1");  // the snapshot remembers it
      engine.status();
    } while (!done_);
    return answers;
  }

  std::atomic<bool> done_ = false;
  std::vector<std::future<std::set<VoteAnswer>>> threads_;  ///< last: they use the rest
};

/// Tells when somebody opens a file.
class Openings {
 public:
  explicit Openings(const std::string& file) : events_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    REQUIRE(inotify_add_watch(events_, file.c_str(), IN_OPEN) >= 0);
  }

  /// Waits a moment. True if it was opened since the last call.
  bool wait() const {
    constexpr int kPauseMs = 20;
    pollfd waiting{events_, POLLIN, 0};
    if (poll(&waiting, 1, kPauseMs) <= 0) return false;
    char events[4096];
    while (read(events_, events, sizeof events) > 0) continue;
    return true;
  }

 private:
  const OpenFile events_;
};

/// Adds a document to a database and commits, in a thread of its own, whenever wait() is true.
class BusyWriter {
 public:
  BusyWriter(const std::string& path, std::function<bool()> wait)
      : database_(path, Xapian::DB_OPEN | Xapian::DB_NO_SYNC), thread_([this, wait] {
          while (!stopped_)
            if (wait()) write();
        }) {}
  ~BusyWriter() {
    stopped_ = true;
    thread_.join();
  }
  BusyWriter(const BusyWriter&) = delete;
  BusyWriter& operator=(const BusyWriter&) = delete;

  void write() {
    const std::lock_guard lock(mutex_);
    Xapian::Document document;
    document.add_term("Zcat");
    database_.add_document(document);
    database_.commit();
    ++written_;
  }
  std::uint64_t written() const { return written_; }

 private:
  Xapian::WritableDatabase database_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> written_ = 0;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;  // last, for it uses the rest
};

}  // namespace

TEST_CASE_METHOD(
    test::TemporaryPath,
    "threads that ask a tuned engine while it follows get what one from nothing answers") {
  ChangingDatabase changing(path, 34);
  changing.change(400);
  write_tuning(path, tune(Engine(path, test::untuned()), {}).tuning);
  Engine engine(path, test::on_cpu(2));
  AskingThreads threads(engine);
  std::set<VoteAnswer> expected;
  for (int step = 0; step < 20; ++step) {
    collect_answers(Engine(path, test::on_cpu(2)), expected);
    changing.change(3);
    engine.refresh();
  }
  collect_answers(Engine(path, test::on_cpu(2)), expected);
  for (const std::set<VoteAnswer>& answers : threads.stop()) {
    CHECK_FALSE(answers.empty());
    CHECK(std::includes(expected.begin(), expected.end(), answers.begin(), answers.end()));
  }
}

TEST_CASE("a stub of many shards is followed though one moves on whenever another is looked at") {
  constexpr int kShards = 24;
  const test::StubOfShards stub(kShards);
  test::write(stub.path, test::small_collection());
  std::string read_again;
  Engine engine(stub.path, test::on_cpu(1), [&](const std::string& message) {
    if (message.find("are read again") != std::string::npos) read_again = message;
  });
  const std::uint64_t before = engine.status().documents;

  const Openings openings(stub.shard(kShards - 1) + "/termlist.glass");
  BusyWriter writer(stub.shard(0), [&] { return openings.wait(); });
  for (int look = 0; look < 10; ++look) {
    writer.write();
    const std::uint64_t at_least = before + writer.written();
    CHECK(engine.refresh());
    CHECK(engine.status().documents >= at_least);
  }
  CHECK(read_again.empty());
}

TEST_CASE("a stub of many shards is opened while one is written") {
  constexpr int kShards = 24;
  const test::StubOfShards stub(kShards);
  for (int i = 0; i < kShards; ++i) {
    Xapian::WritableDatabase shard(stub.shard(i), Xapian::DB_OPEN);
    for (int docid = 0; docid < 400; ++docid) {
      Xapian::Document document;
      for (int term = 0; term < 60; ++term)
        document.add_term("Z" + std::to_string((docid * 61 + term * term * 7) % 5000));
      shard.add_document(document);
    }
  }
  BusyWriter writer(stub.shard(0), [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return true;
  });
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t at_least = kShards * 400 + writer.written();
    CHECK(Engine(stub.path, test::on_cpu(1)).status().documents >= at_least);
  }
}
