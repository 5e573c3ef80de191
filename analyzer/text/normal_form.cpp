#include "analyzer/text/normal_form.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <array>
#include <cstddef>
#include <new>

#include "analyzer/text/utf8.h"
#include "config/error.h"

namespace kindred {
namespace {

UChar32 letter_of_mu(UChar32 c) {
  if (c == 0xE6 || c == 0xC6) return 'e';    // æ
  if (c == 0xF8 || c == 0xD8) return 'o';    // ø
  if (c == 0x111 || c == 0x110) return 'd';  // đ
  return u_isalpha(c) != 0 ? u_tolower(c) : c;
}

}  // namespace

void check_icu(UErrorCode status, const char* what) {
  if (status == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
  if (U_FAILURE(status))
    throw Error(Errc::kInternal, std::string("ICU: ") + what + ": " + u_errorName(status));
}

const icu::Normalizer2& normal_form(NormalForm form) {
  // Asked of ICU once: each call would take a lock there.
  static const auto forms = [] {
    UErrorCode status = U_ZERO_ERROR;
    const std::array made = {icu::Normalizer2::getNFCInstance(status),
                             icu::Normalizer2::getNFDInstance(status),
                             icu::Normalizer2::getNFKDInstance(status),
                             icu::Normalizer2::getNFKCCasefoldInstance(status)};
    check_icu(status, "normalization");
    return made;
  }();
  return *forms[static_cast<std::size_t>(form)];
}

icu::UnicodeString normalized(const icu::UnicodeString& text, NormalForm form) {
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeString result = normal_form(form).normalize(text, status);
  check_icu(status, "normalization");
  return result;
}

std::string nfd(std::string_view text) {
  if (!is_utf8(text) || is_ascii(text)) return std::string(text);
  std::string decomposed;
  return normalized(icu::UnicodeString::fromUTF8(text), NormalForm::kNfd).toUTF8String(decomposed);
}

std::string folded_text(std::string_view text, TextFolding folding) {
  if (folding == TextFolding::kNone || !is_utf8(text)) return std::string(text);
  if (is_ascii(text)) return lower_ascii(text);  // which is what the steps below make of it
  const bool is_mu = folding == TextFolding::kMu;
  icu::UnicodeString wide = icu::UnicodeString::fromUTF8(text.substr(0, INT32_MAX));

  // Step by step as mu and libzim do it, since a word of a query has to become the term that is in
  // their index.
  if (!is_mu) wide.toLower(icu::Locale::getRoot());
  wide = normalized(wide, is_mu ? NormalForm::kNfkd : NormalForm::kNfd);

  icu::UnicodeString kept;
  for (std::int32_t i = 0; i < wide.length(); i = wide.moveIndex32(i, 1)) {
    const UChar32 c = wide.char32At(i);
    const bool is_mark =
        is_mu ? u_getCombiningClass(c) != 0 : (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0;
    if (is_mark) continue;
    kept.append(is_mu ? letter_of_mu(c) : c);
  }

  if (!is_mu) kept = normalized(kept, NormalForm::kNfc);
  std::string folded;
  return kept.toUTF8String(folded);
}

}  // namespace kindred
