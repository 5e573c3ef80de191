#pragma once

#include <xapian.h>
#include <string>

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

}  // namespace kindred
