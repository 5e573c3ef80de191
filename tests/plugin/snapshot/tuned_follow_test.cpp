// A tuned index that changes: its model of tags follows, and equals one that is made from nothing.
#include <xapian.h>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "plugin/engine.h"
#include "plugin/mirror/following/document_changes.h"
#include "plugin/mirror/following/mirror_growth.h"
#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/votes/weights/frozen_weights.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/changing_database.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::ChangingDatabase;

namespace {

Settings on_two_threads() {
  Settings settings;
  settings.backend.kind = "cpu";
  settings.backend.threads = 2;
  return settings;
}

/// Weights for most terms of a mirror; a few weigh nothing.
std::shared_ptr<const Tuning> tuning_for(const Mirror& mirror) {
  StringTable terms;
  std::vector<double> weights;
  for (std::uint32_t column = 0; column < mirror.vocabulary.size(); ++column) {
    if (column % 5 == 4) continue;
    terms.push_back(mirror.vocabulary[column]);
    weights.push_back(column % 7 == 6 ? 0 : 0.1 + column % 13);
  }
  auto tuning = std::make_shared<Tuning>();
  tuning->smart = "ltc";
  tuning->method.vote = VoteKind::kCentroid;
  tuning->weights = std::make_shared<const FrozenWeights>(std::move(terms), weights);
  return tuning;
}

/// The documents that match the filter of a tuning: most of them, and after each change others.
RowSet matching_rows_of(const Mirror& mirror) {
  RowSet matching(mirror.rows());
  for (std::uint32_t row = 0; row < mirror.rows(); ++row)
    if ((mirror.docids[row] + mirror.revision) % 9 != 0) matching.set(row);
  return matching;
}

/// The same document in two snapshots.
struct SameDocument {
  std::uint32_t row, other;
};

void check_same_sums(const Snapshot& snapshot, const Snapshot& other, SameDocument document) {
  const auto compared = [&](const Snapshot& in, std::uint32_t row) {
    const LabelMatrix& matrix = in.mirror().labels;
    const std::size_t labels = matrix.names.size();
    Queries query;
    in.weigh_for_tags(row, query);
    in.weigh_row(row, in.voting().weighting(), query);
    const LeftOut left_out{{query.terms(1), query.weights(1)}, in.mirror().labels.of(row)};
    std::vector<double> cosines(labels), profiles(labels);
    in.voting().class_sums().compare({query.terms(0), query.weights(0)},
                                     in.voting().voters().has(row) ? &left_out : nullptr, cosines,
                                     profiles);
    std::vector<std::pair<double, double>> of_labels;
    for (const std::uint32_t label : matrix.order)
      of_labels.emplace_back(cosines[label], profiles[label]);
    return of_labels;
  };
  CHECK(compared(snapshot, document.row) == compared(other, document.other));
}

void check_same_neighbors(const Snapshot& snapshot, const Snapshot& other, SameDocument document) {
  const auto found = [&](const Snapshot& in, std::uint32_t row) {
    Queries query;
    in.weigh_for_tags(row, query);
    std::vector<std::pair<Xapian::docid, float>> neighbors;
    for (const Neighbor& each : in.voting().backend().nearest(query, 30, &in.voting().voters()))
      if (each.row != Neighbor::kNoRow)
        neighbors.emplace_back(in.docid_of(each.row), each.similarity);
    return neighbors;
  };
  CHECK(found(snapshot, document.row) == found(other, document.other));
}

void check_same_model(const Snapshot& snapshot, const Snapshot& other) {
  const Mirror &mirror = snapshot.mirror(), &expected = other.mirror();
  REQUIRE(mirror.documents() == expected.documents());
  CHECK(snapshot.voting().voters().count() == other.voting().voters().count());
  for (std::uint32_t column = 0; column < expected.vocabulary.size(); ++column) {
    const auto own = mirror.column_of(expected.vocabulary[column]);
    REQUIRE(own);
    CHECK(snapshot.voting().weighting().idf[*own] == other.voting().weighting().idf[column]);
  }
  for (std::uint32_t row = 0; row < expected.rows(); row += 7) {
    const auto own = snapshot.row_of(expected.docids[row]);
    REQUIRE(own);
    check_same_sums(snapshot, other, {*own, row});
    check_same_neighbors(snapshot, other, {*own, row});
  }
}

/// Returns how many models followed from the one before.
int follow_models(unsigned seed, bool has_filter) {
  const test::TemporaryDirectory directory;
  ChangingDatabase changing(directory / "db", seed);
  changing.change(600);
  const Settings settings = on_two_threads();
  const auto tuning = tuning_for(read_mirror(changing.database(), settings));
  const auto made = [&](Mirror mirror, const Snapshot* before) {
    const RowSet matching = matching_rows_of(mirror);
    return std::make_shared<const Snapshot>(std::move(mirror), settings, Log(), tuning,
                                            has_filter ? &matching : nullptr, before);
  };
  auto snapshot = made(read_mirror(changing.database(), settings), nullptr);
  int followed = 0;
  for (int step = 0; step < 25; ++step) {
    CAPTURE(seed, step);
    if (step % 6 != 5) snapshot->voting().class_sums();  // else the next makes its own
    DocumentChanges changes(snapshot->mirror(), settings);
    for (const Xapian::docid docid : changing.change(step % 8 == 7 ? 200 : 1 + 2 * step))
      changes.read(changing.database(), docid);
    Mirror expected = read_mirror(changing.database(), settings);
    auto grown = grown_mirror(snapshot->mirror(), changes, changing.database(), settings);
    followed += grown.has_value();
    const auto fresh = made(std::move(expected), nullptr);
    snapshot = grown ? made(std::move(*grown), snapshot.get()) : fresh;
    check_same_model(*snapshot, *fresh);
  }
  return followed;
}

/// Every document's tags with every bit, as an engine gives them.
std::vector<std::pair<std::string, double>> all_scores(
    const Engine& engine, const std::vector<Xapian::docid>& documents) {
  ClassifyRequest request;
  request.scores = true;
  std::vector<std::pair<std::string, double>> scores;
  for (std::size_t i = 0; i < documents.size(); i += documents.size() / 40 + 1) {
    const Classification answer = engine.classify(Docid{documents[i]}, request);
    for (const std::vector<Tag>* const tags : {&answer.tags, &answer.scores})
      for (const Tag& tag : *tags) scores.emplace_back(tag.label, tag.confidence);
  }
  return scores;
}

Tuning tuned(const std::string& path, TermWeightKind term_weights) {
  TuneRequest request;
  request.term_weights = {term_weights};
  request.sample = 300;
  return Engine(path, test::untuned()).tune(request).tuning;
}

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

}  // namespace

