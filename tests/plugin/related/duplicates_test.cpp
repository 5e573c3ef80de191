// Near-duplicates, through the C++ face, and by brute force over all pairs.
#include "plugin/related/duplicate_search.h"

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using test::code_of;
using test::record;

namespace {

using Counts = std::map<std::string, std::uint32_t>;

/// The document d<number>, with these features.
Record counted(std::size_t number, const Counts& counts, std::vector<std::string> labels = {}) {
  Record r = record("d" + std::to_string(number), "", std::move(labels));
  r.terms.emplace();
  for (const auto& [term, count] : counts) r.terms->push_back({term, count});
  return r;
}

Counts random_counts(std::mt19937_64& random) {
  Counts counts;
  const std::size_t terms = 8 + random() % 12;
  while (counts.size() < terms)
    counts.emplace("w" + std::to_string(random() % 70), 1 + static_cast<unsigned>(random() % 4));
  return counts;
}

/// Random documents. Of ten, two have the features of an earlier one, and two have them but for one
/// word.
std::vector<Counts> planted_collection(std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<Counts> all;
  for (std::size_t i = 0; i < count; ++i) {
    Counts counts = random_counts(random);
    if (i >= 10 && i % 10 < 4) counts = all[random() % i];
    if (i >= 10 && i % 10 < 2) {
      counts.erase(counts.begin());
      counts["changed" + std::to_string(random() % 30)] = 1;
    }
    all.push_back(std::move(counts));
  }
  return all;
}

std::vector<Record> records_of(const std::vector<Counts>& documents) {
  std::vector<Record> records;
  records.reserve(documents.size());
  for (const Counts& counts : documents) records.push_back(counted(records.size(), counts));
  return records;
}

/// What a group must be, as numbers of documents.
struct ExpectedGroup {
  std::vector<std::size_t> members;
  double least = 2, greatest = 0;
};

/// Cosines under the weighting ltc, of all pairs.
class BruteForce {
 public:
  explicit BruteForce(const std::vector<Counts>& documents) {
    std::map<std::string, double> df;
    for (const Counts& counts : documents)
      for (const auto& entry : counts) ++df[entry.first];
    for (const Counts& counts : documents) {
      std::map<std::string, double> vector;
      double square = 0;
      for (const auto& [term, count] : counts) {
        const double weight =
            (1 + std::log(count)) * std::log(static_cast<double>(documents.size()) / df[term]);
        vector[term] = weight;
        square += weight * weight;
      }
      for (auto& entry : vector) entry.second /= std::sqrt(square);
      vectors_.push_back(std::move(vector));
    }
  }

  /// The groups, in the order of the answer. No pair may be too near to the threshold to tell.
  std::vector<ExpectedGroup> groups(double threshold) const {
    const std::size_t size = vectors_.size();
    std::vector<std::size_t> set(size);
    for (std::size_t i = 0; i < size; ++i) set[i] = i;
    std::vector<std::pair<std::size_t, double>> pairs;
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const double cosine = std::min(1.0, dot(a, b));
        if (cosine < 1 - 1e-9) REQUIRE(std::abs(cosine - threshold) > 1e-7);
        if (cosine < threshold - 1e-7) continue;
        pairs.emplace_back(a, cosine);
        const std::size_t from = set[a], to = set[b];
        std::replace(set.begin(), set.end(), from, to);
      }
    }
    std::map<std::size_t, ExpectedGroup> by_set;
    for (std::size_t i = 0; i < size; ++i) by_set[set[i]].members.push_back(i);
    for (const auto& [member, cosine] : pairs) {
      ExpectedGroup& group = by_set[set[member]];
      group.least = std::min(group.least, cosine);
      group.greatest = std::max(group.greatest, cosine);
    }
    std::vector<ExpectedGroup> groups;
    for (auto& [root, group] : by_set)
      if (group.members.size() > 1) groups.push_back(std::move(group));
    std::sort(groups.begin(), groups.end(), [](const ExpectedGroup& a, const ExpectedGroup& b) {
      return a.members.size() != b.members.size() ? a.members.size() > b.members.size()
                                                  : a.members < b.members;
    });
    return groups;
  }

 private:
  double dot(std::size_t a, std::size_t b) const {
    double sum = 0;
    for (const auto& [term, weight] : vectors_[a]) {
      const auto found = vectors_[b].find(term);
      if (found != vectors_[b].end()) sum += weight * found->second;
    }
    return sum;
  }

  std::vector<std::map<std::string, double>> vectors_;
};

