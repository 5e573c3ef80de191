#include "analyzer/languages/language_rules.h"

#include <algorithm>
#include <charconv>

#include "analyzer/languages/builtin_languages.h"
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

}  // namespace kindred
