// Tuning and what follows it, through the C++ face.
#include "plugin/votes/tuning/tuning.h"

#include <sys/stat.h>
#include <zlib.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "plugin/engine.h"
#include "plugin/store/string_table.h"
#include "plugin/votes/classes/linear_classifiers.h"
#include "plugin/votes/weights/frozen_weights.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::code_of;
using test::record;

namespace {

std::shared_ptr<const FrozenWeights> weights_of(const std::map<std::string, double>& of_terms) {
  StringTable terms;
  std::vector<double> weights;
  for (const auto& [term, weight] : of_terms) {
    terms.push_back(term);
    weights.push_back(weight);
  }
  return std::make_shared<const FrozenWeights>(std::move(terms), weights);
}

/// "cat" speaks for label a.
std::shared_ptr<const LinearClassifiers> some_classifiers() {
  LinearClassifiers::Parts parts;
  parts.labels.push_back("a");
  parts.labels.index();
  parts.offset = {-100};
  parts.terms.push_back("Zcat");
  parts.begin = {0, 1};
  parts.entries = {{0, 300}};
  return std::make_shared<const LinearClassifiers>(std::move(parts));
}

/// What a tuning says that a term weighs.
double weight_of(const Tuning& tuning, const std::string& term) { return tuning.weights->of(term); }

Tuning some_tuning() {
  Tuning tuning;
  tuning.uuid = "u";
  tuning.revision = 7;
  tuning.smart = "ltc";
  tuning.prefixes = {"Z"};
  tuning.method = {TermWeightKind::kLearned, VoteKind::kBlend, 45, 3, 1, CutKind::kScut, 0.2, true};
  tuning.classifiers = some_classifiers();
  tuning.scores.log_loss = 0.5;
  tuning.weights = weights_of({{"Zcat", 0.1}, {"Zcats", 0}, {std::string("Z\xff\0b", 4), 7}});
  tuning.combiner.emplace().coefficients[2] = 1.0 / 3;
  tuning.combiner->calibration = {0.1, 1.1, 0.7, 1.0 / 7};
  tuning.thresholds = {{"a", 0.25}, {"rare", std::numeric_limits<double>::infinity()}};
  return tuning;
}

/// A tuning file of this version and body, whose checksum is right.
std::string vouched_for(int version, const std::string& body) {
  const std::string summed = version >= 5 ? body + std::to_string(version) : body;
  const uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(summed.data()), summed.size());
  std::ostringstream first;
  first << "kindred-tuning " << version << ' ' << body.size() << ' ' << std::hex << sum << '\n';
  return first.str() + body;
}

void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

template <typename Call>
std::pair<Errc, std::string> refusal(Call&& call) {
  try {
    call();
  } catch (const Error& e) {
    return {e.code(), e.what()};
  }
  return {Errc::kOk, ""};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a tuning file keeps every bit and every byte") {
  const test::TemporaryDirectory directory;
  const std::string database = directory / "db";
  std::filesystem::create_directory(database);
  const Tuning tuning = some_tuning();
  write_tuning(database, tuning);
  CHECK(std::filesystem::exists(database + "/kindred.tuning"));
  const auto read = read_tuning(database, "u");
  REQUIRE(read);
  CHECK(read->weights->size() == 3);
  CHECK(weight_of(*read, "Zcat") == 0.1f);
  CHECK(weight_of(*read, "Zcats") == 0);
  CHECK(weight_of(*read, std::string("Z\xff\0b", 4)) == 7);
  CHECK(weight_of(*read, "Zdog") == 7);  // the larger one of two in the middle
  CHECK(read->thresholds == tuning.thresholds);
  CHECK(read->combiner->coefficients == tuning.combiner->coefficients);
  CHECK(read->combiner->calibration == tuning.combiner->calibration);
  CHECK(read->method.k == 45);
  CHECK(read->method.linear);
  CHECK(read->classifiers->packed().bytes == tuning.classifiers->packed().bytes);
  CHECK(read->method.cut == CutKind::kScut);
  CHECK(read->scores.log_loss == tuning.scores.log_loss);
  CHECK(remove_tuning(database));
  CHECK_FALSE(remove_tuning(database));
  CHECK_FALSE(read_tuning(database, "u"));
}