DuplicatesRequest at(double threshold, std::string filter = "") {
  DuplicatesRequest request;
  request.min_similarity = threshold;
  request.filter = std::move(filter);
  request.limit = std::numeric_limits<std::int64_t>::max();
  return request;
}

std::vector<std::string> ids_of(const api::DuplicateGroup& group) {
  std::vector<std::string> ids;
  for (const api::Duplicate& document : group.documents) ids.push_back(document.id);
  return ids;
}

void check_equal(const api::DuplicatesAnswer& a, const api::DuplicatesAnswer& b) {
  CHECK(a.examined == b.examined);
  CHECK(a.found == b.found);
  CHECK(a.grouped == b.grouped);
  REQUIRE(a.groups.size() == b.groups.size());
  for (std::size_t i = 0; i < a.groups.size(); ++i) {
    CHECK(ids_of(a.groups[i]) == ids_of(b.groups[i]));
    CHECK(a.groups[i].least_similarity == b.groups[i].least_similarity);
    CHECK(a.groups[i].greatest_similarity == b.groups[i].greatest_similarity);
  }
}

/// Three documents, of which the second is like the first and like the third.
std::vector<Record> chain() {
  std::vector<Record> records;
  for (std::size_t i = 0; i < 3; ++i) {
    Counts counts;
    for (std::size_t word = 0; word < 10; ++word)
      counts["chain" + std::to_string(10 + 2 * i + word)] = 1;
    records.push_back(counted(9000 + i, counts, {i == 1 ? "middle" : "end"}));
  }
  return records;
}

}  // namespace

TEST_CASE("duplicates are the connected components of all pairs down to the threshold", "[slow]") {
  const std::vector<Counts> documents = planted_collection(400);
  const test::EngineOf engine(records_of(documents));
  const BruteForce brute_force(documents);
  for (const double threshold : {0.05, 0.45, 0.6, 0.8, 0.9, 0.95, 0.99, 1.0}) {
    CAPTURE(threshold);
    const std::vector<ExpectedGroup> expected = brute_force.groups(threshold);
    const api::DuplicatesAnswer report = engine.duplicates(at(threshold));
    CHECK(report.revision == engine.status().revision);
    CHECK(report.examined == documents.size());
    CHECK(report.found == expected.size());
    CHECK(expected.size() >= (threshold < 0.1 ? 1 : 10));
    REQUIRE(report.groups.size() == expected.size());
    std::uint64_t grouped = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const api::DuplicateGroup& group = report.groups[i];
      REQUIRE(group.documents.size() == expected[i].members.size());
      grouped += group.documents.size();
      for (std::size_t j = 0; j < group.documents.size(); ++j) {
        CHECK(group.documents[j].id == "d" + std::to_string(expected[i].members[j]));
        CHECK(group.documents[j].docid == expected[i].members[j] + 1);
      }
      CHECK(group.least_similarity == Approx(expected[i].least).margin(1e-6));
      CHECK(group.greatest_similarity == Approx(expected[i].greatest).margin(1e-6));
    }
    CHECK(report.grouped == grouped);
  }
}

TEST_CASE("documents with more duplicates than any list of neighbors was asked for are one group",
          "[slow]") {
  Counts shared;
  for (std::size_t word = 0; word < 150; ++word) shared["s" + std::to_string(word)] = 50;
  std::vector<Counts> documents(1500, shared);  // equal
  for (std::size_t i = 0; i < 300; ++i) {       // near-duplicates, all different
    documents.push_back(shared);
    documents.back()["own" + std::to_string(i)] = 1;
  }
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < 2000; ++i) documents.push_back(random_counts(random));
  const test::EngineOf engine(records_of(documents));
  const api::DuplicatesAnswer near = engine.duplicates();
  REQUIRE(near.groups.size() == 1);
  CHECK(near.groups[0].documents.size() == 1800);
  CHECK(near.groups[0].documents.back().id == "d1799");
  CHECK(near.groups[0].greatest_similarity == 1);
  CHECK(near.groups[0].least_similarity < 0.99);
  CHECK(near.examined == 3800);
  CHECK(near.grouped == 1800);
  const api::DuplicatesAnswer equal = engine.duplicates(at(1));
  REQUIRE(equal.groups.size() == 1);
  CHECK(equal.groups[0].documents.size() == 1500);
  CHECK(equal.groups[0].least_similarity == 1);
}

