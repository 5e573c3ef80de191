#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/term_bag.h"
#include "config/api.h"
#include "config/settings.h"

namespace kindred {

/// A tag, and how sure the vote is of it, in [0, 1]. VoteKind (plugin/votes/votes.h)
/// defines the confidence of each vote.
struct Tag {
  std::string label;
  double confidence = 0;
  bool suggested = false;  ///< no document has it: it was found by its name in the vocabulary

  friend bool operator==(const Tag&, const Tag&) = default;
};

/// A document as users pass it: one line of JSON Lines, or filled in by code. Texts are UTF-8;
/// names (id, labels, terms, further keys) and the values of further keys are bytes.
struct Record {
  std::string id;  ///< required to index; unique in the database
  std::string title;
  std::string text;
  /// Features of a document that is analyzed already; they are taken as they are. If set, `text` is
  /// not analyzed. The JSON key "vector" gives them as weights, in hundredths.
  std::optional<TermBag> terms;
  std::vector<std::string> labels;            ///< tags that people gave
  std::string language;                       ///< JSON key "lang"; "" = the default language
  std::map<std::string, std::string> fields;  ///< further keys; values other than strings as JSON
  std::set<std::string> json_fields;          ///< those whose values are no strings
  /// True: `labels` replaces the tags that people gave to this document before, even if it is
  /// empty. False: if `labels` is empty, a document that is there already keeps them.
  bool replaces_labels = false;
  /// Tags that Kindred must not give, in addition to those that were rejected before.
  std::vector<std::string> rejected_labels;
  /// Tags that Kindred gave: a document without labels keeps them, and is not classified. Empty: it
  /// is.
  std::vector<Tag> predicted;
  std::optional<bool> auto_tag;  ///< false: no predicted tags; absent: as it was for the document
};

/// The rejected labels of a record in byte order, without those that people give by it.
std::vector<std::string> rejected_labels_of(const Record& record);

/// The largest length of a document, which is the sum of the counts of its terms. With this limit,
/// the length and each count are far below the 32 bits that Xapian has for them. (In Xapian the
/// largest number of 32 bits marks a deleted posting.)
inline constexpr std::uint64_t kMaxDocumentLength = std::uint64_t{1} << 30;

/// Reads one JSON object with the keys
///
/// - id (a string or a whole number), title, text, lang (strings),
/// - terms (an object: term -> count), or vector (term -> weight from 0 to 655.35, which becomes a
///   count of hundredths; weights that round to 0 are left out),
/// - labels and rejected_labels (lists of strings, taken in NFC without white space at their ends),
/// - auto_tag (true or false), predicted (as `kindred export` writes it).
///
/// The key "dead_letter" (plugin/writing/dead_letters.h) says why the record failed before, and is
/// left out. So is "topic" as `kindred export` writes it. Every other key is kept in `fields`. A
/// key with the value null counts as absent. Malformed UTF-8 and half surrogate pairs become
/// U+FFFD. In an id, a label or a term they are refused, since two different names could become
/// one; with the key kEscapedStrings (names.h), a record may have names that are not UTF-8.
/// @throws Error kInvalidArgument that says which key is wrong, and how. An id is not required.
KINDRED_API Record parse_record(std::string_view json);

/// True if the record has title, text, terms, or one of these body_fields (IndexSettings).
KINDRED_API bool has_text(const Record& record, const std::vector<std::string>& body_fields);

/// The same, or a title.
KINDRED_API bool has_words(const Record& record, const std::vector<std::string>& body_fields);

/// The sign in a label that perhaps stands between several: "|", ";", or a comma between letters;
/// "" if there is none.
KINDRED_API std::string separator_in(std::string_view label);

/// Refuses a record that Xapian cannot store:
///
/// - an empty id or label,
/// - an id, label or term of over 245 bytes with its prefix (a zero byte counts twice; a label has
///   to fit under the prefixes of predicted and rejected tags, too),
/// - more labels, rejected labels or predicted tags than labels.max_per_document,
/// - a term with a count of 0 or over 65535 (kMaxCount),
/// - a record that would exceed kMaxDocumentLength if each byte of title and text were a word.
///
/// @throws Error kInvalidArgument that names the key and the limit.
KINDRED_API void check_record(const Record& record, const Settings& settings);

/// Refuses more labels of one document than labels.max_per_document. `key` says which they are.
/// @throws Error kInvalidArgument with the number found and the limit.
void check_label_count(const std::string& key, std::size_t found, const LabelSettings& settings);

}  // namespace kindred
