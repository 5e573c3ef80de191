#pragma once

#include <xapian.h>

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

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

/// Counts the values of documents that a search looks at. It does not copy itself: it must outlive
/// the search.
class FacetSpy : public Xapian::MatchSpy {
 public:
  explicit FacetSpy(const Schema& schema);

  void operator()(const Xapian::Document& document, double) override;

  /// At most `most` values of each kind. A value of the filters counts like any other.
  Facets facets(std::size_t most) const;

 private:
  using Counts = std::unordered_map<std::string, std::size_t>;

  const Schema& schema_;
  const std::vector<std::string> prefixes_;
  std::vector<Counts> counts_;  ///< by prefix
  std::vector<Counts> values_;
  std::size_t counted_ = 0;
};

}  // namespace search_server
