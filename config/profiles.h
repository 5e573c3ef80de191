#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/api.h"

namespace kindred {

/// How a program folds a whole text before Xapian::TermGenerator cuts it into words.
enum class TextFolding {
  kNone,
  kMu,  ///< decomposed (NFKD), without marks of a combining class, in lower case; æ, ø, đ: e, o, d
  kZim,  ///< in lower case, decomposed (NFD), without marks, composed again (NFC)
};

/// What the indexes of another program look like: settings that lie below the user's own.
struct Profile {
  std::string_view name;      ///< for the setting index.profile
  std::string_view settings;  ///< config/profiles/NAME.toml, which says where each fact comes from
  /// Prefixes under which the program's indexes may have ids, of one letter each. The first one
  /// that an index has terms of is its index.id_prefix. "": `settings` say it.
  std::string_view id_prefixes = {};
  /// The same of labels.
  std::string_view label_prefixes = {};
  TextFolding folding = TextFolding::kNone;
  /// The value slot of a number that the program raises with each change of a document, above all
  /// that were there (Xapian::sortable_serialise()), so that others find what has changed; -1:
  /// none.
  int revision_slot = -1;
};

/// All profiles.
KINDRED_API std::span<const Profile> profiles();

/// The profile of this name; null if there is none.
KINDRED_API const Profile* find_profile(std::string_view name);

/// That of the profile of this name; kNone if there is none.
TextFolding folding_of(std::string_view name);

/// That of the profile of this name; -1 if there is none.
int revision_slot_of(std::string_view name);

/// "notmuch, omega, ...".
KINDRED_API std::string listed_profiles();

}  // namespace kindred
