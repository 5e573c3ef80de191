// The file of a tuning, and how an engine follows it.
#include "plugin/votes/tuning/tuning.h"

#include <sys/stat.h>
#include <set>

#include "plugin/learning.h"
#include "plugin/query/filter_fields.h"
#include "plugin/query/query_lexemes.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/section_file.h"
#include "plugin/store/string_table.h"
#include "plugin/tune/tune_report.h"
#include "plugin/votes/classes/linear_classifiers.h"
#include "plugin/votes/frozen_weights.h"
#include "plugin/writing/edits.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::code_of;

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
  LinearClassifiers parts;
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
  tuning.classifiers = some_classifiers();
  tuning.scores.log_loss = 0.5;
  tuning.weights = weights_of({{"Zcat", 0.1}, {"Zcats", 0}, {std::string("Z\xff\0b", 4), 7}});
  tuning.combiner.coefficients[2] = 1.0 / 3;
  tuning.combiner.calibration = {0.1, 1.1, 0.7, 1.0 / 7};
  tuning.thresholds = {{"a", 0.25}, {"rare", std::numeric_limits<double>::infinity()}};
  return tuning;
}

/// Puts a tuning file with these parts, whose checksums are right.
void put_parts(const std::string& path, const std::string& cbor) {
  SectionWriter writer("kindred-tuning15");
  writer.add(1, cbor);
  writer.write(index_file(path), 1);
}

/// The folder of a database, and where its tuning is.
struct TuningFolder {
  TuningFolder() { std::filesystem::create_directory(database); }
  test::TemporaryDirectory directory;
  std::string database = directory / "db", path = database + "/kindred.tuning";
};

/// 300 documents, of which the first 200 are "verified", tuned with these as the only voters.
struct VerifiedCollection : test::TemporaryPath {
  explicit VerifiedCollection(const std::string& filter = "label:verified") {
    std::vector<Record> records = test::topical_documents(300);
    for (std::size_t i = 0; i < 200; ++i) records[i].labels.emplace_back("verified");
    test::write(path, records);
    TuneRequest request;
    request.filter = filter;
    Engine engine(path, test::untuned());
    store_tuning(engine, tune(engine, request).tuning);
  }
};

/// All that the index says of new texts, one line for each, in which `name` is written as "NAME".
std::vector<std::string> answers_of(const std::string& path, const std::string& name,
                                    const Settings& settings = test::on_cpu()) {
  const Engine engine(path, settings);
  ClassifyRequest request;
  request.scores = request.voters = true;
  std::vector<std::string> answers;
  for (Record& asked : test::topical_documents(30, true, 9)) {
    asked.id.clear();
    std::ostringstream said;
    said.precision(17);
    const Classification found = engine.classify(asked, request);
    const auto say = [&](const Tag& tag) {
      said << (tag.label == name ? "NAME" : tag.label) << ' ' << tag.confidence << ", ";
    };
    std::ranges::for_each(found.tags, say);
    std::map<double, std::set<std::string>> scores;  // whose order is not that of the names
    for (const Tag& tag : found.scores)
      scores[tag.confidence].insert(tag.label == name ? "NAME" : tag.label);
    for (const auto& [confidence, labels] : scores)
      for (const std::string& label : labels) said << label << ' ' << confidence << ", ";
    for (const api::Voter& voter : *found.voters)
      said << voter.id << ' ' << voter.similarity << ", ";
    answers.push_back(said.str());
  }
  return answers;
}

/// The documents that vote on new texts.
std::vector<std::string> voters_of(const std::string& path) {
  ClassifyRequest request;
  request.voters = true;
  const Classification found =
      Engine(path, test::on_cpu()).classify(test::record("", "shared1x topic1w1x"), request);
  std::vector<std::string> voters;
  for (const api::Voter& voter : *found.voters) voters.push_back(voter.id);
  return voters;
}

}  // namespace

