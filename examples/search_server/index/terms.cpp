#include "index/terms.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>

namespace search_server {
namespace {

/// The text in a normalization form, without white space at its ends.
std::string normalized(std::string_view text, bool composed) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  const bool ends_inside = !text.empty() && text.front() != ' ' && text.back() != ' ';
  if (ends_inside && std::ranges::all_of(text, is_ascii)) return std::string(text);
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* const form = composed ? icu::Normalizer2::getNFCInstance(status)
                                                : icu::Normalizer2::getNFDInstance(status);
  const icu::UnicodeString wide =
      icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
  if (U_FAILURE(status) || wide.indexOf(char16_t{0xFFFD}) >= 0) return std::string(text);
  std::int32_t begin = 0, end = wide.length();
  while (begin < end && u_isUWhiteSpace(wide[begin])) ++begin;
  while (begin < end && u_isUWhiteSpace(wide[end - 1])) --end;
  std::string result;
  form->normalize(wide.tempSubStringBetween(begin, end), status).toUTF8String(result);
  return result;
}

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

/// True if a capital after the prefix could be taken for a part of it.
bool takes_colon(std::string_view prefix) { return prefix.size() > 1 && prefix.back() != ':'; }

}  // namespace

std::string term_of(std::string_view prefix, std::string_view value) {
  std::string term(prefix);
  const bool ambiguous = !value.empty() && (is_capital(value[0]) || value[0] == ':');
  if (ambiguous && takes_colon(prefix)) term += ':';
  return term.append(value);
}

std::string colon_term_of(std::string_view prefix, std::string_view value) {
  return std::string(prefix).append(1, ':').append(value);
}

std::optional<std::string_view> value_of(std::string_view prefix, std::string_view term) {
  if (!term.starts_with(prefix) || term.size() == prefix.size()) return {};
  std::string_view value = term.substr(prefix.size());
  if (!takes_colon(prefix)) return value;
  if (is_capital(value[0])) return {};
  if (value[0] == ':') value.remove_prefix(1);
  return value.empty() ? std::nullopt : std::optional(value);
}

std::string label_name(std::string_view value) { return normalized(value, true); }

std::vector<std::string> label_spellings(const std::string& label) {
  std::vector<std::string> spellings = {label};
  for (const bool composed : {true, false}) {
    std::string other = normalized(label, composed);
    if (std::ranges::find(spellings, other) == spellings.end())
      spellings.push_back(std::move(other));
  }
  return spellings;
}

}  // namespace search_server
