#include "analyzer/text/language.h"

#include <unicode/locid.h>
#include <algorithm>
#include <charconv>
#include <functional>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/toml.h"

namespace kindred {
namespace {

/// A value of a table, for messages.
struct RuleKey {
  std::string_view language;
  std::string_view key;

  [[noreturn]] void fail(const std::string& expected) const {
    throw Error(Errc::kInternal, "languages.toml: " + std::string(language) + "." +
                                     std::string(key) + ": expected " + expected);
  }
};

void read(const toml::node& node, const RuleKey& key, std::vector<std::string>& list) {
  const toml::array* array = node.as_array();
  if (array == nullptr) key.fail("a list");
  for (const toml::node& item : *array) {
    const auto text = item.value_exact<std::string>();
    if (!text || text->empty()) key.fail("strings");
    list.push_back(*text);
  }
}

/// "FROM=TO" each.
void read(const toml::node& node, const RuleKey& key,
          std::vector<LanguageRules::Replacement>& list) {
  std::vector<std::string> texts;
  read(node, key, texts);
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) key.fail("FROM=TO, found " + text);
    list.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
}

char32_t hexadecimal(std::string_view text, const RuleKey& key) {
  std::uint32_t value = 0;

  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size())
    key.fail("hexadecimal digits, found " + std::string(text));
  return value;
}

/// "FROM-TO" or a single character each, by their numbers.
void read(const toml::node& node, const RuleKey& key,
          std::vector<std::pair<char32_t, char32_t>>& list) {
  std::vector<std::string> texts;
  read(node, key, texts);
  for (const std::string_view text : texts) {
    // One number alone is both ends of its range.
    const std::size_t dash = text.find('-');
    list.emplace_back(hexadecimal(text.substr(0, dash), key),
                      hexadecimal(dash == text.npos ? text : text.substr(dash + 1), key));
  }
}

template <typename T>
void read(const toml::node& node, const RuleKey& /*key*/, T& value) {
  value = node.value_or(T(value));
}

/// Calls visit(key, field) for every key.
template <typename Visit>
void visit_rules(LanguageRules& rules, Visit&& visit) {
  visit("stemmers", rules.stemmers);
  visit("drop", rules.drop);
  visit("fold", rules.fold);
  visit("digits", rules.digits);
  visit("dotless_i", rules.dotless_i);
  visit("variants", rules.variants);
  visit("umlauts", rules.umlauts);
  visit("transliterate", rules.transliterate);
  visit("elided", rules.elided);
  visit("possessive", rules.possessive);
  visit("cut_at_apostrophe", rules.cut_at_apostrophe);
  visit("prefixes", rules.prefixes);
  visit("suffixes", rules.suffixes);
  visit("links", rules.links);
  visit("never_parts", rules.never_parts);
  visit("least_part", rules.least_part);
  visit("keeps", rules.keeps);
  visit("okurigana", rules.okurigana);
}

void read(std::string_view key, const toml::node& node, LanguageRules& rules) {
  // The types of the fields choose the function that reads them.
  bool is_known = false;
  visit_rules(rules, [&](std::string_view name, auto& field) {
    if (name != key) return;
    read(node, RuleKey{rules.code, key}, field);
    is_known = true;
  });

  if (!is_known) RuleKey{rules.code, key}.fail("a known key");
}

constexpr std::string_view kNames = "names";  // the table that is none of a language

const toml::table& languages() {
  static const toml::table root =
      toml::parse(builtin_languages(), std::string_view("languages.toml"));
  return root;
}

std::vector<LanguageRules> read_rules() {
  std::vector<LanguageRules> all;
  for (const auto& [code, node] : languages()) {  // in byte order
    if (code.str() == kNames) continue;

    // An unknown key or a wrong value is an error, since the file is ours.
    LanguageRules& rules = all.emplace_back();
    rules.code = code.str();
    for (const auto& [key, value] : *node.as_table()) read(key.str(), value, rules);

    // The longest affix first, since it may end with a shorter one. Links are the other way round:
    // the shorter one leaves more to the parts.
    for (std::vector<std::string>* list : {&rules.prefixes, &rules.suffixes, &rules.links})
      std::ranges::stable_sort(*list, std::greater(), &std::string::size);
    std::ranges::reverse(rules.links);

    // What the record of an analysis has of the language.
    rules.text = toml_print(*node.as_table());
  }
  return all;
}

