#pragma once

#include <unicode/normalizer2.h>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/profiles.h"

namespace kindred {

/// @throws Error kInternal, which names what failed, or std::bad_alloc if ICU says so.
void check_icu(UErrorCode status, const char* what);

/// Unicode's normalization forms (UAX #15) that are used here.
enum class NormalForm : std::uint8_t { kNfc, kNfd, kNfkd, kNfkcCasefold };

/// ICU's normalizer of `form`, for the life of the process. @throws as check_icu().
const icu::Normalizer2& normal_form(NormalForm form);

/// `text` in `form`. @throws as check_icu().
icu::UnicodeString normalized(const icu::UnicodeString& text, NormalForm form);

/// Well-formed text in Unicode's normalization form D. Malformed text stays as it is.
std::string nfd(std::string_view text);

/// Text as a program folds it before it cuts it into words. Malformed text stays as it is.
std::string folded_text(std::string_view text, TextFolding folding);

}  // namespace kindred
