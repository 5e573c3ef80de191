// A tuned index that changes: its model of tags follows.
#include <future>
#include <tuple>

#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/fixtures/tuning_collection.h"
#include "tests/plugin/snapshot/changing_database.h"

using namespace kindred;
using test::ChangingDatabase;

namespace {

Tuning tuned(const std::string& path) { return Engine(path, test::untuned()).tune({}).tuning; }

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

TEST_CASE_METHOD(
    test::TemporaryPath,
    "threads that ask a tuned engine while it follows get what one from nothing answers") {
  ChangingDatabase changing(path, 34);
  changing.change(400);
  write_tuning(path, tuned(path));
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

TEST_CASE("a tuned index gives a label that came later, in words that came later") {
  const test::TopicalCollection collection(100);
  write_tuning(collection.path, tuned(collection.path));
  Engine engine(collection.path, test::on_cpu(2));
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
