#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/term_bag.h"
#include "config/log.h"
#include "config/settings.h"
#include "gpu/knn/backend.h"
#include "plugin/mirror/mirror.h"
#include "plugin/votes/voting_model.h"

namespace kindred {

/// One revision of a database, on which queries run. Immutable, so any number of threads may share
/// it. It lives until the last query on it has ended.
class Snapshot {
 public:
  /// @throws Error as make_backend() and SmartWeighting.
  /// @param log gets the messages of make_backend().
  /// @param tuning how tags are given; without one, as the settings say.
  /// @param matching the documents that match the filter of the tuning; null: all.
  /// @param before the snapshot of which `mirror` has the mirror itself, or one that grew out of it
  /// by one step (grown_mirror()); then this one shares what did not change. Null: `mirror` is
  /// compact. With a tuning that does not store term weights it must be compact in any case.
  Snapshot(Mirror mirror, const Settings& settings, Log log = {},
           std::shared_ptr<const Tuning> tuning = {}, const RowSet* matching = nullptr,
           const Snapshot* before = nullptr);
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  const Mirror& mirror() const { return *mirror_; }
  const Backend& backend() const { return *backend_; }
  const TermWeighting& weighting() const { return *weighting_; }
  /// The model by which votes are taken. Related documents use backend() and weighting().
  const VotingModel& voting() const { return *voting_; }

  std::optional<std::uint32_t> row_of(Xapian::docid docid) const { return mirror_->row_of(docid); }
  Xapian::docid docid_of(std::uint32_t row) const { return mirror_->docids[row]; }

  /// Appends a query of features (terms spelled as in the index), without unknown terms.
  /// `weighting`: that of the backend that will be asked.
  void weigh(const TermBag& features, const TermWeighting& weighting, Queries& queries) const;

  /// Appends the row of a mirrored document as a query.
  void weigh_row(std::uint32_t row, const TermWeighting& weighting, Queries& queries) const;

  /// The same, as if the index did not have the document: terms that no other document has are
  /// dropped as unknown. So the similarities are those of a new document with this text.
  void weigh_left_out(std::uint32_t row, const TermWeighting& weighting, Queries& queries) const;

  /// The row as a query for tags, by voting().weighting(): with a tuning as weigh_left_out(),
  /// since tuned votes are learned that way, else as weigh_row().
  void weigh_for_tags(std::uint32_t row, Queries& queries) const;

  std::size_t bytes() const;  ///< of main memory, including those of voting()

 private:
  std::shared_ptr<const Mirror> mirror_;
  std::shared_ptr<const Mirror> compact_;  ///< out of which mirror_ grew; backends borrow from it
  std::shared_ptr<const TermWeighting> weighting_;
  std::shared_ptr<const Backend> backend_;
  std::unique_ptr<const VotingModel> voting_;
};

}  // namespace kindred
