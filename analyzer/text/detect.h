#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/api.h"

namespace kindred {

/// The language that a text seems to be in.
struct Detection {
  std::string language;   ///< as Language::code, "no" for both forms of Norwegian; "": no telling
  double confidence = 0;  ///< in [0, 1]: the share of the text that is in this language, half of it
                          ///< if the detector calls itself unsure

  /// False if the text is to be taken for one of the default language.
  bool is_certain() const { return !language.empty() && confidence >= 0.5; }
};

/// Finds the language of texts, by CLD2. Immutable; any number of threads may use it.
class KINDRED_API LanguageDetector {
 public:
  /// False if this build has none.
  static bool available();

  /// The version of its data; "" if this build has none.
  static std::string version();

  /// `languages`: those that may be found, as find_language() (analyzer/text/language.h);
  /// empty: all.
  /// @throws Error kUnsupported if this build has none; as find_language().
  explicit LanguageDetector(std::span<const std::string> languages = {});

  /// The language of a text. The first 64 KiB are looked at. If the detector finds none of the
  /// `languages`, it is the only one of them that is written in the script of the text, with a
  /// confidence of 0.5.
  Detection detect(std::string_view text) const;

 private:
  Detection by_script(std::string_view text) const;

  std::vector<std::string> languages_;  // ascending
};

}  // namespace kindred
