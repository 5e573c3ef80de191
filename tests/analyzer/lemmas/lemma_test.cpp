// Lemmas instead of stems: from Hunspell dictionaries, which these tests write, and from lists.
#include "analyzer/analysis_record.h"
#include "analyzer/analyzer.h"
#include "analyzer/lemmas/lemma_source.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::error_of;
using test::says;
using test::TemporaryDirectory;

namespace {

/// A folder with dictionaries and lists.
struct Folder {
  TemporaryDirectory folder;

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder / name, std::ios::binary) << content;
    return folder / name;
  }

  /// A dictionary with the suffix rule S: -s, and P: -en for -a.
  void write_dictionary(const std::string& name, const std::string& entries,
                        const std::string& encoding = "UTF-8") const {
    write(name + ".aff", "SET " + encoding + "\nSFX S Y 1\nSFX S 0 s .\nSFX P Y 1\nSFX P a en a\n");
    write(name + ".dic", "9\n" + entries);
  }

  AnalyzerSettings settings(const std::string& language, std::vector<std::string> lemmas) const {
    AnalyzerSettings settings;
    settings.language = language;
    settings.lemmas = std::move(lemmas);
    return settings;
  }

  /// An item of AnalyzerSettings::lemmas: the dictionary of this name.
  std::string item(const std::string& name) const {
    return name.substr(0, 2) + "=hunspell:" + folder / name;
  }
};

std::string terms(const AnalyzerSettings& settings, std::string_view text) {
  Analyzer analyzer(settings);
  std::string result;
  for (const Token& token : analyzer.tokens(text))
    result += (result.empty() ? "" : " ") + token.term;
  return result;
}

AnalysisRecord record_of(const AnalyzerSettings& analyzer) {
  Settings settings;
  settings.analyzer = analyzer;
  return analysis_record(settings);
}

bool without_hunspell() {
  if (!hunspell_version().empty()) return false;
  WARN("skipped: this build has no Hunspell");
  return true;
}

}  // namespace

TEST_CASE("a word gets the lemma of the dictionary, and an unknown one its stem") {
  if (without_hunspell()) return;
  const Folder f;
  f.write_dictionary("es_ES", "casa/S\nfui st:ir\nni\xC3\xB1o/S\n\xC3\xA1rbola/P\n");
  AnalyzerSettings settings = f.settings("es", {f.item("es_ES")});
  CHECK(terms(settings, "Casas casa") == "casa casa");
  CHECK(terms(settings, "NI\xC3\x91OS") == "ni\xC3\xB1o");
  CHECK(terms(settings, "perros") == "perr");
  CHECK(terms(settings, "1999") == "1999");
  settings.fold_accents = true;
  CHECK(terms(settings, "\xC3\x81rbolen") == "arbola");  // asked for with its accent
}

TEST_CASE("a lemma that is named goes before the entry; of several the shortest, then the first") {
  if (without_hunspell()) return;
  const Folder f;
  const std::string several = "saws st:sawing\nsaws st:saw\nsaws st:see\n";
  f.write_dictionary("en_US", "went\tst:go\nmice st:mouse\n" + several);
  CHECK(terms(f.settings("en", {f.item("en_US")}), "Went mice saws") == "go mouse saw");
}

TEST_CASE("a noun that the dictionary spells with a capital is found in any case") {
  if (without_hunspell()) return;
  const Folder f;
  f.write_dictionary("de_DE",
                     "Oma/S\nStra\xC3\x9F"
                     "a/P\n");
  const AnalyzerSettings settings = f.settings("de", {f.item("de_DE")});
  CHECK(terms(settings, "Omas omas OMAS") == "oma oma oma");
  CHECK(terms(settings,
              "stra\xC3\x9F"
              "en") == "strassa");
}

TEST_CASE("a part of a compound is no lemma, and the compound gets its stem") {
  if (without_hunspell()) return;
  const Folder f;
  f.write("de_DE.aff", "SET UTF-8\nCOMPOUNDFLAG C\nSFX S Y 1\nSFX S 0 n .\n");
  f.write("de_DE.dic", "3\nlaufwerk/C\nport/C\nkatze/SC\n");
  CHECK(terms(f.settings("de", {f.item("de_DE")}), "Laufwerkports Laufwerkport Katzen") ==
        "laufwerkport laufwerkport katze");
}

TEST_CASE("dictionaries may be in other encodings than UTF-8") {
  if (without_hunspell()) return;
  const Folder f;
  f.write_dictionary("fr", "cl\xE9/S\n", "ISO8859-1");
  CHECK(terms(f.settings("fr", {f.item("fr")}), "Cl\xC3\xA9s") == "cl\xC3\xA9");
  f.write_dictionary("ru_RU", "\xC4\xCF\xCD\xC1 st:\xC4\xCF\xCD\n", "KOI8-R");
  const AnalyzerSettings russian = f.settings("ru", {f.item("ru_RU")});
  CHECK(terms(russian, "\xD0\x94\xD0\xBE\xD0\xBC\xD0\xB0") == "\xD0\xB4\xD0\xBE\xD0\xBC");
  CHECK(terms(russian, "\xE6\x9D\xB1") == "\xE6\x9D\xB1");  // which the encoding lacks
  f.write_dictionary("uk_UA", "a\n", "EBCDIC-42");
  const Error error = error_of([&] { Analyzer(f.settings("uk", {f.item("uk_UA")})); });
  CHECK(error.code() == Errc::kUnsupported);
  CHECK(says(error.what(), {"uk_UA.aff", "EBCDIC-42"}));
}

