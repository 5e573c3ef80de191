#include "analyzer/lemmas/hunspell_lemmas.h"

#ifdef KINDRED_HUNSPELL_VERSION
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <array>
#include <cstddef>
#include <hunspell/hunspell.hxx>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
#endif

#include "analyzer/lemmas/dictionary_encoding.h"
#include "analyzer/text/word_list.h"
#include "config/error.h"

namespace kindred {
#ifdef KINDRED_HUNSPELL_VERSION
namespace {

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