TEST_CASE("duplicates are the same with one thread and with two") {
  test::TemporaryDirectory directory;
  test::write(directory / "db", records_of(planted_collection(2500)));
  Settings one, two;
  one.backend.threads = 1;
  two.backend.threads = 2;
  const Engine with_one(directory / "db", one), with_two(directory / "db", two);
  for (const double threshold : {0.5, 0.95, 1.0})
    check_equal(with_one.duplicates(at(threshold)), with_two.duplicates(at(threshold)));
}

TEST_CASE("documents between two others join them, unless a filter leaves them out") {
  std::vector<Record> records = chain();
  const std::vector<Counts> others = planted_collection(100);
  for (const Counts& counts : others) records.push_back(counted(records.size(), counts, {"other"}));
  const test::EngineOf engine(records);
  const api::DuplicatesAnswer all = engine.duplicates(at(0.7, "label:end OR label:middle"));
  REQUIRE(all.groups.size() == 1);
  CHECK(all.examined == 3);
  CHECK(ids_of(all.groups[0]) == std::vector<std::string>{"d9000", "d9001", "d9002"});
  CHECK(all.groups[0].documents[1].labels == std::vector<std::string>{"middle"});
  CHECK(all.groups[0].least_similarity >= 0.7F);
  const api::DuplicatesAnswer ends = engine.duplicates(at(0.7, "label:end"));
  CHECK(ends.examined == 2);
  CHECK(ends.found == 0);
  CHECK(ends.groups.empty());
  const api::DuplicatesAnswer without = engine.duplicates(at(0.7, "label:other"));
  CHECK(without.examined == 100);
  CHECK(without.found + 1 == engine.duplicates(at(0.7)).found);
}

TEST_CASE("documents without features have no duplicates") {
  test::TemporaryDirectory directory;
  test::write(directory / "none", {record("a", ""), record("b", ""), record("c", "")});
  const api::DuplicatesAnswer report = Engine(directory / "none", {}).duplicates();
  CHECK(report.examined == 3);
  CHECK(report.found == 0);
  CHECK(report.grouped == 0);
  test::write(directory / "empty", {});
  CHECK(Engine(directory / "empty", {}).duplicates().examined == 0);
  const test::Collection collection(
      {record("e1", ""), record("e2", ""), record("zen2", "Silence"), record("zen3", "silence")});
  const api::DuplicatesAnswer found = Engine(collection.path, {}).duplicates();
  REQUIRE(found.groups.size() == 1);
  CHECK(ids_of(found.groups[0]) == std::vector<std::string>{"zen1", "zen2", "zen3"});
}

TEST_CASE("documents all of whose terms are in every document have no duplicates, but for copies") {
  CHECK(test::EngineOf({record("a", "moon"), record("b", "moon"), record("c", "moon sun")})
            .duplicates()
            .found == 0);
  const test::EngineOf copies({record("a", "moon"), record("b", "moon"), record("c", "moon")});
  const api::DuplicatesAnswer found = copies.duplicates();
  REQUIRE(found.groups.size() == 1);
  CHECK(ids_of(found.groups[0]) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("a search for duplicates reports progress, and can be canceled") {
  const test::EngineOf engine(records_of(planted_collection(2500)));
  DuplicatesRequest request;
  std::vector<std::uint64_t> told;
  std::uint64_t all = 0;
  request.on_progress = [&](std::uint64_t compared, std::uint64_t of) {
    told.push_back(compared);
    all = of;
    return true;
  };
  engine.duplicates(request);
  CHECK(std::is_sorted(told.begin(), told.end()));
  CHECK(told.size() >= 2);
  CHECK(told.back() == all);
  CHECK(all < 2500);  // equal documents are compared once
  request.on_progress = [](std::uint64_t, std::uint64_t) { return false; };
  CHECK(code_of([&] { engine.duplicates(request); }, "canceled after 1000 of") == Errc::kCanceled);
}