TEST_CASE("a dictionary that is not there is an error that names the package") {
  const Folder f;
  const auto message = [&](const std::string& language, const std::string& lemmas) {
    const Error error = error_of([&] { record_of(f.settings(language, {lemmas})); });
    CHECK(error.code() == Errc::kNotFound);
    return std::string(error.what());
  };
  CHECK(
      says(message("eo", "eo=hunspell"), {"\"eo\"", "/usr/share/hunspell", "package myspell-eo"}));
  CHECK(says(message("pt", "pt=hunspell:pt_XX"), {"\"pt_XX\"", "package hunspell-pt-xx"}));
  CHECK(says(message("pt", f.item("pt_XX")), {"analyzer.lemmas", "/pt_XX.aff"}));
}

TEST_CASE("spellings of one word have one lemma, unless the filter for spellings is left out") {
  const Folder f;
  const std::string list = f.write("de.tsv", "m\xC3\xBChle\tm\xC3\xBChlen\n");
  AnalyzerSettings settings = f.settings("de", {"de=" + list});
  CHECK(terms(settings, "M\xC3\xBChlen Muehlen Muehle") ==
        "m\xC3\xBChle m\xC3\xBChle m\xC3\xBChle");
  std::erase(settings.filters, "normalize");
  CHECK(terms(settings, "M\xC3\xBChlen Muehlen") == "m\xC3\xBChle muehl");
  const std::string russian = f.write("ru.tsv", "ёлка\tёлки\n");
  CHECK(terms(f.settings("ru", {"ru=" + russian}), "ёлки") == "елка");
}

TEST_CASE("lists give lemmas by form, and a lemma is a form of itself") {
  const Folder f;
  const std::string list = f.write("en.tsv", "# verbs\nGo\twent\ngo\tgone\nhouse\thouses\n");
  const AnalyzerSettings settings = f.settings("en", {"en=" + list});
  CHECK(terms(settings, "went Gone goes houses house") == "go go goe house house");
  CHECK(terms(f.settings("de", {"en=" + list}), "went") == "went");
}

TEST_CASE("the first source that knows a word decides") {
  const Folder f;
  const std::string first = f.write("first.tsv", "one\tones\n");
  const std::string second = f.write("second.tsv", "uno\tones\ntwo\ttwos\n");
  const AnalyzerSettings settings = f.settings("en", {"en=" + first, "en=" + second});
  CHECK(terms(settings, "ones twos") == "one two");
}

TEST_CASE("a list that is wrong is an error that names its line") {
  const Folder f;
  const std::string list = f.write("en.tsv", "go\twent\ngo gone\n");
  const Error error = error_of([&] { Analyzer(f.settings("en", {"en=" + list})); });
  CHECK(error.code() == Errc::kInvalidArgument);
  CHECK(says(error.what(), {"en.tsv, line 2", "expected lemma TAB form"}));
}

TEST_CASE("threads that share a dictionary get the same lemmas") {
  if (without_hunspell()) return;
  const Folder f;
  std::string entries, text, expected;
  for (char a = 'a'; a <= 'z'; ++a)
    for (char b = 'a'; b <= 'z'; ++b) {
      const std::string word = std::string("word") + a + b;
      entries += word + "/S\n";
      text += word + "s ";
      expected += (expected.empty() ? "" : " ") + word;
    }
  f.write_dictionary("en_US", entries);
  AnalyzerSettings settings = f.settings("en", {f.item("en_US")});
  settings.filters = {"lemma"};
  std::vector<std::string> found(4);
  std::vector<std::thread> threads;
  for (std::string& result : found) threads.emplace_back([&] { result = terms(settings, text); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& result : found) CHECK(result == expected);
}

TEST_CASE("threads open and close dictionaries as they like") {
  if (without_hunspell()) return;
  const Folder f;
  std::vector<std::jthread> threads;
  for (const std::string name : {"en_AU", "en_GB", "en_US"}) {
    f.write_dictionary(name, "word/S\n");
    threads.emplace_back([settings = f.settings("en", {f.item(name)})] {
      for (int i = 0; i < 500; ++i) terms(settings, "words");
    });
  }
}

TEST_CASE("the record of an analysis holds the settings and rules of languages") {
  AnalyzerSettings settings;
  settings.language = "de";
  const AnalysisRecord before = record_of(settings);
  CHECK(before.versions.at("language rules").starts_with("de "));
  for (const char* key : {"detect", "languages", "cjk", "filters", "ngrams"})
    CHECK(before.rules.contains(std::string("analyzer.") + key));
  CHECK(before.rules.at("index.body_fields") == "[]");
  settings.cjk = "bigrams";
  CHECK(record_of(settings).rules != before.rules);
  CHECK(record_of(settings).versions == before.versions);
  settings.language = "sr";
  CHECK(record_of(settings).versions.at("language rules") != before.versions.at("language rules"));
}

TEST_CASE("the record of an analysis changes with what a dictionary or list holds") {
  const Folder f;
  f.write_dictionary("es_ES", "casa/S\n");
  const std::string list = f.write("es.tsv", "ir\tfui\n");
  const AnalyzerSettings settings = f.settings("es", {f.item("es_ES"), "es=" + list});
  const AnalysisRecord before = record_of(settings);
  CHECK(record_of(settings) == before);
  CHECK(before.versions.contains("ICU"));
  f.write("es.tsv", "ser\tfui\n");
  const AnalysisRecord other_list = record_of(settings);
  CHECK(other_list.rules.at("analyzer.lemmas") != before.rules.at("analyzer.lemmas"));
  f.write_dictionary("es_ES", "casa/S\nmesa/S\n");
  CHECK(record_of(settings) != other_list);
}
