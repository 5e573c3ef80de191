// The file of a tuning, and how an engine follows it.
#include "plugin/votes/tuning/tuning.h"

#include <sys/stat.h>
#include <zlib.h>

#include "plugin/store/string_table.h"
#include "plugin/votes/classes/linear_classifiers.h"
#include "plugin/votes/label_weights.h"
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

/// A tuning file of this body, whose checksum is right.
std::string vouched_for(const std::string& body) {
  const std::string summed = body + "10";
  const uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(summed.data()), summed.size());
  std::ostringstream first;
  first << "kindred-tuning 10 " << body.size() << ' ' << std::hex << sum << '\n';
  return first.str() + body;
}

/// The folder of a database, and where its tuning is.
struct TuningFolder {
  TuningFolder() { std::filesystem::create_directory(database); }
  test::TemporaryDirectory directory;
  std::string database = directory / "db", path = database + "/kindred.tuning";
};

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

TEST_CASE_METHOD(TuningFolder, "damage to a tuning file is found wherever it is") {
  write_tuning(database, some_tuning());
  const std::string whole = test::file_text(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    test::put_file(path, damaged);
    const Error error = test::error_of([&] { read_tuning(database, "u"); });
    INFO(i);
    CHECK((error.code() == Errc::kCorrupt || error.code() == Errc::kUnsupported));
    CHECK(test::says(error.what(), {path.c_str(), "expected"}));
  }
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, whole.size() / 2, whole.size() - 1}) {
    test::put_file(path, whole.substr(0, size));
    CHECK(code_of([&] { read_tuning(database, "u"); }) == Errc::kCorrupt);
  }
  test::put_file(path, whole + "x");
  CHECK(code_of([&] { read_tuning(database, "u"); }) == Errc::kCorrupt);
}

TEST_CASE_METHOD(TuningFolder,
                 "a tuning of another index or version is refused, and says what was expected") {
  write_tuning(database, some_tuning());
  CHECK(code_of([&] { read_tuning(database, "other"); },
                "another index: expected uuid other, found u") == Errc::kCorrupt);
  const std::string whole = test::file_text(path);
  for (const std::string version : {"9", "11"}) {
    std::string other = whole;
    other.replace(other.find(" 10 "), 4, " " + version + " ");
    test::put_file(path, other);
    CHECK(code_of([&] { read_tuning(database, "u"); },
                  "version " + version + " of the format, expected 10; tune again") ==
          Errc::kUnsupported);
  }
}

TEST_CASE_METHOD(TuningFolder,
                 "a tuning that nests very deeply is refused, and does not end the stack") {
  const std::size_t depth = GENERATE(17, 2000000);
  test::put_file(path, vouched_for(std::string(depth, '\x81') + '\x00'));  // lists in lists
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

TEST_CASE("an engine refuses a tuning of another index, and passes over one of another format") {
  const test::TopicalCollection collection(20);
  write_tuning(collection.path, some_tuning());
  CHECK(code_of([&] { Engine(collection.path, {}); }, "kindred.tuning") != Errc::kOk);
  CHECK_FALSE(Engine(collection.path, test::untuned()).status().tuning);
  test::put_file(tuning_path(collection.path), "kindred-tuning 2 529 1cbfd6d\n");
  CHECK_FALSE(Engine(collection.path, {}).status().tuning);
}

TEST_CASE("tagging follows a tuning from the next refresh on") {
  const test::TopicalCollection collection;
  Engine engine(collection.path, {});
  const TuneReport report = Engine(collection.path, test::untuned()).tune({});
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

TEST_CASE("the memory of a snapshot is all that it holds: the model of its tags, and class sums") {
  const test::TopicalCollection collection;
  Settings settings = test::on_cpu();
  Engine engine(collection.path, settings);
  const Status untuned = engine.status();
  Tuning tuning = Engine(collection.path, test::untuned()).tune({}).tuning;
  std::map<std::string, double> many;
  for (int i = 0; i < 1000; ++i) many["Zterm" + std::to_string(i)] = 0.1;
  tuning.weights = weights_of(many);
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
