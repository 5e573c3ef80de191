#pragma once

#include <xapian.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "index/document.h"

namespace search_server {

/// A value, and how many of the documents that match have it.
struct Facet {
  std::string value;  ///< as it is stored
  std::size_t documents = 0;
  std::size_t predicted = 0;  ///< of labels: documents that have it as a predicted one
};

/// What matches.
struct Counts {
  std::size_t counted = 0;  ///< documents whose values are counted
  std::size_t estimate = 0;
  bool exact = true;                ///< the estimate
  std::vector<std::size_t> values;  ///< by the places of the table
};

/// Which documents have which labels, topics, units, languages and values, at one revision: a
/// search counts from it in a hundredth of the time that their terms take. Immutable.
class FacetTable {
 public:
  /// Reads the posting lists and value slots: 0.1 us for each document and value.
  /// @throws Xapian::Error.
  FacetTable(const Xapian::Database& database, const Schema& schema);

  /// Counts over at least `least` documents that match. @throws Xapian::Error.
  Counts count(const Xapian::Database& database, const Xapian::Query& query,
               std::size_t least) const;

  /// The values of a kind that most of the counted documents have, then in byte order. Predicted
  /// labels are beside kLabels; kIds + i is the value field i of the schema.
  std::vector<Facet> most_frequent(const Counts& counts, std::size_t kind, std::size_t most) const;

 private:
  struct Pair {
    Xapian::docid docid;
    std::uint32_t place;  ///< twice that of the value; one more: predicted
  };

  void add_terms(const Xapian::Database& database, std::size_t kind, const Schema& schema);
  void count(Xapian::docid docid, Counts& counts) const;
  std::uint32_t place_of(std::size_t kind, const std::string& text);

  std::map<std::pair<std::size_t, std::string>, std::uint32_t> places_;  ///< of kinds and texts
  std::vector<Pair> pairs_;                                              ///< by docid
  std::vector<std::uint32_t> begins_;  ///< by docid: of its part of pairs_; and the end
};

}  // namespace search_server
