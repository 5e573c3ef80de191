#include "analyzer/lemmas/affix_lemmas_reader.h"

#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <optional>

#include "analyzer/lemmas/dictionary_encoding.h"
#include "analyzer/lemmas/dictionary_entries.h"
#include "config/error.h"

namespace kindred {
namespace {

constexpr std::string_view kStem = "st:";

/// Marks entries that no line of the dictionary has. Flags of dictionaries are smaller.
constexpr AffixFlag kMade = UINT16_MAX;

/// Fields that name parts and forms from which Hunspell makes other stems.
bool names_other_stems(std::string_view fields) {
  for (const std::string_view field : {"ds:", "sp:", "pa:"})
    if (fields.find(field) != fields.npos) return true;
  return false;
}

/// The stem that fields of morphology name; nothing if they name none.
std::optional<std::string> stem_of(std::string_view fields) {
  const std::size_t begin = fields.find(kStem);
  if (begin == fields.npos) return {};
  fields.remove_prefix(begin + kStem.size());
  return std::string(fields.substr(0, fields.find_first_of(" \t")));
}

/// Hunspell also takes "McDonald" and "iPhone", and words of capitals that have affixes, for words
/// with one capital: "Mcdonald". Nothing for other words.
std::optional<std::string> one_capital_of(const std::string& word, bool has_flags) {
  const auto text = icu::UnicodeString::fromUTF8(word);
  std::int32_t capitals = 0, neutral = 0, characters = 0;
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1), ++characters) {
    const UChar32 c = text.char32At(i), lower = u_tolower(c);
    capitals += c != lower ? 1 : 0;
    neutral += u_toupper(c) == lower ? 1 : 0;
  }
  const bool is_capital_first = text.char32At(0) != u_tolower(text.char32At(0));
  if (capitals == 0 || (capitals == 1 && is_capital_first)) return {};
  if (capitals + neutral >= characters && !has_flags) return {};
  icu::UnicodeString result;
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
    const UChar32 lower = u_tolower(text.char32At(i));
    result.append(i == 0 ? u_toupper(lower) : lower);
  }
  std::string utf8;
  return result.toUTF8String(utf8);
}

}  // namespace

/// Fills one from the files of a dictionary.
class AffixLemmasReader {
 public:
  explicit AffixLemmasReader(const DictionaryFiles& files)
      : files_(files),
        file_(read_dictionary_file(files.aff())),
        encoding_(file_.encoding, files.aff()) {}

  std::unique_ptr<const AffixLemmas> read() {
    if (!file_.not_followed.empty() || !read_rules()) return nullptr;
    bool is_followed = true;
    for_each_entry(read_dictionary_file(files_.dic()), [&](const DictionaryEntry& entry) {
      is_followed &= !names_other_stems(entry.fields);
      add(entry);
    });
    lemmas_->entries_.finish();
    return is_followed ? std::move(lemmas_) : nullptr;
  }

 private:
  bool read_rules() {
    AffixLemmas& lemmas = *lemmas_;
    lemmas.forbidden_ = file_.forbidden;
    lemmas.needs_affix_ = file_.needs_affix;
    lemmas.only_in_compounds_ = file_.only_in_compounds;
    lemmas.circumfix_ = file_.circumfix;
    lemmas.strips_whole_words_ = file_.strips_whole_words;
    lemmas.continues_.resize(std::size_t{UINT16_MAX} + 1);
    for (const AffixRule& rule : file_.rules)
      if (!read_rule(rule)) return false;
    lemmas.replacements_ = decoded(file_.of_words);
    of_lemmas_ = decoded(file_.of_lemmas);
    return true;
  }

  bool read_rule(AffixRule rule) {
    AffixLemmas& lemmas = *lemmas_;
    for (const AffixFlag flag : rule.flags) lemmas.continues_[flag] = true;
    lemmas.has_second_suffixes_ |= !rule.flags.empty();
    for (std::string* text : {&rule.strip, &rule.append, &rule.condition})
      *text = encoding_.decode(*text);
    if (rule.append.find('-') != std::string::npos) return true;
    if (names_other_stems(rule.morphology) || rule.morphology.find(kStem) != std::string::npos)
      return false;
    try {
      (rule.is_prefix ? lemmas.prefixes_ : lemmas.suffixes_).add(rule);
    } catch (const Error&) {
      return false;
    }
    return true;
  }

  Replacements decoded(const Replacements& replacements) const {
    Replacements result;
    replacements.for_each([&](const std::string& from, const std::string& to) {
      result.add(encoding_.decode(from), encoding_.decode(to));
    });
    return result;
  }

  void add(const DictionaryEntry& entry) {
    const std::string word = encoding_.decode(entry.word);
    if (word.empty()) return;
    AffixFlags flags = file_.parse_flags(entry.flags);
    const std::optional<std::string> stem = stem_of(entry.fields);
    const auto lemma_of = [&](const std::string& spelling) {
      return of_lemmas_.apply(stem ? encoding_.decode(*stem) : spelling);
    };
    add(word, flags, lemma_of(word));
    if (file_.forbidden != 0 && has_flag(flags, file_.forbidden)) return;
    const std::optional<std::string> made = one_capital_of(word, !flags.empty());
    if (!made || lemmas_->entries_.find(*made) != nullptr) return;
    flags.push_back(kMade);
    lemmas_->entries_.add(*made, flags, lemma_of(*made));
  }

  /// An entry takes the place of one that was made for the same word, but for its lemma.
  void add(const std::string& word, const AffixFlags& flags, const std::string& lemma) {
    EntryTable& entries = lemmas_->entries_;
    const EntryTable::Entry* known = entries.find(word);
    if (known != nullptr && has_flag(entries.flags_of(*known), kMade))
      entries.set_flags(*known, flags);
    else
      entries.add(word, flags, lemma);
  }

  const DictionaryFiles& files_;
  const AffixFile file_;
  const DictionaryEncoding encoding_;
  Replacements of_lemmas_;
  std::unique_ptr<AffixLemmas> lemmas_{new AffixLemmas};
};

std::unique_ptr<const AffixLemmas> read_affix_lemmas(const DictionaryFiles& files) {
  return AffixLemmasReader(files).read();
}

}  // namespace kindred
