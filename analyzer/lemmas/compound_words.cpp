#include "analyzer/lemmas/compound_words.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/lemmas/dictionary_item.h"
#include "analyzer/lemmas/dictionary_words.h"
#include "analyzer/lemmas/shared_objects.h"
#include "analyzer/text/utf8.h"
#include "analyzer/words/stem.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

/// Letters only, and at most one capital: no abbreviation.
bool is_plain_word(const std::string& word) {
  int capitals = 0;
  for (std::size_t i = 0; i < word.size();) {
    UChar32 c = 0;
    U8_NEXT_UNSAFE(word.data(), i, c);
    if (!u_isUAlphabetic(c)) return false;
    capitals += u_isUUppercase(c) ? 1 : 0;
  }
  return capitals < 2;
}

std::string key_of(const std::vector<DictionaryItem>& items, const AnalyzerSettings& settings,
                   const Language& language, const Normalizer& normalizer, bool varies) {
  std::string key = language.code + '\n' + normalizer.key() + (varies ? "\nvariants" : "\nas is");
  for (const DictionaryItem& item : items) {
    if (!item.is_hunspell) {
      key += "\nlist\n" + item.where + '\n' + file_stamp(item.where);
      continue;
    }
    const DictionaryFiles files = dictionary_of(item, settings, "analyzer.compounds");
    key += "\nhunspell\n" + files.path + '\n' + file_stamp(files.aff()) + file_stamp(files.dic());
  }
  return key;
}

}  // namespace

class CompoundWordsReader {
 public:
  CompoundWordsReader(const Language& language, const Normalizer& normalizer,
                      const Variants* variants)
      : rules_(*language.rules),
        stemmer_(language.stemmer),
        normalizer_(normalizer),
        variants_(variants) {}

  void read(const DictionaryItem& item, const AnalyzerSettings& settings) {
    if (!item.is_hunspell) {
      const std::string list = read_word_list(item.where, "words of compounds");
      for (const std::string& word : parse_words(list, item.where, normalizer_)) add(word);
      return;
    }
    const auto add_plain = [this](const std::string& word) {
      if (is_plain_word(word)) add(normalizer_.fold(word));
    };
    for_each_word(dictionary_of(item, settings, "analyzer.compounds"), add_plain);
  }

  std::shared_ptr<const CompoundWords> words() const { return words_; }

 private:
  void add(std::string word) {
    if (variants_ != nullptr) word = variants_->apply(std::move(word));
    const auto& never = rules_.never_parts;
    if (count_characters(word) < static_cast<std::size_t>(rules_.least_part) ||
        std::find(never.begin(), never.end(), word) != never.end())
      return;
    if (stemmer_.active()) words_->stems_.insert(stemmer_.stem(word));
    words_->words_.insert(std::move(word));
  }

  const LanguageRules& rules_;
  Stemmer stemmer_;
  const Normalizer& normalizer_;
  const Variants* variants_;
  std::shared_ptr<CompoundWords> words_ = std::make_shared<CompoundWords>();
};

std::shared_ptr<const CompoundWords> open_compound_words(const AnalyzerSettings& settings,
                                                         const Language& language,
                                                         const Normalizer& normalizer,
                                                         const Variants* variants) {
  std::vector<DictionaryItem> items;
  for (const std::string& text : settings.compounds) {
    DictionaryItem item = parse_dictionary_item(text);
    if (is_for(item, language)) items.push_back(std::move(item));
  }
  if (items.empty()) return nullptr;
  const std::string key = key_of(items, settings, language, normalizer, variants != nullptr);
  return shared_object<CompoundWords>(key, [&] {
    CompoundWordsReader reader(language, normalizer, variants);
    for (const DictionaryItem& item : items) reader.read(item, settings);
    return reader.words();
  });
}

}  // namespace kindred
