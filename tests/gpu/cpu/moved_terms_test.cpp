// The rows that hold terms are found among all rows, and then in lists of rare terms, also while
// rows are replaced, added and removed, and while the lists are made.
#include "gpu/cpu/mirror/moved_terms.h"

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "tests/fixtures/catch.h"
#include "tests/fixtures/random_csr.h"

namespace kindred {
namespace {

using cpu::MovedTerm;

constexpr std::size_t kAnyNumber = 1 << 20;

/// A mirror that changes, and what is known of it.
class SearchedMirror {
 public:
  explicit SearchedMirror(std::size_t threads = 2)
      : threads_(threads), mirror_(draw(4000).view(), {}, 2) {
    known_.least_entries = 0;
    for (std::size_t count = 0; count < tf_.size(); ++count)
      tf_[count] = static_cast<double>(count);
  }

  /// Appends rows, replaces half as many, and removes ten.
  void change(std::uint32_t rows) {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t row = 0; row < rows / 2; ++row)
      numbers.push_back(2 * row + static_cast<std::uint32_t>(random_() % 2));
    for (std::uint32_t row = 0; row < rows; ++row) numbers.push_back(mirror_.rows() + row);
    RowSet dead(mirror_.rows() + rows);
    for (int i = 0; i < 10; ++i) dead.set(random_() % mirror_.rows());
    const Csr& added = draw(static_cast<std::uint32_t>(numbers.size()));
    mirror_ = mirror_.changed({added.view(), {}, numbers.data(), &dead}, 2);
  }

  /// So many of every hundred terms, also some that nothing holds.
  std::vector<MovedTerm> terms(std::uint32_t share) {
    std::vector<MovedTerm> terms;
    for (std::uint32_t term = 0; term < mirror_.columns(); ++term)
      if (random_() % 100 < share) terms.push_back({term, 1.0 + term, kMost});
    return terms;
  }

  auto find(const std::vector<MovedTerm>& terms, std::size_t most = kAnyNumber) {
    return cpu::rows_of(terms, mirror_, tf_, lists_, most, threads_, known_);
  }

  /// Finds the rows of terms, with what these add to each.
  void check(const std::vector<MovedTerm>& terms) {
    const auto found = find(terms);
    REQUIRE(found.has_value());
    std::map<std::uint32_t, Added> expected = by_definition(terms);
    for (const auto& [place, added] : *found) {
      expected[place].found += added;
      --expected[place].entries;
    }
    std::size_t wrong = 0;
    for (const auto& [place, row] : expected)
      wrong += row.entries == 0 && row.least <= row.found && row.found <= row.most ? 0 : 1;
    CHECK(wrong == 0);
  }

  /// The lists, when they are made; null if none are.
  std::shared_ptr<const cpu::RareHolders> rare() const {
    if (known_.making != nullptr) known_.making->wait();
    return known_.latest();
  }
  bool has_lists() const { return known_.rare != nullptr; }  ///< that the next search uses
  bool is_making() const { return known_.making != nullptr; }
  /// Terms that are not rare are asked for in lists, which are counted; they know none.
  void ask_lists(int& asked) {
    lists_ = {[&asked](std::uint32_t, std::size_t, auto&) { return ++asked < 0; }, 0};
  }

 private:
  static constexpr double kMost = 1e14;               // of a term whose count is not known
  static constexpr std::uint32_t kCertainCount = 63;  // is in the lists of rare terms

  struct Added {
    int entries = 0;
    double least = 0, most = 0, found = 0;
  };

  const Csr& draw(std::uint32_t rows) {
    return drawn_.emplace_back(
        test::random_csr({.rows = rows, .columns = columns_ += 100, .mean_length = 20}, random_()));
  }

