#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/document_set.h"
#include "gpu/row_set.h"
#include "plugin/mirror/database_revision.h"
#include "plugin/mirror/document_segment.h"
#include "plugin/mirror/label_table.h"
#include "plugin/store/string_table.h"

namespace kindred {

/// Counts of the tags and marks that Kindred wrote on documents.
struct TagCounts {
  std::uint64_t tagged = 0;     ///< documents with a predicted tag
  std::uint64_t pending = 0;    ///< documents marked to be tagged later
  std::uint64_t opted_out = 0;  ///< documents that must not get predicted tags
  std::uint64_t rejected = 0;   ///< pairs of a document and a tag that it must not get
};

/// What a mirror was read from, and how.
struct MirrorSource : DatabaseRevision {
  std::vector<std::string> prefixes;        ///< the feature prefixes in use
  std::vector<std::string> shard_labels{};  ///< of each shard (labels.shards), or none
  bool agrees = true;                       ///< posting lists are as long as the database says
};

/// One revision of a database as numbers, as kNN needs it: segments of documents
/// (document_segment.h), and what is computed of them all. Made once and never changed. Documents
/// are known by their docids; each column is a feature term.
///
/// A mirror that followed changes shares segments with the one before. Its terms and labels keep
/// their numbers; new ones have the next.
struct Mirror : MirrorSource {
  StringTable dictionary;         ///< column -> the term as Xapian spells it, prefix included
  std::vector<std::uint32_t> df;  ///< documents that hold each term; may be 0
  LivingSegments segments;        ///< none is empty
  std::uint32_t with_id = 0;      ///< documents that have a unique id
  TagCounts tags;
  LabelTable labels;  ///< tags given by people, and predicted ones if they vote

  // Made of the segments by list_segments().
  SegmentListPointer list = std::make_shared<const SegmentList>();  ///< wdf capped at kMaxCount
  DocumentSet labeled;                                              ///< that have a label
  DocumentSet tagged;                                               ///< that have a predicted tag
  /// The documents that may have TagLimits, because they
  /// - opted out of predicted tags,
  /// - have a rejected tag, or
  /// - have a value in labels.prediction_slot, where Kindred keeps predicted tags and limits.
  /// All other documents have no limits, and need not be read to find them.
  DocumentSet marked;

  /// The segments are others: sets what is made of them.
  void list_segments();
  /// The same where with_id, labels.documents and labels.order do not tell of them yet.
  /// @throws Error kCorrupt if two segments have a document.
  void index_segments();
  /// The same, of these documents.
  void set_documents(DocumentRows rows, std::size_t threads);

  /// The mirror is of that revision from now on.
  void set_revision(DatabaseRevision of) { static_cast<DatabaseRevision&>(*this) = std::move(of); }

  std::uint32_t documents() const { return list->documents(); }
  std::uint32_t terms() const;     ///< that some document has; O(columns)
  std::uint64_t nonzeros() const;  ///< counts of all documents; O(columns)
  bool has_ids() const { return with_id > 0; }
  std::size_t bytes() const;

  /// The label that a document has by its shard; "" for none.
  std::string shard_label_of(Xapian::docid docid) const {
    return shard_labels.empty() ? "" : shard_labels[(docid - 1) % shard_labels.size()];
  }

  bool has(Xapian::docid docid) const { return list->has(docid); }
  // Of a document that the mirror has.
  RowEntries terms_of(Xapian::docid docid) const { return list->terms_of(docid); }
  std::span<const std::uint32_t> labels_of(Xapian::docid docid) const {
    return list->labels_of(docid);
  }
  std::vector<std::string> label_names_of(Xapian::docid docid) const;  ///< in byte order
  /// Its unique id, "" if it has none; if no document has one, the docid in digits.
  std::string id_of(Xapian::docid docid) const;

  /// The documents with an id, ascending: one, unless another program gave it to several.
  std::vector<Xapian::docid> documents_with_id(std::string_view id) const;
  /// The column of a term; nothing if no document has it.
  std::optional<std::uint32_t> column_of(std::string_view term) const;

  /// Where a document lies: the number of its segment, and its row there.
  struct Place {
    std::size_t segment;
    std::uint32_t row;
  };
  /// @throws Error kDevice if there is no such document: callers have it from a backend.
  Place place_of(Xapian::docid docid) const;
};

/// True if both have the same documents, with the same features and labels, because they share
/// them.
bool has_same_documents(const Mirror& a, const Mirror& b);

/// The terms that a document has, by prefix and then in byte order. What adds up floats over terms
/// takes this order, since numbers depend on what the mirror followed.
std::vector<std::uint32_t> terms_in_order(const Mirror& mirror);

/// The mirror of some documents of another as if it were read from a database of these: terms are
/// numbered in their order, labels by name, and those that none has are left out. It shares nothing
/// with `mirror`, and knows nothing of predicted tags and limits. `docids` ascend.
Mirror mirror_sample(const Mirror& mirror, std::span<const Xapian::docid> docids);

/// The same of all documents, with what it knows of predicted tags and limits.
Mirror compacted_mirror(const Mirror& mirror, std::size_t threads);

}  // namespace kindred
