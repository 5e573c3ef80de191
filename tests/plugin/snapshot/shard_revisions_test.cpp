// Which revision of which shard answers are from.
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>
#include <xapian.h>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

#include "config/regular_file.h"
#include "plugin/writing/tagging.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/tagged_document.h"

using namespace kindred;

namespace {

/// A stub of three shards with documents.
struct Shards : test::StubOfShards {
  Shards() : StubOfShards(3) { test::write(path, test::small_collection()); }

  /// What Xapian says of each shard.
  std::vector<ShardRevision> now() const {
    std::vector<ShardRevision> all;
    for (int i = 0; i < 3; ++i) {
      const Xapian::Database database(shard(i));
      all.push_back({database.get_uuid(), database.get_revision()});
    }
    return all;
  }
  /// Somebody commits to one shard, or replaces a document of it by another.
  void commit(int i) const {
    Xapian::WritableDatabase writer(shard(i), Xapian::DB_OPEN);
    writer.set_metadata("commits", std::to_string(writer.get_revision()));
  }
  void write(int i) const {
    Xapian::WritableDatabase writer(shard(i), Xapian::DB_OPEN);
    Xapian::Document document;
    document.add_term("Zcat");
    writer.add_document(document);
  }
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

const Record kCat = test::record("", "cat");

}  // namespace

TEST_CASE("answers from several shards name the revision of each") {
  const Shards shards;
  Engine engine(shards.path, test::on_cpu(1));
  const auto before = shards.now();
  REQUIRE(engine.status().shards);
  CHECK(*engine.status().shards == before);
  CHECK(engine.status().revision == 0);
  shards.write(1);
  CHECK(*engine.related(test::like({kCat})).shards == before);
  CHECK(engine.refresh());
  const auto now = shards.now();
  CHECK(now[0] == before[0]);
  CHECK(now[1].revision > before[1].revision);
  CHECK(*engine.status().shards == now);
  CHECK(*engine.related(test::like({kCat})).shards == now);
  CHECK(*engine.classify(test::record("", "cat")).shards == now);
  CandidatesRequest candidates;
  candidates.label = "pets";
  CHECK(*engine.candidates(candidates).shards == now);
  CHECK(*engine.duplicates().shards == now);
  CHECK(*engine.suspects({}).shards == now);
  CHECK(*tag_documents(engine, {}).shards == now);
}

TEST_CASE("a commit that changes no document moves the revision of its shard") {
  const Shards shards;
  Engine engine(shards.path, test::on_cpu(1));
  shards.commit(2);
  CHECK(engine.refresh());
  CHECK(*engine.status().shards == shards.now());
  CHECK_FALSE(engine.refresh());
}

TEST_CASE("a saved mirror knows the revisions of its shards") {
  const Shards shards;
  Engine(shards.path, test::on_cpu(1)).save_mirror();
  CHECK(*Engine(shards.path, test::on_cpu(1)).status().shards == shards.now());
  shards.write(0);
  CHECK(*Engine(shards.path, test::on_cpu(1)).status().shards == shards.now());
}

TEST_CASE("one database has no revisions of shards") {
  const Shards shards;
  const Engine engine(shards.shard(0), test::on_cpu(1));
  CHECK_FALSE(engine.status().shards);
  CHECK(engine.status().revision == shards.now()[0].revision);
}

TEST_CASE("shards that the caller has opened do not tell their revisions") {
  const Shards shards;
  const Engine engine(Xapian::Database(shards.path), test::on_cpu(1));
  std::vector<ShardRevision> expected = shards.now();
  for (ShardRevision& shard : expected) shard.revision = 0;
  CHECK(*engine.status().shards == expected);
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