TEST_CASE_METHOD(TuningFolder, "a tuning file keeps every bit and every byte") {
  const Tuning tuning = some_tuning();
  write_tuning(database, tuning);
  CHECK(std::filesystem::exists(path));
  const auto read = read_tuning(database, "u");
  REQUIRE(read);
  CHECK(read->weights->size() == 3);
  CHECK(weight_of(*read, "Zcat") == 0.1f);
  CHECK(weight_of(*read, "Zcats") == 0);
  CHECK(weight_of(*read, std::string("Z\xff\0b", 4)) == 7);
  CHECK(weight_of(*read, "Zdog") == 7);  // the larger one of two in the middle
  CHECK(read->thresholds == tuning.thresholds);
  CHECK(read->combiner.coefficients == tuning.combiner.coefficients);
  CHECK(read->combiner.calibration == tuning.combiner.calibration);
  CHECK(read->classifiers->packed().bytes == tuning.classifiers->packed().bytes);
  CHECK(read->scores.log_loss == tuning.scores.log_loss);
  CHECK(remove_tuning(database));
  CHECK_FALSE(remove_tuning(database));
  CHECK_FALSE(read_tuning(database, "u"));
}

TEST_CASE("the tuning of a single-file database lies beside it") {
  const test::TemporaryDirectory directory;
  test::put_file(directory / "stub", "auto somewhere\n");
  CHECK(tuning_path(directory / "stub") == directory / "stub.kindred-tuning");
}

TEST_CASE_METHOD(TuningFolder, "a damaged tuning is named, with what is wrong and what helps") {
  write_tuning(database, some_tuning());
  const std::string whole = test::file_text(path);
  std::string changed = whole;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  for (const std::string& damaged : {std::string("damaged"), whole + "x", changed}) {
    test::put_file(path, damaged);
    const Error error = test::error_of([&] { read_tuning(database, "u"); });
    CHECK(error.code() == Errc::kCorrupt);
    CHECK(test::says(error.what(),
                     {path.c_str(), "the tuning is damaged", "expected", "found", "tune again"}));
  }
}

TEST_CASE_METHOD(TuningFolder,
                 "a tuning of another index or version is refused, and says what was expected") {
  write_tuning(database, some_tuning());
  CHECK(code_of([&] { read_tuning(database, "other"); },
                "another index: expected uuid other, found u; tune again") == Errc::kCorrupt);
  for (const std::string version : {" 9 596 1cbfd6d", "99"}) {
    test::put_file(path, "kindred-tuning" + version + std::string(600, 'x'));
    CHECK(code_of([&] { read_tuning(database, "u"); },
                  "another version: expected 'kindred-tuning15', found 'kindred-tuning" +
                      version.substr(0, 2)) == Errc::kUnsupported);
  }
}

TEST_CASE_METHOD(TuningFolder,
                 "a tuning that nests very deeply is refused, and does not end the stack") {
  const std::size_t depth = GENERATE(17, 2000000);
  put_parts(path, std::string(depth, '\x81') + '\x00');  // lists in lists
  CHECK(code_of([&] { read_tuning(database, "u"); }, "nested deeper than 16") == Errc::kCorrupt);
}

TEST_CASE_METHOD(TuningFolder, "a tuning whose parts do not fit together is refused") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::function<void(Tuning&)> faults[] = {
      [](Tuning& t) { t.combiner.coefficients[3] = kNan; },
      [](Tuning& t) { t.combiner.calibration.offset = kNan; },
      [](Tuning& t) { t.combiner.calibration.likely = -1; },
      [](Tuning& t) { t.thresholds["a"] = kNan; }};
  for (const auto& fault : faults) {
    Tuning tuning = some_tuning();
    fault(tuning);
    write_tuning(database, tuning);
    CHECK(code_of([&] { read_tuning(database, "u"); }, "do not fit together; tune again") ==
          Errc::kCorrupt);
  }
}

TEST_CASE(
    "an engine passes over a tuning of another index or format, and says so unless it was found") {
  const test::TopicalCollection collection(20);
  const auto unused = [&] {
    const api::StatusAnswer status = Engine(collection.path, {}).status();
    CHECK_FALSE(status.tuning);
    return status.tuning_unused;
  };
  Tuning tuning = some_tuning();
  tuning.automatic = false;
  write_tuning(collection.path, tuning);
  CHECK(unused().find("made for another index") != std::string::npos);

  tuning.automatic = true;
  write_tuning(collection.path, tuning);
  CHECK(unused().empty());

  test::put_file(tuning_path(collection.path), "kindred-tuning 10 529 1cbfd6d\n");
  CHECK(unused().find("not used: ") == 0);
}

