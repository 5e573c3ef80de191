#include "plugin/vocabulary/vocabulary.h"

#include "plugin/store/kept_files.h"
#include "plugin/vocabulary/checked_terms.h"
#include "plugin/vocabulary/vocabulary_file.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::says;

namespace {

using Ids = std::vector<std::string>;

api::VocabularyTerm term(const std::string& id, std::vector<api::LanguageText> names,
                         std::vector<std::string> broader = {}) {
  api::VocabularyTerm made;
  made.id = id;
  made.names = std::move(names);
  made.broader = std::move(broader);
  return made;
}

/// Three terms of a thesaurus, of which two are called Mercury.
std::vector<api::VocabularyTerm> three_terms() {
  std::vector<api::VocabularyTerm> terms = {
      term("4015134-7", {{"Erdbeben", "de"}, {"Earthquake", "en"}}, {"4000001-1"}),
      term("4000002-2", {{"Mercury (planet)", "en"}, {"Merkur", "de"}}),
      term("4000001-1", {{"Mercury", {}}})};
  terms[0].synonyms = {{"Beben", "de"}, {"Séisme", "fr"}};
  terms[1].synonyms = {{"mercury", "en"}};
  terms[1].use_instead = {"4000001-1"};
  terms[1].note = "the one that is hot";
  terms[1].deprecated = true;
  return terms;
}

Ids ids_of(const Vocabulary& vocabulary, const std::vector<std::size_t>& terms) {
  Ids ids;
  for (const std::size_t each : terms) ids.emplace_back(vocabulary.id(each));
  return ids;
}

/// "0: fault" of each mistake, one a line.
std::string mistakes_of(std::vector<api::VocabularyTerm> terms) {
  std::string text;
  for (const auto& mistake : check_terms(std::move(terms), {}).mistakes)
    text += std::to_string(mistake.term) + ": " + mistake.fault + "\n";
  return text;
}

}  // namespace

TEST_CASE("a vocabulary gives all of a term back, and its terms in byte order of their ids") {
  const Vocabulary vocabulary(three_terms());
  REQUIRE(vocabulary.size() == 3);
  CHECK(vocabulary.id(0) == "4000001-1");
  CHECK(vocabulary.find("4015134-7") == 2);
  CHECK_FALSE(vocabulary.find("4015134"));

  const api::VocabularyTerm second = vocabulary.term(1);
  CHECK(second.id == "4000002-2");
  REQUIRE(second.names.size() == 2);
  CHECK(second.names[1].text == "Merkur");
  CHECK(second.names[1].language == "de");
  CHECK(second.synonyms[0].text == "mercury");
  CHECK(second.use_instead == Ids{"4000001-1"});
  CHECK(second.note == "the one that is hot");
  CHECK(second.deprecated);
  CHECK(vocabulary.term(2).broader == Ids{"4000001-1"});
  CHECK_FALSE(vocabulary.term(0).names[0].language);
}

TEST_CASE("a name is in the first language that the term has one in, else the first name") {
  const Vocabulary vocabulary(three_terms());
  const auto name = [&](const Ids& languages) { return vocabulary.name(2, languages); };
  CHECK(name({"en", "de"}) == "Earthquake");
  CHECK(name({"de-AT", "en"}) == "Erdbeben");
  CHECK(name({"fr", "en_US"}) == "Earthquake");
  CHECK(name({"fr"}) == "Erdbeben");
  CHECK(name({}) == "Erdbeben");
}

TEST_CASE("terms are found by names and synonyms, whatever their case and accents") {
  const Vocabulary vocabulary(three_terms());
  CHECK(ids_of(vocabulary, vocabulary.named("EARTHQUAKE")) == Ids{"4015134-7"});
  CHECK(ids_of(vocabulary, vocabulary.named("seisme")) == Ids{"4015134-7"});
  CHECK(ids_of(vocabulary, vocabulary.named("Mercury")) == Ids{"4000001-1", "4000002-2"});
  CHECK(vocabulary.named("quake").empty());
  CHECK(vocabulary.named("").empty());

  // What is called so is first, then what begins so.
  CHECK(ids_of(vocabulary, vocabulary.search("e")) == Ids{"4015134-7", "4000001-1", "4000002-2"});
  CHECK(ids_of(vocabulary, vocabulary.search("beben")) == Ids{"4015134-7"});
  CHECK(vocabulary.search("\n").empty());
}

