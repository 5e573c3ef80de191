#include "analyzer/text/language.h"

#include <unicode/locid.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/toml.h"

namespace kindred {
namespace {

/// A value of a table, for messages.
struct Place {
  std::string_view language, key;

  [[noreturn]] void fail(const std::string& expected) const {
    throw Error(Errc::kInternal, "languages.toml: " + std::string(language) + "." +
                                     std::string(key) + ": expected " + expected);
  }
};

std::vector<std::string> strings(const toml::node& node, const Place& place) {
  std::vector<std::string> list;
  const toml::array* array = node.as_array();
  if (array == nullptr) place.fail("a list");
  for (const toml::node& item : *array) {
    const auto text = item.value_exact<std::string>();
    if (!text || text->empty()) place.fail("strings");
    list.push_back(*text);
  }
  return list;
}

/// "FROM=TO" each.
std::vector<LanguageRules::Replacement> replacements(const toml::node& node, const Place& place) {
  std::vector<LanguageRules::Replacement> list;
  for (const std::string& text : strings(node, place)) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) place.fail("FROM=TO, found " + text);
    list.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return list;
}

char32_t hexadecimal(std::string_view text, const Place& place) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size())
    place.fail("hexadecimal digits, found " + std::string(text));
  return value;
}

/// "FROM-TO" or a single character each, by their numbers.
std::vector<std::pair<char32_t, char32_t>> ranges(const toml::node& node, const Place& place) {
  std::vector<std::pair<char32_t, char32_t>> list;
  for (const std::string& item : strings(node, place)) {
    const std::string_view text = item;
    const std::size_t dash = text.find('-');
    list.emplace_back(hexadecimal(text.substr(0, dash), place),
                      hexadecimal(dash == text.npos ? text : text.substr(dash + 1), place));
  }
  return list;
}

std::vector<std::string> longest_first(std::vector<std::string> list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return list;
}

void take(const toml::node& node, const Place& place, LanguageRules& rules) {
  const std::string_view key = place.key;
  if (key == "stemmers") {
    rules.stemmers = strings(node, place);
  } else if (key == "drop") {
    rules.drop = ranges(node, place);
  } else if (key == "fold") {
    rules.fold = replacements(node, place);
  } else if (key == "digits") {
    rules.digits = node.value_or(false);
  } else if (key == "dotless_i") {
    rules.dotless_i = node.value_or(false);
  } else if (key == "variants") {
    rules.variants = replacements(node, place);
  } else if (key == "umlauts") {
    rules.umlauts = node.value_or(false);
  } else if (key == "transliterate") {
    rules.transliterate = node.value_or<std::string>("");
  } else if (key == "elided") {
    rules.elided = strings(node, place);
  } else if (key == "possessive") {
    rules.possessive = strings(node, place);
  } else if (key == "cut_at_apostrophe") {
    rules.cut_at_apostrophe = node.value_or(false);
  } else if (key == "prefixes") {
    rules.prefixes = longest_first(strings(node, place));
  } else if (key == "suffixes") {
    rules.suffixes = longest_first(strings(node, place));
  } else if (key == "links") {
    rules.links = longest_first(strings(node, place));
    std::reverse(rules.links.begin(), rules.links.end());
  } else if (key == "never_parts") {
    rules.never_parts = strings(node, place);
  } else if (key == "least_part") {
    rules.least_part = node.value_or<std::int64_t>(4);
  } else if (key == "keeps") {
    rules.keeps = node.value_or<std::int64_t>(0);
  } else if (key == "okurigana") {
    rules.okurigana = node.value_or(false);
  } else {
    place.fail("a known key");
  }
}

std::vector<LanguageRules> read_rules() {
  std::vector<LanguageRules> all;
  const toml::table root = toml::parse(builtin_languages(), std::string_view("languages.toml"));
  for (const auto& [code, node] : root) {  // in byte order
    LanguageRules& rules = all.emplace_back();
    rules.code = code.str();
    for (const auto& [key, value] : *node.as_table()) take(value, {rules.code, key.str()}, rules);
    rules.text = toml_print(*node.as_table());
  }
  return all;
}

}  // namespace