TEST_CASE("tagging follows a tuning from the next refresh on") {
  const test::TopicalCollection collection;
  Engine engine(collection.path, {});
  const TuneReport report = tune(Engine(collection.path, test::untuned()), {});
  write_tuning(collection.path, report.tuning);
  REQUIRE(engine.refresh());
  REQUIRE(engine.status().tuning);
  CHECK(engine.status().tuning->scores.micro_f1 == report.tuning.scores.micro_f1);
  CHECK(engine.classify(UniqueId{"d1"}).tags.at(0).label == "label1");
  CHECK(remove_tuning(collection.path));
  CHECK(engine.refresh());
  CHECK_FALSE(engine.status().tuning);
  CHECK_FALSE(engine.refresh());
}

TEST_CASE("a tuning whose filter leaves no voter is not used, says so, and is due") {
  const VerifiedCollection collection;
  std::vector<std::string> said;
  Engine engine(collection.path, test::on_cpu(),
                [&](const std::string& message) { said.push_back(message); });
  REQUIRE(engine.status().tuning);
  CHECK(engine.status().tuning_unused.empty());
  CHECK_FALSE(engine.status().tuning_due);

  edit_label(collection.path, engine.settings(), {{.label = "verified", .name = ""}});
  said.clear();
  REQUIRE(engine.refresh());
  const std::string why = engine.status().tuning_unused;
  CHECK(why.find("its filter 'label:verified' matches fewer than 2 labeled documents") !=
        std::string::npos);
  CHECK_FALSE(engine.status().tuning);
  CHECK(engine.status().tuning_due);
  CHECK(std::ranges::any_of(said, [&](const auto& line) { return line.ends_with(why); }));
  CHECK(answers_of(collection.path, "") == answers_of(collection.path, "", test::untuned()));
  CHECK_FALSE(engine.refresh());  // the file is not read again and again

  REQUIRE(engine.tune_if_needed());
  CHECK(engine.status().tuning_unused.empty());
  REQUIRE(engine.status().tuning);
  CHECK(engine.status().tuning->filter.empty());
  CHECK(engine.status().tuning->voters == 300);
}

TEST_CASE("a tuning is used again once its filter leaves voters") {
  const VerifiedCollection collection;
  Engine engine(collection.path, test::on_cpu());
  const Classification before = engine.classify(UniqueId{"d250"});
  edit_label(collection.path, engine.settings(), {{.label = "verified", .name = ""}});
  REQUIRE(engine.refresh());
  REQUIRE_FALSE(engine.status().tuning);
  std::vector<DocumentEdit> edits;
  for (int i = 0; i < 200; ++i) {
    edits.emplace_back().id = "d" + std::to_string(i);
    edits.back().add = {"verified"};
  }
  edit_documents(collection.path, engine.settings(), edits);
  REQUIRE(engine.refresh());
  REQUIRE(engine.status().tuning);
  CHECK(engine.status().tuning_unused.empty());
}

TEST_CASE("a label that is renamed keeps its answers, but for its name") {
  const VerifiedCollection collection("label:verified OR (label:\"label1\" AND NOT label:label0)");
  const std::string from = GENERATE("verified", "label1");
  const std::string to = GENERATE("checked", "aa", "zz \"1\" (z)");
  CAPTURE(from, to);
  const auto before = answers_of(collection.path, from);
  const LabelChange change =
      edit_label(collection.path, test::on_cpu(), {{.label = from, .name = to}});
  CHECK(change.documents > 50);
  CHECK_FALSE(change.merged);
  CHECK(answers_of(collection.path, to) == before);
  const auto tuning = read_tuning(collection.path, "");
  CHECK(tuning->thresholds.contains(to));
  CHECK_FALSE(tuning->thresholds.contains(from));
  CHECK(tuning->classifiers->labels.find(to));
  CHECK_FALSE(tuning->classifiers->labels.find(from));
  CHECK(tuning->filter.find(from) == std::string::npos);
  CHECK_FALSE(Engine(collection.path, test::on_cpu()).status().tuning_due);
  edit_label(collection.path, test::on_cpu(), {{.label = to, .name = from}});
  CHECK(answers_of(collection.path, from) == before);
}

