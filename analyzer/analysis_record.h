#pragma once

#include <map>
#include <string>

#include "config/api.h"
#include "config/settings.h"

namespace kindred {

/// All that decides which terms a text has, as words that can be compared and shown. With equal
/// records, equal texts have equal terms.
struct AnalysisRecord {
  /// What the operator decides: each key of [analyzer], and index.body_fields, with its value as
  /// TOML, but checksums in place of the paths of files, and the dictionaries with theirs:
  /// {"analyzer.language": "\"es\"", "analyzer.lemmas": "es=hunspell:es_ES 0123456789abcdef"}.
  std::map<std::string, std::string> rules;

  /// What comes with the software: ICU, Unicode, Snowball, Hunspell and CLD2 if they are used, the
  /// built-in stop words, the rules of languages, and those of Kindred's own steps.
  std::map<std::string, std::string> versions;

  friend bool operator==(const AnalysisRecord&, const AnalysisRecord&) = default;
};

/// The record of this build and machine. Reads the files and dictionaries that the settings name.
/// @throws Error kNotFound (one is not there; of a dictionary it names the Debian package),
/// kInvalidArgument (not a regular file, a language).
KINDRED_API AnalysisRecord analysis_record(const Settings& settings);

}  // namespace kindred