std::span<const LanguageRules> language_rules() {
  static const std::vector<LanguageRules> all = read_rules();
  return all;
}

const LanguageRules& rules_of(std::string_view code) {
  static const LanguageRules none;
  const auto all = language_rules();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const LanguageRules& rules) { return rules.code == code; });
  return found == all.end() ? none : *found;
}

namespace {

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
  return rest.empty() ? word : rest;
}

}  // namespace

std::string without_affixes(std::string_view word, const LanguageRules& rules) {
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

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// Codes that ICU does not shorten: the bibliographic codes of ISO 639-2, withdrawn codes, and the
// individual languages of ISO 639-3 that are the usual form of a macrolanguage.
constexpr Pair kSynonyms[] = {
    {"alb", "sq"}, {"als", "sq"}, {"arb", "ar"}, {"arm", "hy"}, {"azj", "az"}, {"baq", "eu"},
    {"bur", "my"}, {"chi", "zh"}, {"cmn", "zh"}, {"cze", "cs"}, {"dut", "nl"}, {"ekk", "et"},
    {"fre", "fr"}, {"gaz", "om"}, {"geo", "ka"}, {"ger", "de"}, {"gre", "el"}, {"ice", "is"},
    {"in", "id"},  {"iw", "he"},  {"ji", "yi"},  {"khk", "mn"}, {"lvs", "lv"}, {"mac", "mk"},
    {"mao", "mi"}, {"may", "ms"}, {"mo", "ro"},  {"mol", "ro"}, {"npi", "ne"}, {"ory", "or"},
    {"pbt", "ps"}, {"per", "fa"}, {"pes", "fa"}, {"plt", "mg"}, {"rum", "ro"}, {"scc", "sr"},
    {"slo", "sk"}, {"swh", "sw"}, {"tib", "bo"}, {"uzn", "uz"}, {"wel", "cy"}, {"ydd", "yi"},
    {"zsm", "ms"},
};

// Norwegian has two written forms. The Snowball stemmer and the stop words serve both.
constexpr Pair kWrittenForms[] = {{"nb", "no"}, {"nn", "no"}};

template <std::size_t size>
std::string_view second_of(const Pair (&pairs)[size], std::string_view first,
                           std::string_view otherwise) {
  const auto found = std::find_if(std::begin(pairs), std::end(pairs),
                                  [&](const Pair& p) { return p.first == first; });
  return found == std::end(pairs) ? otherwise : found->second;
}

bool is_lower(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return result;
}

std::string shortest_code(const std::string& code) {
  const std::string_view synonym = second_of(kSynonyms, code, "");
  if (!synonym.empty()) return std::string(synonym);
  return icu::Locale(code.c_str()).getLanguage();  // "por" to "pt"; unknown codes stay
}

Language language_of_code(const std::string& code) {
  const std::string list(second_of(kWrittenForms, code, code));
  const LanguageRules& rules = rules_of(list);
  const bool by_snowball = rules.suffixes.empty() && !rules.stemmers.empty();
  return {code, by_snowball ? rules.stemmers.front() : "", list, &rules};
}

}  // namespace

bool is_language(std::string_view name) {
  try {
    find_language(name);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Language find_language(std::string_view name) {
  const std::string folded = lower(name);
  if (folded == "none") return {"none", "", "", &rules_of("")};
  for (const LanguageRules& rules : language_rules())
    if (std::find(rules.stemmers.begin(), rules.stemmers.end(), folded) != rules.stemmers.end())
      return {rules.code, folded, rules.code, &rules};

  const std::string code = folded.substr(0, folded.find_first_of("_-.@"));
  if ((code.size() != 2 && code.size() != 3) || !is_lower(code))
    throw Error(Errc::kInvalidArgument,
                "language \"" + std::string(name) +
                    "\": expected an ISO 639 code (\"pt\", \"pt_BR\", \"por\"), the English name "
                    "of a Snowball stemmer (\"portuguese\"), or \"none\"");
  return language_of_code(shortest_code(code));
}

}  // namespace kindred
