#include "analyzer/lemmas/lemma_source.h"

#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#ifdef KINDRED_HUNSPELL_VERSION
#include <hunspell/hunspell.hxx>
#endif

#include "analyzer/lemmas/dictionary_files.h"
#include "analyzer/lemmas/lemma_cache.h"
#include "analyzer/text/utf8.h"
#include "analyzer/text/word_list.h"
#include "config/error.h"

namespace kindred {
namespace {

/// True for a folded lemma of one word that goes before another, or before none ("").
bool is_better(const std::string& lemma, const std::string& other) {
  if (lemma.empty() || lemma.find_first_of(" \t\n") != std::string::npos) return false;

  // The shorter, and then the first in the order of bytes, so that the order in which lemmas come
  // does not matter.
  const auto length = count_characters(lemma);
  const auto other_length = count_characters(other);
  return other.empty() || length < other_length || (length == other_length && lemma < other);
}

/// Lemmas from a file with one pair per line, lemma TAB form. A lemma is also a form of itself. A
/// form may have several lemmas, of which the best is kept.
class LemmaList : public LemmaSource {
 public:
  /// @throws Error as read_word_list() and parse_words(); kInvalidArgument also for a line that
  /// does not have exactly one TAB.
  LemmaList(const std::string& path, const Normalizer& normalizer) {
    const auto add = [&](const std::string& form, const std::string& lemma) {
      std::string& known = lemmas_[form];
      if (is_better(lemma, known)) known = lemma;
    };

    const auto add_pair = [&](const std::string& lemma, const std::string& form) {
      add(form, lemma);
      add(lemma, lemma);
    };

    for_each_pair(read_word_list(path, "lemmas"), path, "lemma TAB form", normalizer, add_pair);
  }

  std::vector<std::string> lemmas_of(std::string_view, std::string_view word) const override {
    const auto found = lemmas_.find(word);
    if (found == lemmas_.end()) return {};
    return {found->second};
  }

 private:
  WordMap lemmas_;  // folded form -> folded lemma
};

using SourcePointer = std::shared_ptr<const LemmaSource>;

#ifdef KINDRED_HUNSPELL_VERSION

constexpr std::size_t kLongestWord = 100;  // bytes

bool is_askable(std::string_view word) {
  if (word.empty() || word.size() > kLongestWord) return false;
  for (std::size_t i = 0; i < word.size();) {
    UChar32 c = 0;
    U8_NEXT_UNSAFE(word.data(), i, c);
    if (!u_isUAlphabetic(c) && (U_GET_GC_MASK(c) & U_GC_M_MASK) == 0 && c != '\'') return false;
  }
  return true;
}

/// `dotted_capital`: the capital of i has a dot, as in Turkish.
icu::UnicodeString with_capital(const icu::UnicodeString& word, bool dotted_capital) {
  constexpr UChar32 kDotted = 0x130;
  icu::UnicodeString result = word;
  const UChar32 first = word.char32At(0);
  const UChar32 capital = dotted_capital && first == 'i' ? kDotted : u_totitle(first);
  return result.replace(0, U16_LENGTH(first), icu::UnicodeString(capital));
}

using HunspellPointer = std::unique_ptr<Hunspell, void (*)(Hunspell*)>;

/// Hunspell makes a table of characters with the first dictionary of a process, frees it with the
/// last, and counts them without a lock. So one at a time is opened or closed.
HunspellPointer load_hunspell(const DictionaryFiles& files) {
  static std::mutex mutex;
  const auto close = [](Hunspell* hunspell) {
    const std::lock_guard lock(mutex);
    delete hunspell;
  };
  const std::lock_guard lock(mutex);
  return {new Hunspell(files.aff().c_str(), files.dic().c_str()), close};
}

/// A lemma is what the dictionary names as such (the field st:), or else the entry from which its
/// affix rules make the word. What Hunspell names for compounds is left out, for that is a part of
/// them. Words are asked for with a capital first, too: "haus" is found as "Haus". Words with
/// digits, and those of more than 100 bytes, are unknown. Dictionaries of any encoding that ICU
/// knows are read. What the dictionary said of the last 100,000 words or so is remembered; of a new
/// word it is asked by one thread at a time.
class HunspellLemmas : public LemmaSource {
 public:
  HunspellLemmas(const DictionaryFiles& files, bool dotted_capital)
      : dotted_capital_(dotted_capital),
        hunspell_(load_hunspell(files)),
        encoding_(hunspell_->get_dict_encoding(), files.aff()) {}

