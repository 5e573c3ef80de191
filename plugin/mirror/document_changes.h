#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// The documents that changed since a mirror was made, as the mirror of now is to hold them. They
/// are read one by one, not from posting lists. For one thread.
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
    std::uint64_t features_end = 0, labels_end = 0;
  };

  /// Strings that the known mirror lacks, with numbers that follow those it has. In the mirror's
  /// order: terms by their prefix first, names of labels all under 0.
  using NewStrings = std::map<std::pair<std::size_t, std::string>, std::uint32_t>;

  /// Both are borrowed, and must outlive this.
  DocumentChanges(const Mirror& known, const Settings& settings);

  /// Takes a document as it is now. One that the database does not have counts as deleted. Docids
  /// must ascend from call to call.
  /// @throws Xapian::Error.
  void read(const Xapian::Database& database, Xapian::docid docid);

  const std::vector<DocumentChange>& documents() const { return documents_; }  ///< docid ascending
  std::span<const FeatureCount> features(std::size_t document) const;
  /// Numbers of labels: those of the known mirror, or new ones. A label may come twice.
  std::span<const std::uint32_t> labels(std::size_t document) const;
  const NewStrings& new_terms() const { return new_terms_; }
  const NewStrings& new_labels() const { return new_labels_; }

 private:
  void take(const std::string& term, Xapian::termcount wdf, DocumentChange& document);
  void add_label(std::string_view name);

  const Mirror& known_;
  const Settings& settings_;
  std::vector<DocumentChange> documents_;
  std::vector<FeatureCount> features_;  ///< of all documents
  std::vector<std::uint32_t> labels_;   ///< of all documents
  NewStrings new_terms_, new_labels_;
};

/// True if row `row` of a mirror, which has the numbers of the one that `read` knows, is document
/// number `document` as it was read.
bool holds_document(const Mirror& mirror, std::uint32_t row, const DocumentChanges& read,
                    std::size_t document);

}  // namespace kindred