TEST_CASE("what is wrong with terms is left out, and told with the term") {
  CHECK(mistakes_of(three_terms()).empty());

  // What is wrong with a term as a whole.
  CHECK(mistakes_of({term("", {{"a", {}}})}) == "0: has no id\n");
  CHECK(mistakes_of({term("1", {})}) == "0: has no name\n");
  CHECK(mistakes_of({term("1", {{" \n ", {}}})}) == "0: has no name\n");
  CHECK(says(mistakes_of({term("\xff", {{"a", {}}})}), {"not UTF-8"}));
  CHECK(says(mistakes_of({term(std::string(300, 'x'), {{"a", {}}})}), {"too long", "300 bytes"}));
  CHECK(
      says(mistakes_of({term("1", {{std::string(1 << 20, 'x'), {}}})}), {"1048576 bytes", "1000"}));
  CHECK(says(mistakes_of({term("1", {{"a", "d e"}})}), {"a language", "'d e'"}));
  CHECK(says(mistakes_of({term("1", {{"a", {}}}), term(" 1", {{"b", {}}})}),
             {"1: the id is there twice, first in term 1"}));

  // What is wrong with its links costs these alone.
  const auto chain = check_terms({term("1", {{"a", {}}}, {"2", "9"}), term("2", {{"b", {}}}, {"3"}),
                                  term("3", {{"c", {}}}, {"1", "3"})},
                                 {});
  REQUIRE(chain.mistakes.size() == 3);
  CHECK(says(chain.mistakes[0].fault, {"broader term '9' is not in the vocabulary"}));
  CHECK(says(chain.mistakes[1].fault, {"'3' is the term itself"}));
  CHECK(says(chain.mistakes[2].fault, {"'1' closes a circle"}));
  REQUIRE(chain.terms.size() == 3);
  CHECK(chain.terms[0].broader == Ids{"2"});
  CHECK(chain.terms[2].broader.empty());
}

TEST_CASE("a chain of a hundred thousand broader terms is no danger") {
  std::vector<api::VocabularyTerm> terms;
  for (int i = 0; i < 100'000; ++i)
    terms.push_back(term(std::to_string(i), {{"name", {}}}, {std::to_string((i + 1) % 100'000)}));
  CHECK(check_terms(std::move(terms), {}).mistakes.size() == 1);
}

TEST_CASE("white space in names is single spaces, and a vocabulary has a bounded size") {
  const CheckedTerms checked = check_terms({term("1", {{" a\t\n b ", {}}})}, {});
  CHECK(checked.terms[0].names[0].text == "a b");

  std::vector<api::VocabularyTerm> many(kMostVocabularyTerms + 1);
  CHECK(test::code_of([&] { check_terms(std::move(many), {}); }, "1000000") ==
        Errc::kInvalidArgument);
}

TEST_CASE("a vocabulary is stored and read back, and a damaged one is refused with its name") {
  const test::TemporaryPath database;
  CHECK(read_vocabulary(database.path) == nullptr);
  CHECK(vocabulary_stamp(database.path).empty());

  const Vocabulary vocabulary(three_terms());
  write_vocabulary(database.path, vocabulary);
  const auto read = read_vocabulary(database.path);
  REQUIRE(read != nullptr);
  CHECK(read->stamp() == vocabulary_stamp(database.path));
  REQUIRE(read->size() == 3);
  CHECK(read->name(2, Ids{"en"}) == "Earthquake");
  CHECK(read->term(1).note == "the one that is hot");
  CHECK(ids_of(*read, read->search("seis")) == Ids{"4015134-7"});

  // Any byte that is changed is seen.
  const std::string path = vocabulary_path(database.path);
  const std::string bytes = test::file_text(path);
  for (std::size_t at = 0; at < bytes.size(); at += 97) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    test::put_file(path, damaged);
    std::shared_ptr<const Vocabulary> whole;
    const Error error = test::error_of([&] { whole = read_vocabulary(database.path); });
    const bool is_told = error.code() != Errc::kOk && says(error.what(), {path.c_str()});
    CHECK((is_told || (whole != nullptr && whole->size() == 3)));
  }

  CHECK(remove_vocabulary(database.path));
  CHECK_FALSE(remove_vocabulary(database.path));
}

TEST_CASE("parts of a vocabulary that do not fit together are refused") {
  const Vocabulary::Stored good = Vocabulary(three_terms()).stored();
  const auto is_refused = [](const Vocabulary::Stored& stored) {
    return test::error_of([&] { Vocabulary(stored, ""); }).code() == Errc::kCorrupt;
  };
  CHECK_FALSE(is_refused(good));

  Vocabulary::Stored bad = good;
  bad.parts[0].kind = Vocabulary::Part::kName;
  CHECK(is_refused(bad));
  bad = good;
  bad.parts[1].bytes += 1;
  CHECK(is_refused(bad));
  bad = good;
  bad.parts[1].language = 99;
  CHECK(is_refused(bad));
  bad = good;
  bad.parts[1].kind = 77;
  CHECK(is_refused(bad));
  bad = good;
  bad.folded += "one more\n";
  CHECK(is_refused(bad));
  CHECK(is_refused({}));
}
