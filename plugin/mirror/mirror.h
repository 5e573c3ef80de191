#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/row_set.h"
#include "plugin/answers/shard_revisions.h"
#include "plugin/mirror/row_counts.h"
#include "plugin/mirror/shared_values.h"
#include "plugin/store/string_table.h"

namespace kindred {

/// The tags of each row, in CSR: row r has labels [row_begin[r], row_begin[r + 1]), ascending.
///
/// In a compact mirror every label has a document, and labels are numbered by their names in byte
/// order. Where a mirror grew, new labels have the next numbers, and those that lost their last
/// document keep theirs. `order` says which labels there are, and how ties between them end.
struct LabelMatrix {
  StringTable names;  ///< label -> tag
  SharedValues<std::uint64_t> row_begin{0};
  SharedValues<std::uint32_t> label;
  std::vector<std::uint32_t> documents{};  ///< that have each label; may be 0
  std::vector<std::uint32_t> order{};  ///< the labels that a document has, by names in byte order

  /// Sets documents and order. Expects names in byte order.
  void count();
  /// A document more has a label, or one less: brings documents and order up to date. Expects that
  /// documents covers all names.
  void count_one(std::uint32_t own);
  void discount_one(std::uint32_t own);
  /// The same rows, with the labels numbered as in a compact mirror.
  LabelMatrix in_byte_order() const;
  /// False if labels came that are not numbered in byte order.
  bool is_in_byte_order() const { return names.shared_size() == names.size(); }

  LabelView view() const {
    return {static_cast<std::uint32_t>(row_begin.size() - 1), row_begin.data(), label.data()};
  }
  std::span<const std::uint32_t> of(std::uint32_t row) const { return view().of(row); }
  std::vector<std::string> names_of(std::uint32_t row) const;  ///< in byte order

 private:
  std::vector<std::uint32_t>::iterator place_of(std::uint32_t own);
};

/// Counts of the tags and marks that Kindred wrote on documents.
struct TagCounts {
  std::uint64_t tagged = 0;     ///< documents with a predicted tag
  std::uint64_t pending = 0;    ///< documents marked to be tagged later
  std::uint64_t opted_out = 0;  ///< documents that must not get predicted tags
  std::uint64_t rejected = 0;   ///< pairs of a document and a tag that it must not get
};

/// Which database, and which revision of it.
struct DatabaseRevision {
  std::string uuid;
  std::vector<std::string> shards;  ///< their UUIDs; see shards_of()
  std::uint64_t revision = 0;       ///< 0 if the database cannot tell (several shards, in memory)
  ShardRevisions shard_revisions = nullptr;  ///< with their revisions, if there are several
};

/// One revision of a database as numbers, as kNN needs it. Plain data that is made once and never
/// changed. Each row is a document, in docid order; each column is a feature term.
///
/// A mirror that is read from a database is compact: every row has a document, and the columns are
/// in byte order. A mirror that grew out of an earlier one (mirror_growth.h) shares most of its
/// memory. Its documents keep their rows, so rows of deleted documents are left, and terms that
/// came later follow in the order in which they came. Both give the same answers.
struct Mirror : DatabaseRevision {
  StringTable vocabulary;              ///< column -> the term as Xapian spells it, prefix included
  std::vector<std::string> prefixes;   ///< the feature prefixes in use
  RowCounts counts;                    ///< rows x columns, wdf capped at kMaxCount
  std::vector<std::uint32_t> df;       ///< documents that hold each term; may be 0
  SharedValues<Xapian::docid> docids;  ///< row -> docid, ascending
  RowSet gone;                         ///< rows without a document; covers none if all have one
  StringTable ids;                     ///< row -> unique id, "" where there is none; if no document
                                       ///< has one, the docids in digits
  bool has_ids = false;                ///< some document has a unique-id term
  LabelMatrix labels;                  ///< tags given by people, and predicted ones if they vote
  RowSet labeled;                      ///< rows that have a label
  TagCounts tags;
  RowSet tagged;  ///< rows that have a predicted tag
  /// The rows of the documents that may have TagLimits, because they
  /// - opted out of predicted tags,
  /// - have a rejected tag, or
  /// - have a value in labels.prediction_slot, where Kindred keeps predicted tags and limits.
  /// All other documents have no limits, and need not be read to find them.
  RowSet marked;
  bool agrees = true;  ///< posting lists are as long as the database says

  /// The mirror is of that revision from now on.
  void set_revision(DatabaseRevision of) { static_cast<DatabaseRevision&>(*this) = std::move(of); }

  std::uint32_t rows() const { return static_cast<std::uint32_t>(docids.size()); }
  std::uint32_t documents() const { return rows() - static_cast<std::uint32_t>(gone.count()); }
  std::uint32_t terms() const;  ///< that some document has; O(columns)
  bool is_compact() const { return counts.is_matrix(); }
  std::size_t bytes() const;

  /// The row of a document by its docid, or by its unique id (ids); nothing if the mirror does not
  /// have it. O(log rows).
  std::optional<std::uint32_t> row_of(Xapian::docid docid) const;
  std::optional<std::uint32_t> row_with_id(std::string_view id) const;
  /// The column of a term; nothing if no document has it.
  std::optional<std::uint32_t> column_of(std::string_view term) const;
};

/// True if `mirror`, which is `before` or grew out of it by one step, has the same documents, with
/// the same features and labels.
bool has_same_documents(const Mirror& mirror, const Mirror& before);

/// What the last step of growth changed, as backends take it; the mirror has to outlive these.
MirrorChange last_change_of(const Mirror& mirror);

/// The mirror of some rows of a compact mirror, as if the database held these documents only: terms
/// and labels that none of them has are left out. It shares nothing with `mirror`, and knows
/// nothing of predicted tags and limits. `rows` ascend.
Mirror mirror_sample(const Mirror& mirror, std::span<const std::uint32_t> rows);

}  // namespace kindred
