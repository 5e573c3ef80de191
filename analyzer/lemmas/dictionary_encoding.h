#pragma once

#include <unicode/unistr.h>

#include <memory>
#include <optional>
#include <string>

struct UConverter;

namespace kindred {

/// Turns text into the encoding of a dictionary and back. It keeps a state, so use one per thread,
/// or lock it.
class DictionaryEncoding {
 public:
  /// `name`: as after SET in an affix file ("UTF-8", "ISO8859-1", "KOI8-R", "microsoft-cp1251").
  /// `file` names the affix file in messages.
  /// @throws Error kUnsupported for a name that ICU does not know.
  DictionaryEncoding(const std::string& name, const std::string& file);

  /// Nothing if the encoding lacks a character of the text.
  std::optional<std::string> encode(const icu::UnicodeString& text) const;

  /// Well-formed UTF-8.
  std::string decode(const std::string& bytes) const;

 private:
  struct Close {
    void operator()(UConverter* converter) const;
  };
  std::unique_ptr<UConverter, Close> converter_;  // null for UTF-8
};

}  // namespace kindred
