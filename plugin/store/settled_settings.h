#pragma once

#include <xapian.h>
#include <string>

#include "config/api.h"
#include "config/settings.h"
#include "plugin/store/database_reader.h"

namespace kindred {

/// The language by whose stemmer the stems of an index were made, as its unprefixed words and its
/// stems (Z) tell: an ISO 639 code, or the name of the stemmer if the code stands for another one
/// ("porter"). It is the stemmer whose stems the index has for most of a sample of its words; the
/// language `usual` if no other explains more of them. "" if the index has too few words or stems,
/// or if no stemmer explains nine in ten.
/// @throws Error kCorrupt; Xapian::Error.
std::string stem_language(const Xapian::Database& database, const std::string& usual);

/// The language by whose stemmer the unprefixed words of an index without Z were made, as
/// TermGenerator makes them with STEM_ALL: as above, of the languages with stop words. It is the
/// one of whose stop words that the stemmer changes the index has the most stems and, with one
/// exception in ten, not the words themselves; and the stemmer changes at most one in ten of a
/// sample of the terms. "" if there is none, or if less than five stop words tell.
/// `only`: the one language to consider; "" for all.
/// @throws Error kCorrupt; Xapian::Error.
std::string plain_stem_language(const Xapian::Database& database, const std::string& only);

/// True if Chinese, Japanese and Korean are in the index as characters and pairs of them, as
/// TermGenerator makes them with FLAG_CJK_NGRAM, and not as longer words.
/// @throws Error kCorrupt; Xapian::Error.
bool has_ngrams(const Xapian::Database& database);

/// The settings that hold for a database: those of the user; below them, those that the index
/// remembers (plugin/store/remembered.h); below them, those of its profile; below them, for an
/// index that remembers nothing, the language of its stems (plugin/store/stem_language.h).
/// index.profile is then
/// the name of the profile, or "none", and `given` has what the user has set. Settled settings stay
/// as they are. A profile that was detected is left out if it contradicts what is above it. `path`
/// is that of the database, "" for one that the caller opened.
/// @throws Error kInvalidArgument (settings; a file or text of the user says something else than
/// the index remembers, or its texts were analyzed in another way; files and dictionaries of the
/// analysis, as analysis_record()); as DatabaseReader::read(), except that a damaged
/// database has no profile.
Settings settled_settings(DatabaseReader& database, const std::string& path,
                          const Settings& settings);

/// The same for the database at a path. If there is none, it has no profile.
KINDRED_API Settings settled_settings(const std::string& path, const Settings& settings);

/// The name of the profile (config/profiles.h) of the program that made the index, as far as the
/// index tells; else "none". Reads some metadata and at most two documents.
/// @throws Error kCorrupt; Xapian::Error.
std::string detected_profile(const Xapian::Database& database);

}  // namespace kindred
