#include "analyzer/analysis_record.h"

#include <unicode/uchar.h>
#include <unicode/uversion.h>

#include <algorithm>

#include "analyzer/lemmas/dictionary_files.h"
#include "analyzer/lemmas/lemma_source.h"
#include "analyzer/text/detect.h"
#include "analyzer/text/language.h"
#include "analyzer/text/stemmer.h"
#include "analyzer/text/utf8.h"
#include "analyzer/text/word_list.h"
#include "config/shown.h"

namespace kindred {
namespace {

/// Raised by whoever changes a step of analysis so that texts get other terms.
constexpr const char* kStepsVersion = "4";

std::string file_record(const std::string& path, std::string_view purpose) {
  return "file " + checksum_text(read_word_list(path, purpose));
}

/// The items of the setting `key`, with checksums in place of paths.
std::string items_record(const std::vector<std::string>& items, const std::string& key) {
  std::string text;
  for (const std::string& each : items) {
    const DictionaryItem item = parse_dictionary_item(each);
    append_item(text, item.language + '=');
    if (!item.is_hunspell) {
      text += file_record(item.where, key);
      continue;
    }

    // A dictionary may be replaced under its name, so its content counts, not only where it is.
    const DictionaryFiles files = dictionary_of(item, key);
    text += "hunspell:" + files.name + ' ';
    text += checksum_text(read_dictionary_file(files.aff()) + read_dictionary_file(files.dic()));
  }
  return text;
}

std::string version_text(const UVersionInfo& version) {
  char text[U_MAX_VERSION_STRING_LENGTH];
  u_versionToString(version, text);
  return text;
}

std::string stop_words_checksum() {
  std::string lists;
  for (const BuiltinStopWords& list : builtin_stop_words())
    lists += std::string(list.language) + '\n' + std::string(list.list);
  return checksum_text(lists);
}

/// What tells this build of Snowball from others, since libstemmer does not say its version: how
/// many stemmers it has, and a checksum of their names and of what they make of the built-in stop
/// words.
std::string stemmer_fingerprint() {
  const std::vector<std::string> names = stemmer_names();
  std::string made;
  for (const std::string& name : names) {
    made += name + '\n';
    Stemmer stemmer(name);

    // The built-in stop words are a sample of the language. A set has no order; the checksum needs
    // one.
    const Language language = find_language(name);
    const WordSet words = stop_words("builtin", language, Normalizer(language, false));
    std::vector<std::string> sorted(words.begin(), words.end());
    std::sort(sorted.begin(), sorted.end());
    for (const std::string& word : sorted) made += stemmer.stem(word) + '\n';
  }
  return std::to_string(names.size()) + " stemmers, " + checksum_text(made);
}

/// "en 0123456789abcdef, others 0123456789abcdef": the rules of the language, and of all that
/// documents may name or be found to be in.
std::string language_rules_record(const AnalyzerSettings& settings) {
  const LanguageRules& own = *find_language(settings.language).rules;
  std::string others;
  for (const LanguageRules& rules : language_rules())
    if (rules.code != own.code) others += '[' + rules.code + "]\n" + rules.text + '\n';
  const std::string code = own.code.empty() ? "none" : own.code;
  return code + ' ' + checksum_text(own.text) + ", others " + checksum_text(others);
}

std::map<std::string, std::string> versions_of(const AnalyzerSettings& settings) {
  // ICU and Unicode may be another version at run time than at build time.
  UVersionInfo icu;
  UVersionInfo unicode;
  u_getVersion(icu);
  u_getUnicodeVersion(unicode);

  // Slow to find out, and the same for as long as the process lives.
  static const std::string snowball = stemmer_fingerprint();
  static const std::string stop_words = stop_words_checksum();
  std::map<std::string, std::string> versions = {{"ICU", version_text(icu)},
                                                 {"Unicode", version_text(unicode)},
                                                 {"Snowball", snowball},
                                                 {"stop words", stop_words},
                                                 {"steps", kStepsVersion}};

  // What only some settings use counts only with them: to others a new version of it is no change.
  versions["language rules"] = language_rules_record(settings);
  if (settings.detect != "off") versions["CLD2"] = LanguageDetector::version();
  for (const std::string& item : settings.lemmas)
    if (parse_dictionary_item(item).is_hunspell) versions["Hunspell"] = hunspell_version();
  return versions;
}

}  // namespace

AnalysisRecord analysis_record(const Settings& whole) {
  const AnalyzerSettings& settings = whole.analyzer;
  AnalysisRecord record;

  // The settings as they stand. Where one names a file, its content takes the place of the path
  // below: a list that is moved gives the same terms, and one that is edited in place does not.
  for (const std::string& key : known_keys())
    if (key.starts_with("analyzer.") || key == "index.body_fields")
      record.rules[key] = setting_text(whole, key);
  record.rules["analyzer.lemmas"] = items_record(settings.lemmas, "analyzer.lemmas");
  record.rules["analyzer.compounds"] = items_record(settings.compounds, "analyzer.compounds");

  const auto put_file = [&](const std::string& key, const std::string& path) {
    const bool is_file = !path.empty() && path != "builtin" && path != "none";
    if (is_file) record.rules["analyzer." + key] = file_record(path, key);
  };
  put_file("stop_words", settings.stop_words);
  put_file("stem_overrides", settings.stem_overrides);

  record.versions = versions_of(settings);
  return record;
}

}  // namespace kindred
