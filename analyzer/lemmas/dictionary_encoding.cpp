#include "analyzer/lemmas/dictionary_encoding.h"

#include <unicode/ucnv.h>

#include <cstdint>
#include <string_view>

#include "analyzer/text/utf8.h"
#include "config/error.h"

namespace kindred {
namespace {

// What ICU calls the encoding. It knows "ISO8859-1" and "KOI8-R" by these names, too.
std::string icu_name(const std::string& name) {
  constexpr std::string_view kMicrosoft = "microsoft-cp";
  if (name.starts_with(kMicrosoft)) return "windows-" + name.substr(kMicrosoft.size());
  if (name == "ISCII-DEVANAGARI") return "ISCII,version=0";
  if (name == "TIS620-2533") return "TIS-620";
  return name;
}

}  // namespace

void DictionaryEncoding::Close::operator()(UConverter* converter) const { ucnv_close(converter); }

DictionaryEncoding::DictionaryEncoding(const std::string& name, const std::string& file) {
  if (name == "UTF-8") return;
  UErrorCode status = U_ZERO_ERROR;
  converter_.reset(ucnv_open(icu_name(name).c_str(), &status));
  if (converter_)
    ucnv_setFromUCallBack(converter_.get(), UCNV_FROM_U_CALLBACK_STOP, nullptr, nullptr, nullptr,
                          &status);
  if (U_FAILURE(status))
    throw Error(Errc::kUnsupported,
                file + ": expected an encoding that ICU knows, found SET " + name);
}

std::optional<std::string> DictionaryEncoding::encode(const icu::UnicodeString& text) const {
  std::string result;
  if (!converter_) {
    text.toUTF8String(result);
    return result;
  }
  constexpr std::int32_t kMostBytes = 8;  // of a character, with changes of state
  result.resize(static_cast<std::size_t>((text.length() + 1) * kMostBytes));
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t size =
      ucnv_fromUChars(converter_.get(), result.data(), static_cast<std::int32_t>(result.size()),
                      text.getBuffer(), text.length(), &status);
  if (U_FAILURE(status)) return {};
  result.resize(static_cast<std::size_t>(size));
  return result;
}

std::string DictionaryEncoding::decode(const std::string& bytes) const {
  if (!converter_) return repair_utf8(bytes);
  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeString text(bytes.data(), static_cast<std::int32_t>(bytes.size()),
                                converter_.get(), status);
  std::string result;
  if (U_SUCCESS(status)) text.toUTF8String(result);
  return result;
}

}  // namespace kindred
