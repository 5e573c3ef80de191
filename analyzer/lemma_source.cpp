#include "analyzer/lemma_source.h"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>

#include "analyzer/dictionary_files.h"
#include "analyzer/hunspell_lemmas.h"
#include "analyzer/lemma_list.h"
#include "analyzer/utf8.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

using SourcePointer = std::shared_ptr<const LemmaSource>;

/// The source of this key that is in use, or else the one that `load` makes.
SourcePointer shared_source(const std::string& key, const std::function<SourcePointer()>& load) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const LemmaSource>> sources;
  const std::lock_guard lock(mutex);
  std::erase_if(sources, [](const auto& entry) { return entry.second.expired(); });
  if (SourcePointer known = sources[key].lock()) return known;
  SourcePointer loaded = load();
  sources[key] = loaded;
  return loaded;
}

SourcePointer open_dictionary(const LemmaItem& item, const AnalyzerSettings& settings,
                              const Language& language) {
  const std::string code = find_language(item.language).code;
  const DictionaryFiles files = find_dictionary(code, item.where, settings.dictionaries);
  const std::string key = "hunspell\n" + language.code + '\n' + files.path + '\n' +
                          file_stamp(files.aff()) + '\n' + file_stamp(files.dic());
  return shared_source(key, [&] { return open_hunspell(files, language); });
}

SourcePointer open_list(const LemmaItem& item, const Normalizer& normalizer) {
  const std::string key =
      "list\n" + normalizer.key() + '\n' + item.where + '\n' + file_stamp(item.where);
  return shared_source(key, [&] { return std::make_shared<LemmaList>(item.where, normalizer); });
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

LemmaItem parse_lemma_item(std::string_view item) {
  constexpr std::string_view kHunspell = "hunspell";
  const std::size_t equals = std::min(item.find('='), item.size());
  const std::string language(item.substr(0, equals));
  const std::string_view where = item.substr(std::min(equals + 1, item.size()));
  if (where == kHunspell) return {language, true, ""};
  if (where.starts_with(kHunspell) && where[kHunspell.size()] == ':')
    return {language, true, std::string(where.substr(kHunspell.size() + 1))};
  return {language, false, std::string(where)};
}

bool is_lemma_language(const std::string& named, const Language& language) {
  const std::string code = find_language(named).code;
  return code == language.code || code == language.list;
}

std::vector<SourcePointer> open_lemma_sources(const AnalyzerSettings& settings,
                                              const Language& language,
                                              const Normalizer& normalizer) {
  std::vector<SourcePointer> sources;
  for (const std::string& text : settings.lemmas) {
    const LemmaItem item = parse_lemma_item(text);
    if (!is_lemma_language(item.language, language)) continue;
    sources.push_back(item.is_hunspell ? open_dictionary(item, settings, language)
                                       : open_list(item, normalizer));
  }
  return sources;
}

}  // namespace kindred