TEST_CASE("while a label is renamed, documents vote under the old name and under the new one") {
  const VerifiedCollection collection(GENERATE("label:verified", "label:verified label:none",
                                               "NOT (NOT label:verified)",
                                               "-label:draft +label:verified"));
  const std::vector<std::string> before = voters_of(collection.path);
  REQUIRE(before.size() > 30);
  Settings settings = test::on_cpu();
  settings.index.batch = 60;
  std::uint64_t commits = 0;
  const auto look = [&](std::uint64_t, std::uint64_t) {
    CHECK(voters_of(collection.path) == before);
    if (++commits == 2) throw Error(Errc::kCanceled, "canceled after two commits");
  };
  LabelEdit edit;
  edit.label = "verified";
  edit.name = "checked";
  edit.on_progress = look;
  CHECK(code_of([&] { edit_label(collection.path, settings, edit); }) == Errc::kCanceled);
  const auto between = read_tuning(collection.path, "");
  CHECK(between->thresholds.at("verified") == between->thresholds.at("checked"));

  edit_label(collection.path, settings, edit);  // continues
  CHECK(commits > 3);
  CHECK(voters_of(collection.path) == before);
  CHECK_FALSE(read_tuning(collection.path, "")->thresholds.contains("verified"));
}

TEST_CASE("a label that is removed leaves a tuning that does not know it") {
  const VerifiedCollection collection("NOT label:draft");
  CHECK_FALSE(
      edit_label(collection.path, test::on_cpu(), {{.label = "verified", .name = ""}}).merged);
  const auto tuning = read_tuning(collection.path, "");
  CHECK_FALSE(tuning->thresholds.contains("verified"));
  CHECK_FALSE(tuning->classifiers->labels.find("verified"));
  CHECK(tuning->thresholds.size() == 5);
  CHECK(tuning->filter == "NOT label:draft");
}

TEST_CASE("labels that become one keep the tuning of the one that stays, and make it due") {
  const VerifiedCollection collection("label:verified");
  const double threshold = read_tuning(collection.path, "")->thresholds.at("label2");
  CHECK(
      edit_label(collection.path, test::on_cpu(), {{.label = "label1", .name = "label2"}}).merged);
  Engine engine(collection.path, test::on_cpu());
  const auto tuning = Reading(engine).snapshot->voting().tuning();
  CHECK(tuning->thresholds.at("label2") == threshold);
  CHECK_FALSE(tuning->thresholds.contains("label1"));
  CHECK(engine.status().tuning_due);
  REQUIRE(engine.tune_if_needed());
  CHECK_FALSE(engine.status().tuning_due);
  CHECK(engine.status().tuning->filter == "label:verified");
  CHECK_FALSE(engine.status().tuning->automatic);
}

TEST_CASE("a query asks for a label by its new name wherever it asked for the old one") {
  const FilterFields fields = filter_fields();
  const auto renamed = [&](const std::string& query) {
    return with_label_renamed(query, fields, "to do", "a \"b\"");
  };
  const std::string now = "label:\"a \"\"b\"\"\"";
  CHECK(renamed("label:\"to do\"") == now);
  CHECK(renamed("(x label:\"to do\") OR NOT label:\"to do\"") == "(x " + now + ") OR NOT " + now);
  CHECK(renamed("-label:\"to do\" predicted:\"to do\" id:\"to do\"") ==
        "-" + now + " predicted:\"a \"\"b\"\"\" id:\"to do\"");
  CHECK(renamed("label:to do \"label:to do\"") == "label:to do \"label:to do\"");
  CHECK(with_label_renamed("label:a", fields, "a", "b") == "label:\"b\"");
}

TEST_CASE("the memory of a snapshot is all that it holds: the model of its tags, and class sums") {
  const test::TopicalCollection collection;
  Settings settings = test::on_cpu();
  Engine engine(collection.path, settings);
  const api::StatusAnswer untuned = engine.status();
  Tuning tuning = tune(Engine(collection.path, test::untuned()), {}).tuning;
  std::map<std::string, double> many;
  for (int i = 0; i < 1000; ++i) many["Zterm" + std::to_string(i)] = 0.1;
  tuning.weights = weights_of(many);
  write_tuning(collection.path, tuning);
  REQUIRE(engine.refresh());
  const api::StatusAnswer tuned = engine.status();
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
  const auto open = [&] { Engine(collection.path, {}); };
  CHECK(code_of(open, path + ": Is a FIFO") == Errc::kInvalidArgument);
  std::filesystem::remove(path);
  std::filesystem::create_symlink("/dev/zero", path);
  CHECK(code_of(open, "Is a link") == Errc::kInvalidArgument);
}

TEST_CASE_METHOD(TuningFolder, "of tunings that are stored at once one is there, whole") {
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