TEST_CASE("the tuning of a single-file database lies beside it") {
  const test::TemporaryDirectory directory;
  put(directory / "stub", "auto somewhere\n");
  CHECK(tuning_path(directory / "stub") == directory / "stub.kindred-tuning");
}

TEST_CASE("damage to a tuning file is found wherever it is") {
  const test::TemporaryDirectory directory;
  const std::string database = directory / "db";
  std::filesystem::create_directory(database);
  write_tuning(database, some_tuning());
  const std::string path = tuning_path(database);
  const std::string whole = test::file_text(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    put(path, damaged);
    const auto [code, text] = refusal([&] { read_tuning(database, "u"); });
    INFO(i);
    CHECK((code == Errc::kCorrupt || code == Errc::kUnsupported));
    CHECK(has(text, path));
    CHECK(has(text, "expected"));
  }
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, whole.size() / 2, whole.size() - 1}) {
    put(path, whole.substr(0, size));
    CHECK(refusal([&] { read_tuning(database, "u"); }).first == Errc::kCorrupt);
  }
  put(path, whole + "x");
  CHECK(refusal([&] { read_tuning(database, "u"); }).first == Errc::kCorrupt);
}

TEST_CASE("a tuning of another index or version is refused, and says what was expected") {
  const test::TemporaryDirectory directory;
  const std::string database = directory / "db";
  std::filesystem::create_directory(database);
  write_tuning(database, some_tuning());
  const auto [code, text] = refusal([&] { read_tuning(database, "other"); });
  CHECK(code == Errc::kCorrupt);
  CHECK(has(text, "another index: expected uuid other, found u"));
  const std::string path = tuning_path(database);
  std::string newer = test::file_text(path);
  newer.replace(newer.find(" 6 "), 3, " 7 ");
  put(path, newer);
  const auto [version_code, version_text] = refusal([&] { read_tuning(database, "u"); });
  CHECK(version_code == Errc::kUnsupported);
  CHECK(has(version_text, "version 7 of the format, expected 6"));
}

TEST_CASE("a tuning that nests very deeply is refused, and does not end the stack") {
  const test::TemporaryDirectory directory;
  const std::string database = directory / "db";
  std::filesystem::create_directory(database);
  const std::size_t depth = GENERATE(17, 2000000);
  put(tuning_path(database),
      vouched_for(5, std::string(depth, '\x81') + '\x00'));  // lists in lists
  const auto [code, text] = refusal([&] { read_tuning(database, "u"); });
  CHECK(code == Errc::kCorrupt);
  CHECK(has(text, "nested deeper than 16"));
}

TEST_CASE("a tuning of a version without linear classifiers is read") {
  const test::TemporaryDirectory directory;
  const std::string database = directory / "db";
  std::filesystem::create_directory(database);
  Tuning tuning = some_tuning();
  tuning.method.linear = false;
  tuning.classifiers.reset();
  std::iota(tuning.combiner->coefficients.begin(), tuning.combiner->coefficients.end(), 1);
  write_tuning(database, tuning);
  const std::string path = tuning_path(database);
  const std::string whole = test::file_text(path);
  put(path, vouched_for(4, whole.substr(whole.find('\n') + 1)));
  const auto read = read_tuning(database, "u");
  CHECK(read->combiner->coefficients == std::array<double, 10>{1, 2, 3, 4, 5, 0, 6, 7, 8, 0});
  CHECK(read->combiner->calibration == Calibration());
}

TEST_CASE("a tuning of the oldest version that is read has other names") {
  const test::TemporaryDirectory directory;
  const std::string database = directory / "db";
  std::filesystem::create_directory(database);
  write_tuning(database, some_tuning());
  const std::string path = tuning_path(database);
  const std::string whole = test::file_text(path);
  std::string body = whole.substr(whole.find('\n') + 1);
  body.replace(body.find("keep_terms"), 10, "kept_terms");
  put(path, vouched_for(2, body));
  CHECK(read_tuning(database, "u")->method.keep_terms == some_tuning().method.keep_terms);
}

