#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/term_bag.h"
#include "config/api.h"
#include "config/settings.h"

namespace kindred {

/// A document as users hand it in: one line of JSON Lines, or filled by code. All strings UTF-8.
struct Record {
  std::string id;  ///< required to index; unique in the database
  std::string title;
  std::string text;
  /// An already analyzed document: features, taken as they are. If set, `text` is not analyzed.
  std::optional<TermBag> terms;
  std::vector<std::string> labels;            ///< tags that people gave
  std::string language;                       ///< JSON key "lang"; "" = the default language
  std::map<std::string, std::string> fields;  ///< further keys; values that are no strings, as JSON
  /// True: `labels` is all that the document is to have, even if it is empty. False: an empty list
  /// leaves the tags that people gave to a document that is there already.
  bool replaces_labels = false;
  /// Tags that Kindred must not give, beside those that the document must not get already.
  std::vector<std::string> rejected_labels;
  std::optional<bool> auto_tag;  ///< false: no predicted tags; absent: as the document was
};

/// The largest length of a document in Xapian, which is the sum of the counts of its terms. It and
/// each count then stay far below the 32 bits that Xapian has for them. (The largest number of 32
/// bits is Xapian's mark of a deleted posting.)
inline constexpr std::uint64_t kMaxDocumentLength = std::uint64_t{1} << 30;

/// Reads one JSON object: id (a string or whole number), title, text, terms (object: term ->
/// count), labels and rejected_labels (lists of strings), lang, auto_tag (true or false); every
/// other key is kept in `fields`. `null` is as good as absent. Malformed UTF-8 and half surrogate
/// pairs become U+FFFD, but are refused in an id, a label or a term: two of them could become one.
/// @throws Error kInvalidArgument saying what is wrong with which key. It does not ask for an id.
KINDRED_API Record parse_record(std::string_view json);

/// Checks what Xapian cannot store: an empty id, an id, label or term over 245 bytes with its
/// prefix (a zero byte counts twice) or of malformed UTF-8, an empty label, terms with a count of 0
/// or over 65535 (kMaxCount), and what might make a document longer than kMaxDocumentLength, if
/// each byte of title and text were a word.
/// @throws Error kInvalidArgument naming the key and the limit.
KINDRED_API void check_record(const Record& record, const Settings& settings);

/// The document data that Omega and its kin show: a line "name=value" for each field (id, title,
/// sample, lang, label= for each label, then `fields`), newlines turned into spaces. Empty fields
/// have no line. The sample is the first `sample_bytes` bytes of the text, whole characters; all of
/// it for 0.
KINDRED_API std::string document_data(const Record& record, std::int64_t sample_bytes);

/// The first value of `name` in document data of that form; empty if there is none.
KINDRED_API std::string_view document_field(std::string_view data, std::string_view name);

}  // namespace kindred
