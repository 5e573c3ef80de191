#include "analyzer/text/detect.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#ifdef KINDRED_HAS_CLD2
// cstdio: compact_lang_det.h uses FILE and does not include it.

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>
#endif

#include "analyzer/text/language.h"
#include "analyzer/text/utf8.h"
#include "config/error.h"

namespace kindred {
namespace {

constexpr std::size_t kLooksAt = std::size_t{1} << 16;
constexpr double kByScript = 0.5;

#ifdef KINDRED_HAS_CLD2

/// The most likely languages of well-formed UTF-8, the first one first.
std::array<Detection, 3> likely_languages(std::string_view text) {
  std::array<CLD2::Language, 3> languages{};
  std::array<int, 3> percent{};
  std::array<double, 3> scores{};
  int bytes = 0;
  bool reliable = false;

  const CLD2::CLDHints no_hints = {nullptr, "", CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
  CLD2::ExtDetectLanguageSummary(text.data(), static_cast<int>(text.size()), true, &no_hints,
                                 CLD2::kCLDFlagBestEffort, languages.data(), percent.data(),
                                 scores.data(), nullptr, &bytes, &reliable);

  // An unreliable answer is half as sure.
  std::array<Detection, 3> found;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (languages[i] == CLD2::UNKNOWN_LANGUAGE || percent[i] <= 0) continue;
    found[i] = {CLD2::LanguageCode(languages[i]), percent[i] * (reliable ? 0.01 : 0.005)};
  }
  return found;
}

std::string data_version() { return CLD2::DetectLanguageVersion(); }

#else

std::array<Detection, 3> likely_languages(std::string_view) { return {}; }

std::string data_version() { return ""; }

#endif

/// True if find_language() takes the code: not for CLD2's names of scripts and invented languages.
bool is_code(std::string_view code) {
  const std::string_view language = code.substr(0, code.find('-'));
  return language.size() == 2 || language.size() == 3;
}

UScriptCode script_of(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    UChar32 c = 0;
    U8_NEXT_UNSAFE(text.data(), i, c);
    UErrorCode status = U_ZERO_ERROR;
    if (u_isalpha(c)) return uscript_getScript(c, &status);
  }
  return USCRIPT_UNKNOWN;
}

bool is_written_in(const std::string& language, UScriptCode script) {
  std::array<UScriptCode, 8> scripts{};
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t count = uscript_getCode(language.c_str(), scripts.data(),
                                             static_cast<std::int32_t>(scripts.size()), &status);
  if (U_FAILURE(status)) return false;
  return std::find(scripts.begin(), scripts.begin() + count, script) != scripts.begin() + count;
}

}  // namespace

bool LanguageDetector::available() { return !version().empty(); }

std::string LanguageDetector::version() { return data_version(); }

LanguageDetector::LanguageDetector(std::span<const std::string> languages) {
  if (!available())
    throw Error(Errc::kUnsupported,
                "analyzer.detect: this build of Kindred finds no languages; expected \"off\", or a "
                "build with -DKINDRED_CLD2=ON");
  for (const std::string& language : languages) languages_.push_back(find_language(language).list);
  std::sort(languages_.begin(), languages_.end());
  languages_.erase(std::unique(languages_.begin(), languages_.end()), languages_.end());
}

Detection LanguageDetector::detect(std::string_view text) const {
  // The begin of a text is enough to tell.
  const std::string repaired = repair_utf8(utf8_prefix(text, kLooksAt));

  // A language that the settings do not have is passed over for the next likely one.
  for (Detection& likely : likely_languages(repaired)) {
    if (!is_code(likely.language)) continue;
    likely.language = find_language(likely.language).list;
    if (languages_.empty() ||
        std::binary_search(languages_.begin(), languages_.end(), likely.language))
      return likely;
  }

  // CLD2 knows nothing that is wanted. The script may tell: Greek letters, with Greek wanted alone
  // of those that have them.
  return by_script(repaired);
}

Detection LanguageDetector::by_script(std::string_view text) const {
  const UScriptCode script = script_of(text);
  Detection found;

  // If two languages have the script, nothing is known.
  for (const std::string& language : languages_) {
    if (!is_written_in(language, script)) continue;
    if (!found.language.empty()) return {};
    found = {language, kByScript};
  }
  return found;
}

}  // namespace kindred