TEST_CASE("a tuning whose parts do not fit together is refused") {
  const test::TemporaryDirectory directory;
  const std::string database = directory / "db";
  std::filesystem::create_directory(database);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::function<void(Tuning&)> faults[] = {
      [](Tuning& t) { t.combiner.reset(); },
      [](Tuning& t) { t.method.vote = VoteKind::kBest; },
      [](Tuning& t) { t.method.k = 0; },
      [](Tuning& t) { t.method.keep_terms = 1.5; },
      [](Tuning& t) { t.method.cut = CutKind::kRank; },
      [](Tuning& t) { t.method.similarity_power = kNan; },
      [](Tuning& t) { t.combiner->coefficients[3] = kNan; },
      [](Tuning& t) { t.combiner->calibration.offset = kNan; },
      [](Tuning& t) { t.combiner->calibration.likely = -1; },
      [](Tuning& t) { t.corrections["Zcat"] = kNan; },
      [](Tuning& t) { t.thresholds["a"] = kNan; }};
  for (const auto& fault : faults) {
    Tuning tuning = some_tuning();
    fault(tuning);
    write_tuning(database, tuning);
    const auto [code, text] = refusal([&] { read_tuning(database, "u"); });
    CHECK(code == Errc::kCorrupt);
    CHECK(has(text, "do not fit together; tune again"));
  }
}

TEST_CASE("an engine refuses a tuning that is not its index's, and opens without one if told to") {
  const test::TopicalCollection collection(20);
  write_tuning(collection.path, some_tuning());
  CHECK(has(refusal([&] { Engine(collection.path, {}); }).second, "kindred.tuning"));
  CHECK_FALSE(Engine(collection.path, test::untuned()).status().tuning);
}

TEST_CASE("tagging follows a tuning from the next refresh on, related documents by idf stay") {
  const test::TopicalCollection collection;
  Settings by_idf;
  by_idf.related.weights = "idf";
  Engine engine(collection.path, by_idf);
  RelatedRequest related;
  related.like = {UniqueId{"d0"}};
  const auto before = engine.related(related).results;
  const TuneReport report = Engine(collection.path, test::untuned()).tune();
  write_tuning(collection.path, report.tuning);
  REQUIRE(engine.refresh());
  REQUIRE(engine.status().tuning);
  CHECK(engine.status().tuning->method.k == report.tuning.method.k);
  const auto after = engine.related(related).results;
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(before[i].docid == after[i].docid);
    CHECK(before[i].similarity == after[i].similarity);
  }
  CHECK(engine.classify(UniqueId{"d1"}).tags.at(0).label == "label1");
  CHECK(remove_tuning(collection.path));
  CHECK(engine.refresh());
  CHECK_FALSE(engine.status().tuning);
  CHECK_FALSE(engine.refresh());
}

TEST_CASE("a damaged tuning is reported at every refresh until it is mended or removed") {
  const test::TopicalCollection collection;
  Engine engine(collection.path, {});
  const std::string path = tuning_path(collection.path);
  const Tuning found = Engine(collection.path, test::untuned()).tune().tuning;
  for (const bool tuned : {false, true}) {
    put(path, "damaged");
    for (int i = 0; i < 3; ++i) {
      const auto [code, message] = refusal([&] { engine.refresh(); });
      CHECK(code == Errc::kCorrupt);
      CHECK(has(message, path));
      CHECK(engine.status().tuning.has_value() == tuned);
      CHECK(engine.classify(UniqueId{"d1"}).tags.at(0).label == "label1");
    }
    write_tuning(collection.path, found);
    CHECK(engine.refresh());
    REQUIRE(engine.status().tuning);
    CHECK_FALSE(engine.refresh());
  }
  put(path, "damaged");
  CHECK(refusal([&] { engine.refresh(); }).first == Errc::kCorrupt);
  CHECK(remove_tuning(collection.path));
  CHECK(engine.refresh());
  CHECK_FALSE(engine.status().tuning);
  CHECK_FALSE(engine.refresh());
  put(path, "damaged");
  Engine untuned(collection.path, test::untuned());
  CHECK_FALSE(untuned.refresh());  // it ignores a file that it does not use
}

