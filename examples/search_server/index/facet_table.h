#pragma once

#include <xapian.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "index/schema.h"

namespace search_server {

/// The kinds of facets, besides those of the schema's value fields, which follow.
enum FacetKind : std::size_t { kLabels, kPredicted, kTopics, kLanguages, kFirstField };

/// Prefixes of the terms of each kind but the fields.
std::array<std::string, kFirstField> facet_prefixes(const Schema& schema);

/// Which documents have which labels, topics, languages and values, at one revision: a search reads
/// from it in a hundredth of the time that their terms take. Immutable.
class FacetTable {
 public:
  /// Reads the posting lists and value slots: 0.1 us for each document and value. `revision`: of
  /// the database. @throws Xapian::Error.
  FacetTable(const Xapian::Database& database, const Schema& schema, std::string revision);

  struct Value {
    std::size_t kind = 0;  ///< a FacetKind; kFirstField + i: the field i of the schema
    std::string text;      ///< as it is stored
  };
  /// All values; their places are their numbers.
  const std::vector<Value>& values() const { return values_; }
  /// The numbers of the values of a document; empty if there is none.
  std::span<const std::uint32_t> of(Xapian::docid docid) const;
  const std::string& revision() const { return revision_; }

 private:
  struct Pair {
    Xapian::docid docid;
    std::uint32_t value;
  };

  void read_terms(const Xapian::Database& database, std::size_t kind, const std::string& prefix,
                  const Schema& schema, std::vector<Pair>& pairs);
  void read_slot(const Xapian::Database& database, std::size_t kind, Xapian::valueno slot,
                 std::vector<Pair>& pairs);
  void arrange(const std::vector<Pair>& pairs, Xapian::docid last);

  const std::string revision_;
  std::vector<Value> values_;
  std::vector<std::size_t> begins_;  ///< by docid: of its part of numbers_; and the end
  std::vector<std::uint32_t> numbers_;
};

}  // namespace search_server
