#pragma once

#include <xapian.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "index/facet_table.h"
#include "index/schema.h"

namespace search_server {

/// A value and in how many documents it is.
using FacetCount = std::pair<std::string, std::size_t>;

/// The most frequent values of each kind among matching documents, most frequent first, then in
/// byte order.
struct Facets {
  std::vector<FacetCount> labels;
  std::vector<FacetCount> predicted;
  std::vector<FacetCount> topics;  ///< numbers in digits
  std::vector<FacetCount> languages;
  std::vector<std::pair<std::string, std::vector<FacetCount>>> values;  ///< by the schema's fields
  std::size_t counted = 0;                                              ///< documents
};

/// Counts the values of documents that a search looks at. Schema and table must outlive it.
class FacetSpy : public Xapian::MatchSpy {
 public:
  /// `table`: of the revision that is searched; null: the documents themselves are read.
  FacetSpy(const Schema& schema, const FacetTable* table);

  void operator()(const Xapian::Document& document, double) override;

  /// At most `most` values of each kind.
  Facets facets(std::size_t most) const;

 private:
  using Counts = std::unordered_map<std::string, std::size_t>;

  void read(const Xapian::Document& document);
  std::vector<Counts> counts_by_kind() const;

  const Schema& schema_;
  const FacetTable* const table_;
  std::vector<std::uint32_t> table_counts_;  ///< by the numbers of the table's values
  const std::vector<std::string> prefixes_;
  std::vector<Counts> counts_;  ///< by kind
  std::size_t counted_ = 0;
};

}  // namespace search_server