TEST_CASE("the memory of a snapshot is all that it holds: the model of its tags, and class sums") {
  const test::TopicalCollection collection;
  Settings settings;
  settings.backend.kind = "cpu";
  Engine engine(collection.path, settings);
  const Status untuned = engine.status();
  Tuning tuning = Engine(collection.path, test::untuned()).tune().tuning;
  std::map<std::string, double> many;
  for (int i = 0; i < 1000; ++i) many["Zterm" + std::to_string(i)] = 0.1;
  tuning.weights = weights_of(many);
  tuning.information.reset();  // it is of other terms
  write_tuning(collection.path, tuning);
  REQUIRE(engine.refresh());
  const Status tuned = engine.status();
  // A backend has one number for each document (1 / length) and one for each term (a maximum).
  const std::uint64_t backend = (tuned.documents + tuned.terms) * sizeof(double);
  const std::uint64_t frozen = 1000 * (sizeof(float) + sizeof(std::uint64_t));
  const std::uint64_t weights = tuned.terms * sizeof(double);
  CHECK(tuned.bytes > untuned.bytes + backend + frozen + weights);
  CHECK(tuned.bytes < untuned.bytes * 2 + 1000 * 200);  // what backends share is counted once
  Engine other(collection.path, test::untuned());
  const std::uint64_t before = other.status().bytes;
  ClassifyRequest request;
  request.vote = "centroid";
  other.classify(UniqueId{"d1"}, request);
  CHECK(other.status().bytes > before + 3 * tuned.terms * sizeof(double));
  other.classify(UniqueId{"d1"}, request);
  CHECK(other.status().bytes < 4 * before);
}

TEST_CASE("a tuning is a regular file") {
  const test::TopicalCollection collection(20);
  const std::string path = tuning_path(collection.path);
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const auto [code, message] = refusal([&] { Engine(collection.path, {}); });
  CHECK(code == Errc::kInvalidArgument);
  CHECK(has(message, path + ": the tuning file cannot be read: Is a FIFO"));
  std::filesystem::remove(path);
  std::filesystem::create_symlink("/dev/zero", path);
  CHECK(has(refusal([&] { Engine(collection.path, {}); }).second, "Is a device"));
}

TEST_CASE("of tunings that are stored at once one is there, whole") {
  const test::TemporaryDirectory directory;
  const std::string database = directory / "db";
  std::filesystem::create_directory(database);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&, i] {
        Tuning tuning = some_tuning();
        std::map<std::string, double> many;
        for (int term = 0; term < 2000 * (i + 1); ++term) many["Zterm" + std::to_string(term)] = i;
        tuning.weights = weights_of(many);
        write_tuning(database, tuning);
      });
    }
    for (std::thread& thread : threads) thread.join();
    const auto read = read_tuning(database, "u");
    REQUIRE(read);
    const double last = weight_of(*read, "Zterm0");
    CHECK(read->weights->size() == 2000 * (static_cast<std::size_t>(last) + 1));
  }
  const std::filesystem::directory_iterator files(database);
  CHECK(std::distance(begin(files), end(files)) == 1);
}

TEST_CASE("tuning is the same on any number of threads and every time") {
  const test::TopicalCollection collection(60, GENERATE(false, true));
  Settings one = test::untuned(), four = one;
  one.backend.threads = 1;
  four.backend.threads = 4;
  const Tuning a = Engine(collection.path, one).tune().tuning;
  const Tuning b = Engine(collection.path, four).tune().tuning;
  CHECK(a.weights->packed().bytes == b.weights->packed().bytes);
  CHECK(a.corrected_terms == b.corrected_terms);
  CHECK(a.thresholds == b.thresholds);
  CHECK(a.combiner.has_value() == b.combiner.has_value());
  if (a.combiner && b.combiner) CHECK(a.combiner->coefficients == b.combiner->coefficients);
  CHECK(a.scores.micro_f1 == b.scores.micro_f1);
  CHECK(a.single_label == b.single_label);
}

