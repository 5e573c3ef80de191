#pragma once

#include <xapian.h>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"

namespace kindred {

/// Which documents of an index count (mirror.documents): all, or those that have one of some terms
/// and values and none of some others. The rest is in no answer.
class CountedDocuments {
 public:
  explicit CountedDocuments(const MirrorSettings& settings);

  bool are_all() const { return wanted_.empty() && unwanted_.empty(); }

  /// Those that count of `all` documents of the database; both ascend.
  /// @throws Error kCorrupt if a list has others than these; Xapian::Error.
  std::vector<Xapian::docid> among(const Xapian::Database& database,
                                   const std::vector<Xapian::docid>& all) const;
  /// How many documents of the database count. @throws as among().
  std::uint64_t count(const Xapian::Database& database) const;
  /// True if this one does. @throws Xapian::Error.
  bool has(const Xapian::Document& document) const;

  /// A query that matches them, and weighs nothing.
  Xapian::Query query() const;

 private:
  /// A term, or the text of a value.
  struct Mark {
    std::optional<Xapian::valueno> slot;
    std::string text;
  };

  static Xapian::Query query_of(const std::vector<Mark>& marks);
  static bool has_one(const Xapian::Document& document, const std::vector<Mark>& marks);
  static std::vector<Xapian::docid> with_one(const Xapian::Database& database,
                                             const std::vector<Mark>& marks);

  std::vector<Mark> wanted_;  ///< none: all documents
  std::vector<Mark> unwanted_;
};

/// The docids of all documents, ascending. @throws Error kCorrupt; Xapian::Error.
std::vector<Xapian::docid> all_docids(const Xapian::Database& database);

}  // namespace kindred