  std::map<std::uint32_t, Added> by_definition(const std::vector<MovedTerm>& terms) const {
    std::map<std::uint32_t, const MovedTerm*> wanted;
    for (const MovedTerm& moved : terms) wanted[moved.term] = &moved;
    std::map<std::uint32_t, Added> rows;
    mirror_.for_each(0, mirror_.places(), [&](std::uint32_t place, const auto& entries) {
      for (std::size_t i = 0; i < entries.size; ++i) {
        const auto moved = wanted.find(entries.column[i]);
        if (moved == wanted.end()) continue;
        const double tf = tf_[entries.count[i]], added = tf * tf * moved->second->square;
        Added& row = rows[place];
        ++row.entries;
        row.least += added;
        row.most += entries.count[i] <= kCertainCount ? added : kMost;
      }
    });
    return rows;
  }

  std::mt19937_64 random_{7};
  const std::size_t threads_;
  std::uint32_t columns_ = 3000;
  std::list<Csr> drawn_;
  cpu::MirrorRows mirror_;
  std::vector<double> tf_ = std::vector<double>(kMaxCount + 1);
  cpu::HolderLists lists_;
  cpu::KnownHolders known_;
};

TEST_CASE("rows of terms are found while a mirror changes", "[moved_terms]") {
  SearchedMirror mirror;
  for (int i = 0; i < 12; ++i) {
    CAPTURE(i);
    mirror.check(mirror.terms(i % 4 == 3 ? 100 : 5));
    CHECK((mirror.rare() != nullptr) == (i > 0));
    mirror.change(100);
  }
}

TEST_CASE("lists of rare terms are made beside those who search", "[moved_terms]") {
  SearchedMirror mirror;
  for (int i = 0; i < 8; ++i) {
    CAPTURE(i);
    mirror.check(mirror.terms(5));
    CHECK((mirror.has_lists() || mirror.is_making()) == (i > 0));
    mirror.change(20);  // does not wait for them
  }
}

TEST_CASE("a mirror may go while its lists are made", "[moved_terms]") {
  for (int i = 0; i < 20; ++i) {
    SearchedMirror mirror;
    for (int search = 0; search < 2; ++search) REQUIRE(mirror.find(mirror.terms(5)).has_value());
  }
}

TEST_CASE("where there is one thread, lists are made by who searches", "[moved_terms]") {
  SearchedMirror mirror(1);
  for (int i = 0; i < 3; ++i) {
    CAPTURE(i);
    mirror.check(mirror.terms(5));
    CHECK(mirror.has_lists() == (i > 0));
    mirror.change(100);
  }
}

TEST_CASE("rare terms are listed once, and again when many rows have come", "[moved_terms]") {
  SearchedMirror mirror;
  for (int i = 0; i < 2; ++i) mirror.check(mirror.terms(5));
  REQUIRE(mirror.rare() != nullptr);
  const std::uint32_t places = mirror.rare()->places();
  mirror.change(100);
  mirror.check(mirror.terms(5));
  CHECK(mirror.rare()->places() == places);
  mirror.change(1000);
  mirror.check(mirror.terms(5));
  CHECK(mirror.rare()->places() > places + 1000);
}

TEST_CASE("of terms in lists, only others are asked for elsewhere", "[moved_terms]") {
  SearchedMirror mirror;
  for (int i = 0; i < 2; ++i) mirror.check(mirror.terms(5));
  REQUIRE(mirror.rare() != nullptr);
  int asked = 0;
  mirror.ask_lists(asked);
  std::vector<MovedTerm> terms = mirror.terms(100);
  mirror.check({terms.end() - 200, terms.end()});
  CHECK(asked == 0);
  mirror.check({terms.begin(), terms.begin() + 5});
  CHECK(asked == 1);
}

TEST_CASE("no rows are given where they would be too many", "[moved_terms]") {
  SearchedMirror mirror;
  const std::vector<MovedTerm> terms = mirror.terms(5);
  const std::size_t rows = mirror.find(terms)->size();
  for (int i = 0; i < 2; ++i) {
    CAPTURE(i);
    CHECK(mirror.find(terms, rows).has_value());
    CHECK(!mirror.find(terms, rows - 1));
    CHECK(!mirror.find(terms, 0));
  }
  CHECK(mirror.rare() != nullptr);
}

}  // namespace
}  // namespace kindred
