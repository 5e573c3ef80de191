#include "analyzer/lemmas/lemma_source.h"

#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <hunspell/hunspell.hxx>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analyzer/text/utf8.h"
#include "analyzer/text/word_list.h"
#include "config/error.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

std::vector<std::string> split(std::string_view lemmas) {
  std::vector<std::string> result;
  while (!lemmas.empty()) {
    const std::size_t end = std::min(lemmas.find('\t'), lemmas.size());
    result.emplace_back(lemmas.substr(0, end));
    lemmas.remove_prefix(std::min(end + 1, lemmas.size()));
  }
  return result;
}

/// Lemmas from a file with one pair per line, lemma TAB form. A lemma is also a form of itself. A
/// form may have several lemmas.
class LemmaList : public LemmaSource {
 public:
  /// @throws Error as read_word_list() and parse_words(); kInvalidArgument also for a line that
  /// does not have exactly one TAB.
  LemmaList(const std::string& path, const Normalizer& normalizer);

  std::vector<std::string> lemmas_of(std::string_view, std::string_view word) const override {
    const auto found = lemmas_.find(word);
    return found == lemmas_.end() ? std::vector<std::string>{} : split(found->second);
  }

 private:
  WordMap lemmas_;  // folded form -> folded lemmas, with a TAB between two
};

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

/// The lemmas of words that a dictionary was asked for: of about 100,000 words at most. Any number
/// of threads may use it; they seldom wait for each other.
class LemmaCache {
 public:
  using Lemmas = std::vector<std::string>;

  std::optional<Lemmas> find(std::string_view word) {
    Part& part = part_of(word);
    const std::lock_guard lock(part.mutex);
    const auto found = part.words.find(word);
    return found == part.words.end() ? std::nullopt : std::optional(found->second);
  }

  void add(std::string_view word, const Lemmas& lemmas) {
    Part& part = part_of(word);
    const std::lock_guard lock(part.mutex);
    if (part.words.size() >= kWordsOfPart) part.words.clear();
    part.words.emplace(word, lemmas);
  }

 private:
  static constexpr std::size_t kParts = 32;
  static constexpr std::size_t kWordsOfPart = 3200;

  struct Part {
    std::mutex mutex;
    std::unordered_map<std::string, Lemmas, TextHash, std::equal_to<>> words;
  };

  Part& part_of(std::string_view word) { return parts_[TextHash{}(word) % kParts]; }

  std::array<Part, kParts> parts_;
};

class HunspellLemmas : public LemmaSource {
 public:
  HunspellLemmas(const DictionaryFiles& files, bool dotted_capital)
      : dotted_capital_(dotted_capital),
        hunspell_(files.aff().c_str(), files.dic().c_str()),
        encoding_(hunspell_.get_dict_encoding(), files.aff()) {}

  std::vector<std::string> lemmas_of(std::string_view spelling, std::string_view) const override {
    if (!is_askable(spelling)) return {};
    if (auto known = cache_.find(spelling)) return *std::move(known);
    std::vector<std::string> lemmas = ask(icu::UnicodeString::fromUTF8(
        icu::StringPiece(spelling.data(), static_cast<std::int32_t>(spelling.size()))));
    cache_.add(spelling, lemmas);
    return lemmas;
  }

 private:
  std::vector<std::string> ask(const icu::UnicodeString& word) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> lemmas = stems_of(with_capital(word, dotted_capital_));
    return lemmas.empty() ? stems_of(word) : lemmas;
  }

  std::vector<std::string> stems_of(const icu::UnicodeString& word) const {
    const std::optional<std::string> encoded = encoding_.encode(word);
    if (!encoded) return {};
    std::vector<std::string> found = hunspell_.analyze(*encoded);
    std::erase_if(found, [](const std::string& one) { return one.find("pa:") != one.npos; });
    std::vector<std::string> stems = hunspell_.stem(found);
    for (std::string& stem : stems) stem = encoding_.decode(stem);
    return stems;
  }

  const bool dotted_capital_;
  mutable LemmaCache cache_;
  mutable std::mutex mutex_;  // guards the next two
  mutable Hunspell hunspell_;
  DictionaryEncoding encoding_;
};

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

#ifdef KINDRED_HUNSPELL_VERSION
std::shared_ptr<const LemmaSource> open_hunspell(const DictionaryFiles& files,
                                                 const Language& language) {
  for (const std::string& path : {files.aff(), files.dic()})
    read_dictionary_file(path);  // Hunspell says nothing of a file that cannot be read
  return std::make_shared<HunspellLemmas>(files, language.rules->dotless_i);
}

std::string hunspell_version() { return KINDRED_HUNSPELL_VERSION; }

#else

std::shared_ptr<const LemmaSource> open_hunspell(const DictionaryFiles& files, const Language&) {
  throw Error(Errc::kUnsupported,
              "analyzer.lemmas: expected lists of lemmas, for this build has no "
              "Hunspell to read " +
                  files.dic());
}

std::string hunspell_version() { return ""; }

#endif

}  // namespace kindred