TEST_CASE("every vote that tune may choose can be followed") {
  const test::TopicalCollection collection(60);
  TuneRequest request;
  request.term_weights = {GENERATE("idf", "kl", "gain", "chi2", "learned")};
  request.keep_terms = GENERATE(1.0, 0.5);
  const TuneReport report = Engine(collection.path, test::untuned()).tune(request);
  CHECK(report.tuning.scores.micro_f1 > 0.5);
  write_tuning(collection.path, report.tuning);
  const Engine engine(collection.path, {});
  CHECK(engine.classify(record("", "topic2w1x topic2w3x topic2w5x")).tags.at(0).label == "label2");
}

TEST_CASE("tuning with too few voters says so") {
  const test::TopicalCollection collection(10);
  const Engine engine(collection.path, test::untuned());
  TuneRequest request;
  request.filter = "label:none";
  CHECK(code_of([&] { engine.tune(request); },
                "filter 'label:none': tuning needs at least two labeled documents, 0 match") ==
        Errc::kInvalidArgument);
  const test::TemporaryDirectory directory;
  test::write(directory / "db", {record("a", "cat"), record("b", "dog")});
  CHECK(code_of([&] { Engine(directory / "db", test::untuned()).tune(); }, "found 0") ==
        Errc::kInvalidArgument);
}

TEST_CASE("a budget too short for one method is refused, bad requests name what is wrong") {
  const test::TopicalCollection collection(20);
  const Engine engine(collection.path, test::untuned());
  TuneRequest request;
  request.budget = 1e-9;
  CHECK(code_of([&] { engine.tune(request); }, "too few to try one method") ==
        Errc::kInvalidArgument);
  request = {};
  request.objective = "luck";
  CHECK(code_of([&] { engine.tune(request); }, "micro_f1, macro_f1 or blend") ==
        Errc::kInvalidArgument);
  request = {};
  request.term_weights = {"tfidf"};
  CHECK(code_of([&] { engine.tune(request); }, "idf, kl, gain, chi2 or learned") ==
        Errc::kInvalidArgument);
}

TEST_CASE("labels of one document, documents without, and labels that come later are no obstacle") {
  test::TemporaryDirectory directory;
  auto records = test::topical_documents(40);
  records.push_back(record("once", "topic0w1x lonely", {"once"}));
  records.push_back(record("none", "topic1w1x topic1w2x"));
  test::write(directory / "db", records);
  write_tuning(directory / "db", Engine(directory / "db", test::untuned()).tune().tuning);
  std::vector<Record> later;
  for (int i = 0; i < 4; ++i)
    later.push_back(
        record("new" + std::to_string(i), "fresh words arrive " + std::to_string(i), {"new"}));
  test::write(directory / "db", later);
  const Engine engine(directory / "db", {});
  ClassifyRequest request;
  request.scores = true;
  const Classification c = engine.classify(record("", "fresh words arrive"), request);
  REQUIRE(c.best);
  CHECK(c.best->label == "new");
}

TEST_CASE("a filter of a tuning holds when its index is asked") {
  const test::TopicalCollection collection(60, false);
  TuneRequest request;
  request.filter = "NOT label:label4";
  write_tuning(collection.path, Engine(collection.path, test::untuned()).tune(request).tuning);
  const Engine engine(collection.path, {});
  ClassifyRequest ask;
  ask.neighbors = true;
  for (const Voter& voter :
       engine.classify(record("", "topic4w1x shared1x topic4w2x"), ask).neighbors)
    CHECK(voter.labels != std::vector<std::string>{"label4"});
}