  std::vector<std::string> lemmas_of(std::string_view spelling, std::string_view) const override {
    if (!is_askable(spelling)) return {};
    if (auto known = cache_.find(spelling)) return *std::move(known);
    std::vector<std::string> lemmas = ask(icu::UnicodeString::fromUTF8(spelling));
    cache_.add(spelling, lemmas);
    return lemmas;
  }

 private:
  std::vector<std::string> ask(const icu::UnicodeString& word) const {
    // German nouns are in dictionaries with a capital alone, and folding has taken it.
    const std::lock_guard lock(mutex_);
    std::vector<std::string> lemmas = stems_of(with_capital(word, dotted_capital_));
    if (lemmas.empty()) return stems_of(word);
    return lemmas;
  }

  std::vector<std::string> stems_of(const icu::UnicodeString& word) const {
    const std::optional<std::string> encoded = encoding_.encode(word);
    if (!encoded) return {};

    // analyze() tells how the dictionary reads the word, which stem() would not: a reading as a
    // compound (pa:) gives a part of it, and is left out.
    std::vector<std::string> found = hunspell_->analyze(*encoded);
    std::erase_if(found, [](const std::string& one) {
      return one.find("pa:") != one.npos;
    });
    std::vector<std::string> stems = hunspell_->stem(found);

    for (std::string& stem : stems) stem = encoding_.decode(stem);
    return stems;
  }

  const bool dotted_capital_;
  mutable LemmaCache cache_;
  mutable std::mutex mutex_;  // guards the next two
  HunspellPointer hunspell_;
  DictionaryEncoding encoding_;
};

/// @throws Error kNotFound if a file cannot be read, kUnsupported in a build without Hunspell, and
/// for an encoding that ICU does not know.
SourcePointer open_hunspell(const DictionaryFiles& files, const Language& language) {
  for (const std::string& path : {files.aff(), files.dic()})
    read_dictionary_file(path);  // Hunspell says nothing of a file that cannot be read
  return std::make_shared<HunspellLemmas>(files, language.rules->dotless_i);
}

#else
#define KINDRED_HUNSPELL_VERSION ""

SourcePointer open_hunspell(const DictionaryFiles& files, const Language&) {
  throw Error(Errc::kUnsupported,
              "analyzer.lemmas: expected lists of lemmas, for this build has no "
              "Hunspell to read " +
                  files.dic());
}

#endif

constexpr char kLemmas[] = "analyzer.lemmas";

SourcePointer open_source(const DictionaryItem& item, const Language& language,
                          const Normalizer& normalizer) {
  // What Hunspell says depends on the language (its dotless i), what a list says on how words are
  // folded.
  const std::string scope = item.is_hunspell ? language.code : normalizer.key();
  return shared_object<LemmaSource>(scope + source_stamp(item, kLemmas), [&]() -> SourcePointer {
    if (item.is_hunspell) return open_hunspell(dictionary_of(item, kLemmas), language);
    return std::make_shared<LemmaList>(item.where, normalizer);
  });
}

}  // namespace

std::string best_lemma(const std::vector<std::string>& lemmas, const Normalizer& normalizer) {
  std::string best;
  for (const std::string& lemma : lemmas) {
    std::string folded = normalizer.fold(lemma);
    if (is_better(folded, best)) best = std::move(folded);
  }
  return best;
}

std::vector<SourcePointer> open_lemma_sources(const AnalyzerSettings& settings,
                                              const Language& language,
                                              const Normalizer& normalizer) {
  std::vector<SourcePointer> sources;
  for (const DictionaryItem& item : items_for(language, settings.lemmas))
    sources.push_back(open_source(item, language, normalizer));
  return sources;
}

std::string hunspell_version() { return KINDRED_HUNSPELL_VERSION; }

}  // namespace kindred
