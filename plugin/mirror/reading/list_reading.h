#pragma once

#include <xapian.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/error.h"
#include "plugin/store/terms.h"

// How the lists of a database are gone through while it becomes a mirror.

namespace kindred {

/// docid -> row during the pass: a table if docids are dense, a search if they are sparse.
class RowIndex {
 public:
  static constexpr std::uint32_t kNoRow = 0xffffffff;

  explicit RowIndex(std::span<const Xapian::docid> docids) : docids_(docids) {
    if (docids.empty() || docids.back() / 8 > docids.size()) return;
    table_.resize(std::size_t{docids.back()} + 1, kNoRow);
    for (std::size_t row = 0; row < docids.size(); ++row) {
      table_[docids[row]] = static_cast<std::uint32_t>(row);
    }
  }
  /// kNoRow for a docid that no document has.
  std::uint32_t operator[](Xapian::docid docid) const {
    if (!table_.empty()) return docid < table_.size() ? table_[docid] : kNoRow;
    const auto it = std::lower_bound(docids_.begin(), docids_.end(), docid);
    if (it == docids_.end() || *it != docid) return kNoRow;
    return static_cast<std::uint32_t>(it - docids_.begin());
  }

 private:
  const std::span<const Xapian::docid> docids_;
  std::vector<std::uint32_t> table_;
};

[[noreturn]] inline void refuse_unknown(const std::string& list, Xapian::docid docid) {
  throw Error(Errc::kCorrupt, list + " is damaged: it has docid " + std::to_string(docid) +
                                  ", which no document has");
}

/// Calls visit(row, list) for every document that has a term, ascending. Returns how many there
/// are, which is at most the number of rows, since docids ascend and each has a row.
template <typename Visit>
std::uint64_t each_row(const Xapian::Database& database, const std::string& term,
                       const RowIndex& rows, Visit&& visit) {
  std::uint64_t count = 0;
  for (PostingReader list(database, term); !list.at_end(); list.next(), ++count) {
    const std::uint32_t row = rows[list.docid()];
    if (row == RowIndex::kNoRow) refuse_unknown("the posting list of '" + term + "'", list.docid());
    visit(row, list);
  }
  return count;
}

/// Calls visit(term, value, df) for every term under the prefix, in byte order, but for whole
/// titles (is_word_under()).
template <typename Visit>
void each_term(const Xapian::Database& database, const std::string& prefix, Visit&& visit) {
  TermReader terms(database, prefix);
  while (!terms.at_end()) {
    const std::string& term = terms.term();
    if (const auto value = value_under(prefix, term)) {
      if (is_word_under(prefix, *value)) visit(term, *value, terms.termfreq());
      terms.next();
    } else if (term.size() > prefix.size() && term[prefix.size()] >= 'A' &&
               term[prefix.size()] <= 'Z') {
      terms.skip_to(prefix + '[');  // past all prefixes that continue this one: '[' follows 'Z'
    } else {
      terms.next();
    }
  }
}

}  // namespace kindred