TEST_CASE("under a tuning a document of the index gets what a new one of its text would get") {
  const test::TopicalCollection collection(120, GENERATE(false, true));
  const std::string text = "topic1w1x topic1w2x topic2w3x shared1x";
  test::write(collection.path, {record("stored", text + " lonely1x lonely2x lonely3x")});
  TuneRequest request;
  request.term_weights = {"idf"};
  write_tuning(collection.path, Engine(collection.path, test::untuned()).tune(request).tuning);
  const Engine engine(collection.path, {});
  ClassifyRequest ask;
  ask.scores = true;
  const Classification stored = engine.classify(UniqueId{"stored"}, ask);
  const Classification fresh = engine.classify(record("", text), ask);
  REQUIRE(stored.scores.size() == fresh.scores.size());
  for (std::size_t i = 0; i < fresh.scores.size(); ++i) {
    CHECK(stored.scores[i].label == fresh.scores[i].label);
    CHECK(stored.scores[i].confidence == fresh.scores[i].confidence);
  }
}

namespace {

/// In the latest fifth, every third document has a label other than those before would have.
std::vector<Record> drifting_documents() {
  std::vector<Record> records = test::topical_documents(1100, false);
  for (std::size_t i = 880; i < records.size(); ++i) {
    if (i % 3 == 0) records[i].labels = {"label" + std::to_string((i + 1) % 5)};
  }
  return records;
}

Tuning tuned(const std::vector<Record>& records) {
  const test::TemporaryDirectory directory;
  test::write(directory / "db", records);
  TuneRequest request;
  request.term_weights = {"idf"};
  return Engine(directory / "db", test::untuned()).tune(request).tuning;
}

}  // namespace

TEST_CASE("confidences of a collection that drifts are fitted forward in time, others are not") {
  const Tuning drifting = tuned(drifting_documents());
  REQUIRE(drifting.combiner);
  CHECK(drifting.forward_documents == 220);
  CHECK(tuned(test::topical_documents(1100, false)).forward_documents == 0);
  CHECK(tuned(test::topical_documents(400, false)).forward_documents == 0);
  std::vector<Record> sorted = drifting_documents();  // by subject, so not in order of time
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Record& a, const Record& b) { return a.labels < b.labels; });
  CHECK(tuned(sorted).forward_documents == 0);
  // first one half of the subjects, then the other: the latest fifth still has labels of the rest
  std::vector<Record> halves = drifting_documents();
  std::stable_partition(halves.begin(), halves.end(),
                        [](const Record& record) { return record.labels.front() < "label2"; });
  for (Record& record : halves) record.labels = {record.labels.front() < "label2" ? "a" : "b"};
  CHECK(tuned(halves).forward_documents == 0);
}

TEST_CASE("documents of a group do not vote for each other while methods are measured") {
  const test::TopicalCollection collection(60, false);
  const Engine engine(collection.path, test::untuned());
  TuneRequest request = quick_tune_request();
  const double together = engine.tune(request).tuning.scores.accuracy;
  request.groups = {Settings().labels.prefix};  // nothing of its label votes for a document
  const double apart = engine.tune(request).tuning.scores.accuracy;
  CHECK(together > apart);
  CHECK(apart < .3);
  request.groups = {"value:x"};
  CHECK(code_of([&] { engine.tune(request); }, "expected a prefix, or value:") ==
        Errc::kInvalidArgument);
}

TEST_CASE("a budget is spent on a little of everything first, then on what leads") {
  const test::TopicalCollection collection(200);
  const Engine engine(collection.path, test::untuned());
  TuneRequest request;
  request.budget = 1000;
  const TuneReport report = engine.tune(request);
  CHECK(report.complete);
  std::vector<TermWeightKind> order;
  for (const TuneTrial& trial : report.trials) {
    const TermWeightKind kind = trial.method.term_weights;
    if (order.empty() || order.back() != kind) order.push_back(kind);
  }
  REQUIRE(order.size() >= 6);
  CHECK(std::set(order.begin(), order.begin() + 3).size() == 3);
  CHECK(report.best < report.trials.size());
  CHECK(report.trials[report.best].method.vote == report.tuning.method.vote);
}