/// True if `word` has at least `keeps` characters without an affix of `size` bytes.
bool may_lose(std::string_view word, std::size_t size, std::string_view rest, std::int64_t keeps) {
  return word.size() > size && count_characters(rest) >= static_cast<std::size_t>(keeps);
}

/// The word without hiragana at its end, unless it has nothing else: ICU cuts "住んだ" behind the
/// ideograph, but keeps "住む".
std::string_view without_okurigana(std::string_view word) {
  static constexpr std::size_t kBytes = 3;  // of each of these characters

  const auto ends_in_hiragana = [](std::string_view text) {
    const std::string_view last = text.substr(text.size() - std::min(text.size(), kBytes));
    return last >= "ぁ" && last <= "ゖ";
  };

  std::string_view rest = word;
  while (ends_in_hiragana(rest)) rest.remove_suffix(kBytes);
  if (rest.empty()) return word;
  return rest;
}

bool is_lower(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 'a' && c <= 'z';
  });
}

Language language_of_code(const std::string& code) {
  // A language with several written forms, as Norwegian, has the rules of the one that is meant by
  // its code.
  const std::string written = language_name("written_forms", code);
  const std::string list = written.empty() ? code : written;
  const LanguageRules& rules = rules_of(list);

  // Suffixes of our own go before Snowball's.
  const bool by_snowball = rules.suffixes.empty() && !rules.stemmers.empty();
  return {code, by_snowball ? rules.stemmers.front() : "", list, &rules};
}

}  // namespace

std::span<const LanguageRules> language_rules() {
  static const std::vector<LanguageRules> all = read_rules();
  return all;
}

const LanguageRules& rules_of(std::string_view code) {
  static const LanguageRules none;
  const auto all = language_rules();
  const auto found = std::ranges::find(all, code, &LanguageRules::code);
  if (found == all.end()) return none;
  return *found;
}

std::string language_name(std::string_view table, std::string_view code) {
  return languages()[kNames][table][code].value_or(std::string());
}

std::string without_affixes(std::string_view word, const LanguageRules& rules) {
  // At most one suffix and one prefix go, the longest that leaves enough of the word.
  if (rules.okurigana) word = without_okurigana(word);
  for (const std::string& suffix : rules.suffixes) {
    if (!word.ends_with(suffix)) continue;
    const std::string_view rest = word.substr(0, word.size() - suffix.size());
    if (!may_lose(word, suffix.size(), rest, rules.keeps)) continue;
    word = rest;
    break;
  }

  for (const std::string& prefix : rules.prefixes) {
    if (!word.starts_with(prefix)) continue;
    const std::string_view rest = word.substr(prefix.size());
    if (!may_lose(word, prefix.size(), rest, rules.keeps)) continue;
    word = rest;
    break;
  }
  return std::string(word);
}

bool is_language(std::string_view name) {
  try {
    find_language(name);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Language find_language(std::string_view name) {
  const std::string folded = lower_ascii(name);

  // Names of stemmers come before codes.
  if (folded == "none") return {"none", "", "", &rules_of("")};
  for (const LanguageRules& rules : language_rules())
    if (std::find(rules.stemmers.begin(), rules.stemmers.end(), folded) != rules.stemmers.end())
      return {rules.code, folded, rules.code, &rules};

  // "pt_BR" and "pt-BR" are "pt": regions have the same rules.
  const std::string code = folded.substr(0, folded.find_first_of("_-.@"));
  if ((code.size() != 2 && code.size() != 3) || !is_lower(code))
    throw Error(Errc::kInvalidArgument,
                "language \"" + std::string(name) +
                    "\": expected an ISO 639 code (\"pt\", \"pt_BR\", \"por\"), the English name "
                    "of a Snowball stemmer (\"portuguese\"), or \"none\"");

  const std::string synonym = language_name("synonyms", code);
  if (!synonym.empty()) return language_of_code(synonym);
  return language_of_code(icu::Locale(code.c_str()).getLanguage());  // "por" is "pt"
}

}  // namespace kindred
