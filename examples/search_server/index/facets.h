#pragma once

#include <xapian.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "index/document.h"

namespace search_server {

/// How many documents that match have which values. The table outlives it.
struct Facets {
  struct Count {
    std::string_view value;  ///< as it is stored
    std::size_t documents = 0;
    std::size_t predicted = 0;  ///< of labels: documents that have it as a predicted one
  };

  std::size_t counted = 0;   ///< documents
  std::size_t estimate = 0;  ///< of all that match
  bool exact = true;         ///< the estimate
  /// By kind, in no order; predicted labels are beside kLabels, and kIds + i is the field i of the
  /// schema.
  std::vector<std::vector<Count>> by_kind;
};

/// Which documents have which labels, topics, units, languages and values, at one revision: a
/// search counts from it in a hundredth of the time that their terms take. Immutable.
class FacetTable {
 public:
  /// Reads the posting lists and value slots: 0.1 us for each document and value. `version`: of
  /// the database. @throws Xapian::Error.
  FacetTable(const Xapian::Database& database, const Schema& schema, std::string version);

  const std::string& version() const { return version_; }

  /// Counts over at least `least` documents that match. @throws Xapian::Error.
  Facets count(const Xapian::Database& database, const Xapian::Query& query,
               std::size_t least) const;

 private:
  class Counter;
  struct Value {
    std::size_t kind = 0;
    std::string text;  ///< as it is stored
  };
  struct Pair {
    Xapian::docid docid;
    std::uint32_t place;  ///< twice that of the value; one more: predicted
  };

  void read_terms(const Xapian::Database& database, std::size_t kind, const Schema& schema);
  void read_slot(const Xapian::Database& database, std::size_t kind, Xapian::valueno slot);
  std::uint32_t place_of(std::size_t kind, const std::string& text);

  const std::string version_;
  std::vector<Value> values_;
  std::map<std::pair<std::size_t, std::string>, std::uint32_t> places_;
  std::vector<Pair> pairs_;            ///< by docid
  std::vector<std::uint32_t> begins_;  ///< by docid: of its part of pairs_; and the end
};

}  // namespace search_server
