#include "plugin/snapshot/snapshot.h"

#include <xapian.h>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/mirror/following/document_changes.h"
#include "plugin/mirror/following/mirror_growth.h"
#include "plugin/mirror/reading/mirror_reader.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/temporary_directory.h"

using kindred::DocumentChanges;
using kindred::grown_mirror;
using kindred::Mirror;
using kindred::Neighbor;
using kindred::Queries;
using kindred::read_mirror;
using kindred::ReadHolders;
using kindred::Settings;
using kindred::Snapshot;

namespace {

constexpr std::uint32_t kDocuments = 3000;

/// Documents of two common terms and a heavy one of their own, whose lengths are close together.
class OwnTerms {
 public:
  OwnTerms() : database_(directory_ / "db", Xapian::DB_CREATE_OR_OVERWRITE) {
    for (std::uint32_t i = 0; i < kDocuments; ++i) database_.add_document(document(i));
    database_.commit();
  }

  void add_one() {
    database_.add_document(document(17));  // another one that has its term
    database_.commit();
  }

  const Xapian::Database& database() const { return database_; }

  bool read(const std::string& term, std::vector<Xapian::docid>& docids) {
    ++asked_;
    for (auto it = database_.postlist_begin(term); it != database_.postlist_end(term); ++it)
      docids.push_back(*it);
    return true;
  }
  int asked() const { return asked_; }

 private:
  static Xapian::Document document(std::uint32_t i) {
    Xapian::Document result;
    result.add_term("Zown" + std::to_string(i), 10 + i % 53);
    result.add_term("Zthird" + std::to_string(i % 3));
    result.add_term("Zfifth" + std::to_string(i % 5));
    return result;
  }

  kindred::test::TemporaryDirectory directory_;
  Xapian::WritableDatabase database_;
  int asked_ = 0;
};

/// The neighbors of documents that have the common terms of number 17, and those of some others.
std::vector<std::vector<Neighbor>> answers_of(const Snapshot& snapshot) {
  Queries queries;
  for (const std::uint32_t row : {32u, 47u, 100u, 2999u})
    snapshot.weigh_row(row, snapshot.weighting(), queries);
  std::vector<std::vector<Neighbor>> answers;
  for (std::size_t k = 1; k < 200; k += 3)
    answers.push_back(snapshot.backend().nearest(queries, k));
  return answers;
}

}  // namespace

TEST_CASE("what is said of the rows that hold a term is believed only if it can be proven",
          "[snapshot]") {
  OwnTerms database;
  const Settings settings;
  const Snapshot before(read_mirror(database.database(), settings), settings);
  database.add_one();
  DocumentChanges changes(before.mirror(), settings);
  changes.read(database.database(), kDocuments + 1);
  const std::optional<Mirror> grown =
      grown_mirror(before.mirror(), changes, database.database(), settings);
  REQUIRE(grown);
  const auto expected = answers_of(Snapshot(read_mirror(database.database(), settings), settings));
  const auto read = [&](const std::string& term, auto& docids) {
    return database.read(term, docids);
  };
  const std::vector<ReadHolders> said{{},
                                      read,
                                      [](const std::string&, auto&) { return false; },
                                      [](const std::string&, auto&) { return true; },
                                      [&](const std::string& term, auto& docids) {
                                        read(term, docids);
                                        docids.pop_back();
                                        return true;
                                      },
                                      [&](const std::string& term, auto& docids) {
                                        read(term, docids);
                                        docids.front() = 2000;
                                        return true;
                                      },
                                      [&](const std::string& term, auto& docids) {
                                        read(term, docids);
                                        docids.back() = kDocuments + 500;
                                        return true;
                                      }};
  for (std::size_t i = 0; i < said.size(); ++i) {
    CAPTURE(i);
    const Snapshot after(*grown, settings, {}, {}, nullptr, &before, said[i]);
    CHECK((answers_of(after) == expected));
  }
  CHECK(database.asked() > 1);
}
