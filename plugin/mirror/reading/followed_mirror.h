#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "plugin/mirror/mirror.h"
#include "plugin/store/counted_documents.h"

namespace kindred {

/// The documents that changed since a mirror was made, as the mirror of now is to hold them. They
/// are read one by one, not from posting lists. For one thread, except fetch().
class DocumentChanges {
 public:
  struct FeatureCount {
    std::uint32_t term;  ///< column of the known mirror, or number of a new term
    std::uint16_t count;
  };

  struct DocumentChange {
    Xapian::docid docid = 0;
    bool exists = false;  ///< if not, the document was deleted, and the rest says nothing
    bool tagged = false;  ///< has a predicted tag
    bool marked = false;  ///< as Mirror::marked
    std::string id;       ///< unique id, "" if it has none
    std::uint64_t features_end = 0;  ///< among those of all documents
    std::uint64_t labels_end = 0;    ///< likewise
  };

  /// Strings that the known mirror lacks, with numbers that follow those it has. In the mirror's
  /// order: terms by their prefix first, names of labels all under 0.
  using NewStrings = std::map<std::pair<std::size_t, std::string>, std::uint32_t>;

  /// Both are borrowed, and must outlive this.
  DocumentChanges(const Mirror& known, const Settings& settings);

  /// A document as the database has it.
  struct Fetched {
    DocumentChange document;
    std::vector<FeatureCount> features;  ///< of terms that the known mirror has
    std::vector<std::uint32_t> labels;   ///< of names that the known mirror has
    struct NewFeature {
      std::size_t prefix;
      std::string term;
      std::uint16_t count;
    };
    std::vector<NewFeature> new_features;
    std::vector<std::string> new_labels;
  };

  /// Reads a document as it is now. One that the database does not have counts as deleted. `own` is
  /// its docid there, which differs from the mirror's in a shard. Any number of threads may call it
  /// at once, each with a database of its own. @throws Xapian::Error.
  Fetched fetch(const Xapian::Database& database, Xapian::docid own, Xapian::docid docid) const;

  /// Takes a document over. Docids must ascend from call to call.
  void add(Fetched fetched);

  const std::vector<DocumentChange>& documents() const { return documents_; }  ///< docid ascending
  std::span<const FeatureCount> features(std::size_t document) const;          ///< ascending
  /// Numbers of labels, ascending: those of the known mirror, or new ones.
  std::span<const std::uint32_t> labels(std::size_t document) const;
  const NewStrings& new_terms() const { return new_terms_; }
  const NewStrings& new_labels() const { return new_labels_; }

 private:
  void sort_term(std::string_view term, Xapian::termcount wdf, Fetched& fetched) const;
  void add_label(const std::string& label, Fetched& fetched) const;

  const Mirror& known_;
  const Settings& settings_;
  const CountedDocuments counted_;
  std::vector<DocumentChange> documents_;
  std::vector<FeatureCount> features_;  ///< of all documents
  std::vector<std::uint32_t> labels_;   ///< of all documents
  NewStrings new_terms_;
  NewStrings new_labels_;
};

/// True if a mirror, which has the numbers of the one that `read` knows, holds document number
/// `document` as it was read.
bool holds_document(const Mirror& mirror, const DocumentChanges& read, std::size_t document);

/// What a mirror takes from its database as a whole, or from each shard, and is held against.
struct DatabaseCounts {
  std::uint64_t documents = 0;
  bool stems = false;                      ///< as has_stems()
  TagCounts tags;                          ///< but for `tagged`
  std::vector<std::uint64_t> frequencies;  ///< of some terms: the documents that have each

  /// Adds those of another shard, of the same terms.
  void add(const DatabaseCounts& shard);
};

/// The counts of a database, with the frequencies of these terms. @throws Xapian::Error.
DatabaseCounts read_counts(const Xapian::Database& database, const Settings& settings,
                           std::span<const std::string> terms);

/// The mirror of a database's revision, made of that of an earlier one and of the documents that
/// changed: those that are new or different are a new segment, and their former rows die. It gives
/// the answers of what read_mirror() makes of the database. `counts` are those of this revision.
/// Its cost follows the documents that changed, besides a few passes over bits of all rows.
/// `changes` may have documents that did not change, and must have all that did.
///
/// Nothing if features have other prefixes by now: the first stem came into an index without stems,
/// or the last one left.
/// @throws Error kInvalidArgument if there are too many documents for one mirror.
std::optional<Mirror> followed_mirror(const Mirror& known, const DocumentChanges& changes,
                                      DatabaseRevision revision, const DatabaseCounts& counts,
                                      const Settings& settings);

}  // namespace kindred