TEST_CASE("the model of a tuned index that followed equals one from nothing, to the bit") {
  CHECK(follow_models(3, false) > 10);
  CHECK(follow_models(2, true) > 10);
}

TEST_CASE("a tuned engine that follows 1, 10 and 1,000 changes tags as one that is opened then") {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "db";
  ChangingDatabase changing(path, 31);
  changing.change(2500);
  write_tuning(path, tuned(path, GENERATE(TermWeightKind::kIdf, TermWeightKind::kKl,
                                          TermWeightKind::kLearned)));
  Engine engine(path, on_two_threads());
  all_scores(engine, changing.documents());
  CHECK(engine.refreshes_in_proportion());
  for (const int changes : {1, 10, 1, 1000, 10, 1}) {
    CAPTURE(changes);
    changing.change(changes);
    REQUIRE(engine.refresh());
    const Engine fresh(path, on_two_threads());
    CHECK(all_scores(engine, changing.documents()) == all_scores(fresh, changing.documents()));
  }
}

TEST_CASE("threads that ask a tuned engine while it follows get what one from nothing answers") {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "db";
  ChangingDatabase changing(path, 34);
  changing.change(400);
  write_tuning(path, tuned(path, TermWeightKind::kKl));
  Engine engine(path, on_two_threads());
  AskingThreads threads(engine);
  std::set<VoteAnswer> expected;
  for (int step = 0; step < 20; ++step) {
    collect_answers(Engine(path, on_two_threads()), expected);
    changing.change(3);
    engine.refresh();
  }
  collect_answers(Engine(path, on_two_threads()), expected);
  for (const std::set<VoteAnswer>& answers : threads.stop()) {
    CHECK_FALSE(answers.empty());
    CHECK(std::includes(expected.begin(), expected.end(), answers.begin(), answers.end()));
  }
}

TEST_CASE("a saved mirror of a tuned index is brought up to date, and tags as the database does") {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "db";
  ChangingDatabase changing(path, 32);
  changing.change(800);
  write_tuning(path, tuned(path, TermWeightKind::kKl));
  Engine(path, on_two_threads()).save_mirror();
  changing.change(20);
  Engine opened(path, on_two_threads());
  const auto scores = all_scores(opened, changing.documents());
  changing.change(5);
  REQUIRE(opened.refresh());
  const auto later = all_scores(opened, changing.documents());
  Settings without = on_two_threads();
  without.mirror.directory = directory / "";
  CHECK(all_scores(Engine(path, without), changing.documents()) == later);
}

TEST_CASE("a mirror that grew answers by a tuning that came later as one that is read again does") {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "db";
  ChangingDatabase changing(path, 33);
  changing.change(800);
  write_tuning(path, tuned(path, TermWeightKind::kKl));
  Engine engine(path, on_two_threads());
  CHECK(engine.refreshes_in_proportion());
  for (int step = 0; step < 4; ++step) {
    changing.change(1 + 10 * step);
    REQUIRE(engine.refresh());
    if (step % 2 == 0) continue;
    write_tuning(path, tuned(path, TermWeightKind::kKl));
    REQUIRE(engine.refresh());
    const Engine fresh(path, on_two_threads());
    CHECK(all_scores(engine, changing.documents()) == all_scores(fresh, changing.documents()));
  }
}

TEST_CASE("titles follow where the tuning changed as well") {
  const test::TopicalCollection collection(30);
  Engine engine(collection.path, on_two_threads());
  Record changed = test::topical_documents(30)[5];
  changed.title = "another title";
  test::write(collection.path, {changed});
  write_tuning(collection.path, tuned(collection.path, TermWeightKind::kIdf));
  REQUIRE(engine.refresh());
  RelatedRequest request;
  request.like = {UniqueId{"d0"}};
  request.k = 30;
  std::set<std::string> titles;
  for (const Related& related : engine.related(request).results) titles.insert(related.title);
  CHECK(titles.contains("another title"));
}

TEST_CASE("a tuned index gives a label that came later, in words that came later") {
  const test::TopicalCollection collection(100);
  write_tuning(collection.path,
               tuned(collection.path, GENERATE(TermWeightKind::kIdf, TermWeightKind::kKl,
                                               TermWeightKind::kLearned)));
  Engine engine(collection.path, on_two_threads());
  std::vector<Record> later;
  for (int i = 0; i < 8; ++i)
    later.push_back(test::record("later" + std::to_string(i),
                                 "lunar orbit rocket word" + std::to_string(i), {"space"}));
  test::write(collection.path, later);
  REQUIRE(engine.refresh());
  const Classification answer = engine.classify(test::record("", "a rocket in lunar orbit"));
  REQUIRE(answer.best);
  CHECK(answer.best->label == "space");
}
