#include "analyzer/text/language.h"

#include <unicode/locid.h>

#include <algorithm>
#include <array>
#include <utility>

#include "config/error.h"

namespace kindred {
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
