// Filters that come again are answered from what a snapshot remembers, within bounds.
#include "plugin/snapshot/filter_cache.h"

#include <xapian.h>
#include <future>

#include "gpu/document_set.h"
#include "plugin/snapshot/current_snapshot.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using Documents = std::shared_ptr<const DocumentSet>;

namespace {

/// A set that has a bit for so many documents.
Documents set_of(std::size_t count) {
  return std::make_shared<const DocumentSet>(std::make_shared<SegmentList>(), RowSet::all(count));
}

/// A database of the small collection, and its current snapshot.
struct Mirrored {
  test::Collection collection;
  MirroredDatabase database{collection.path, nullptr, test::on_cpu()};
  CurrentSnapshot current{database, {}};

  Documents ask(const std::string& filter) { return database.matching(*current.get(), filter); }
};

}  // namespace

TEST_CASE("of more filters than a cache may keep, those go that were not used for longest") {
  FilterCache cache(3, 1 << 20);
  const std::vector<Documents> sets = {set_of(1), set_of(2), set_of(3), set_of(4)};
  cache.keep("a", 0, sets[0]);
  cache.keep("b", 0, sets[1]);
  cache.keep("c", 0, sets[2]);
  CHECK(cache.find("a", 0) == sets[0]);  // used, so "b" is the oldest
  cache.keep("d", 0, sets[3]);
  CHECK(cache.find("b", 0) == nullptr);
  CHECK(cache.find("a", 0) == sets[0]);
  CHECK(cache.find("c", 0) == sets[2]);
  CHECK(cache.find("d", 0) == sets[3]);
  cache.keep("a", 0, sets[1]);  // in the place of its former ones
  CHECK(cache.find("a", 0) == sets[1]);
  CHECK(cache.find("c", 0) == sets[2]);
}

TEST_CASE("the filters of a cache take no more memory than they may") {
  FilterCache cache(1000, 10000);
  CHECK(cache.bytes() == 0);
  for (int i = 0; i < 100; ++i) {
    cache.keep(std::to_string(i), 0, set_of(8000));  // 1,000 bytes
    CHECK(cache.bytes() <= 10000);
  }
  CHECK(cache.bytes() > 7000);
  CHECK(cache.find("99", 0) != nullptr);
  CHECK(cache.find("0", 0) == nullptr);
}

TEST_CASE("a filter that is larger than a cache may be is not kept, and pushes nothing out") {
  FilterCache cache(1000, 10000);
  cache.keep("small", 0, set_of(8));
  cache.keep("large", 0, set_of(800000));
  CHECK(cache.find("large", 0) == nullptr);
  cache.keep(std::string(20000, 'x'), 0, set_of(1));
  CHECK(cache.find("small", 0) != nullptr);
  CHECK(cache.bytes() <= 10000);

  cache.keep("small", 0, set_of(800000));
  CHECK(cache.find("small", 0) == nullptr);
  CHECK(cache.bytes() == 0);
}

TEST_CASE("when the database is opened anew, nothing that is kept is used") {
  FilterCache cache;
  cache.keep("a", 1, set_of(8));
  CHECK(cache.find("a", 2) == nullptr);
  CHECK(cache.bytes() == 0);
  cache.keep("a", 2, set_of(9));
  CHECK(cache.find("a", 2)->count() == 9);
}

TEST_CASE("a filter that comes again to a snapshot is asked of the database once") {
  Mirrored mirrored;
  const Documents first = mirrored.ask("label:animals");
  CHECK(first->numbers() == std::vector<Xapian::docid>{1, 2, 3});
  CHECK(mirrored.ask("label:animals") == first);
  CHECK(mirrored.ask("label:finance") != first);
  CHECK(mirrored.ask("label:animals") == first);
  CHECK(mirrored.current.get()->filters().bytes() > 0);
  CHECK(test::code_of([&] { mirrored.ask("nofield:x"); }) == Errc::kInvalidArgument);
  CHECK(test::code_of([&] { mirrored.ask("nofield:x"); }) == Errc::kInvalidArgument);
}

TEST_CASE("threads that ask for the same filters at once get the same documents") {
  Mirrored mirrored;
  const std::vector<std::string> filters = {"label:animals", "label:finance", "cat",
                                            "budget OR cat"};
  std::vector<std::future<std::vector<Documents>>> threads;
  for (int i = 0; i < 8; ++i) {
    threads.push_back(std::async(std::launch::async, [&] {
      std::vector<Documents> found;
      for (int round = 0; round < 50; ++round)
        for (const std::string& filter : filters) found.push_back(mirrored.ask(filter));
      return found;
    }));
  }
  for (auto& thread : threads) {
    const std::vector<Documents> found = thread.get();
    for (std::size_t i = 0; i < found.size(); ++i)
      REQUIRE(found[i] == mirrored.ask(filters[i % filters.size()]));
  }
}

TEST_CASE("a snapshot that follows another one answers filters by its own documents") {
  Mirrored mirrored;
  const std::shared_ptr<const Snapshot> before = mirrored.current.get();
  const Documents old = mirrored.ask("label:animals");
  test::write(mirrored.collection.path, {test::record("cat3", "a third cat", {"animals"})});
  CHECK(mirrored.ask("label:animals") == old);
  REQUIRE(mirrored.current.refresh());
  CHECK(mirrored.ask("label:animals")->numbers() == std::vector<Xapian::docid>{1, 2, 3, 8});
  CHECK(mirrored.database.matching(*before, "label:animals")->count() == 3);
}

TEST_CASE("memory that remembered filters take is counted in the status") {
  const test::EngineOf engine(test::small_collection(), test::on_cpu());
  const std::uint64_t before = engine.status().bytes;
  CHECK(engine.matching("label:animals").size() == 3);
  const std::uint64_t with_one = engine.status().bytes;
  CHECK(with_one > before);
  CHECK(engine.matching("label:animals").size() == 3);
  CHECK(engine.status().bytes == with_one);
}
