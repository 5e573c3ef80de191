#include "analyzer/lemmas/lemma_source.h"

#include "analyzer/lemmas/dictionary_item.h"
#include "analyzer/lemmas/hunspell_lemmas.h"
#include "analyzer/lemmas/lemma_list.h"
#include "analyzer/lemmas/shared_objects.h"
#include "analyzer/text/utf8.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

using SourcePointer = std::shared_ptr<const LemmaSource>;

SourcePointer open_dictionary(const DictionaryItem& item, const AnalyzerSettings& settings,
                              const Language& language) {
  const DictionaryFiles files = dictionary_of(item, settings, "analyzer.lemmas");
  const std::string key = "hunspell\n" + language.code + '\n' + files.path + '\n' +
                          file_stamp(files.aff()) + '\n' + file_stamp(files.dic());
  return shared_object<LemmaSource>(key, [&] { return open_hunspell(files, language); });
}

SourcePointer open_list(const DictionaryItem& item, const Normalizer& normalizer) {
  const std::string key =
      "list\n" + normalizer.key() + '\n' + item.where + '\n' + file_stamp(item.where);
  return shared_object<LemmaSource>(
      key, [&] { return std::make_shared<LemmaList>(item.where, normalizer); });
}

bool is_better(const std::string& lemma, const std::string& other) {
  const auto length = count_characters(lemma), other_length = count_characters(other);
  return other.empty() || length < other_length || (length == other_length && lemma < other);
}

}  // namespace

std::string best_lemma(const std::vector<std::string>& lemmas, const Normalizer& normalizer) {
  std::string best;
  for (const std::string& lemma : lemmas) {
    std::string folded = normalizer.fold(lemma);
    const bool is_word = !folded.empty() && folded.find_first_of(" \t\n") == std::string::npos;
    if (is_word && is_better(folded, best)) best = std::move(folded);
  }
  return best;
}

std::vector<SourcePointer> open_lemma_sources(const AnalyzerSettings& settings,
                                              const Language& language,
                                              const Normalizer& normalizer) {
  std::vector<SourcePointer> sources;
  for (const std::string& text : settings.lemmas) {
    const DictionaryItem item = parse_dictionary_item(text);
    if (!is_for(item, language)) continue;
    sources.push_back(item.is_hunspell ? open_dictionary(item, settings, language)
                                       : open_list(item, normalizer));
  }
  return sources;
}

}  // namespace kindred
