#include "analyzer/lemmas/lemma_source.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/lemmas/dictionary_files.h"
#include "analyzer/lemmas/hunspell_lemmas.h"
#include "analyzer/text/normalize.h"
#include "analyzer/text/utf8.h"
#include "analyzer/text/word_list.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

/// Lemmas from a file with one pair per line, lemma TAB form. A lemma is also a form of itself. A
/// form may have several lemmas.
class LemmaList : public LemmaSource {
 public:
  /// @throws Error as read_word_list() and parse_words(); kInvalidArgument also for a line that
  /// does not have exactly one TAB.
  LemmaList(const std::string& path, const Normalizer& normalizer);

  std::vector<std::string> lemmas_of(std::string_view spelling,
                                     std::string_view word) const override;

 private:
  WordMap lemmas_;  // folded form -> folded lemmas, with a TAB between two
};

std::vector<std::string> split(std::string_view lemmas) {
  std::vector<std::string> result;
  while (!lemmas.empty()) {
    const std::size_t end = std::min(lemmas.find('\t'), lemmas.size());
    result.emplace_back(lemmas.substr(0, end));
    lemmas.remove_prefix(std::min(end + 1, lemmas.size()));
  }
  return result;
}

void add(WordMap& lemmas, const std::string& form, const std::string& lemma) {
  std::string& known = lemmas[form];
  const std::vector<std::string> others = split(known);
  if (std::find(others.begin(), others.end(), lemma) != others.end()) return;
  known += (known.empty() ? "" : "\t") + lemma;
}

LemmaList::LemmaList(const std::string& path, const Normalizer& normalizer) {
  const auto add_pair = [&](const std::string& lemma, const std::string& form) {
    add(lemmas_, form, lemma);
    add(lemmas_, lemma, lemma);
  };
  for_each_pair(read_word_list(path, "lemmas"), path, "lemma TAB form", normalizer, add_pair);
}

std::vector<std::string> LemmaList::lemmas_of(std::string_view, std::string_view word) const {
  const auto found = lemmas_.find(word);
  return found == lemmas_.end() ? std::vector<std::string>{} : split(found->second);
}

using SourcePointer = std::shared_ptr<const LemmaSource>;

SourcePointer open_dictionary(const DictionaryItem& item, const Language& language) {
  const DictionaryFiles files = dictionary_of(item, "analyzer.lemmas");
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
    sources.push_back(item.is_hunspell ? open_dictionary(item, language)
                                       : open_list(item, normalizer));
  }
  return sources;
}

}  // namespace kindred
