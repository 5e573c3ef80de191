#pragma once

#include <xapian.h>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "analyzer/term_bag.h"
#include "config/log.h"
#include "config/settings.h"
#include "gpu/document_set.h"
#include "gpu/knn/backend.h"
#include "gpu/lazy.h"
#include "plugin/documents/stem_words.h"
#include "plugin/mirror/mirror.h"
#include "plugin/snapshot/filter_cache.h"
#include "plugin/snapshot/neighbor_lift.h"
#include "plugin/snapshot/view.h"
#include "plugin/snapshot/voting_model.h"
#include "plugin/vocabulary/vocabulary.h"

namespace kindred {

/// A tuning that an index has, and that is not used.
struct UnusedTuning {
  std::string why;    ///< "not used: ..."; "" if nobody needs to know
  std::string stamp;  ///< Tuning::stamp; "" if there is none
};

/// What was learned of an index, or told.
struct Learned {
  /// How tags are given; without one, as the settings say. It is not used if its filter matches
  /// fewer labeled documents than a tuning needs: see Snapshot::unused_tuning().
  std::shared_ptr<const Tuning> tuning = {};
  const DocumentSet* matching = nullptr;  ///< the tuning's filter; null: all
  UnusedTuning unused = {};               ///< what the index has instead of a tuning
  /// Without it, and without a tuning, related documents are found as the settings say.
  std::shared_ptr<const NeighborLift> lift = {};
  std::shared_ptr<const Vocabulary> vocabulary = {};  ///< null: labels have no names
};

/// One revision of a database, on which queries run. Immutable but for what it remembers of filters
/// and words, and makes when it is first asked for, so any number of threads may share it. It lives
/// until the last query on it has ended.
class Snapshot {
 public:
  /// @throws Error as make_backend() and SmartWeighting.
  /// @param log gets the messages of make_backend().
  /// @param before a snapshot of an earlier state of the mirror; this one then shares what was made
  /// of segments that both have. May be null.
  Snapshot(Mirror mirror, const Settings& settings, Log log = {}, Learned learned = {},
           const Snapshot* before = nullptr);
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  const Mirror& mirror() const { return mirror_; }
  /// The plain view: a backend by the cosine, and its weighting, as the first two letters of
  /// weighting.smart say. What rests on lengths of 1 uses these, as near-duplicates do.
  const Backend& backend() const { return *plain_.backend; }
  const TermWeighting& weighting() const { return *plain_.weighting; }
  /// The model by which tags are given. Without a tuning, its view is the plain one or, if
  /// weighting.smart asks for it, one by the dot product.
  const VotingModel& voting() const { return *voting_; }
  /// By which related documents are found: the view of the tuning or, without one, of the learned
  /// weights; without both, that of voting().
  const View& related() const;
  /// The view of the learned weights, whatever labels say; without these, the plain one. Made when
  /// it is first asked for.
  const View& by_lift() const;
  /// The learned weights, whether related() needs them or not; null if there are none.
  const std::shared_ptr<const NeighborLift>& lift() const { return lift_; }
  /// The names of labels; null if there are none.
  const std::shared_ptr<const Vocabulary>& vocabulary() const { return vocabulary_; }
  /// The tuning of the index that is not used.
  const UnusedTuning& unused_tuning() const { return unused_tuning_; }

  /// Appends a query of features (terms spelled as in the index), without unknown terms.
  /// `weighting`: that of the backend that will be asked.
  void weigh(const TermBag& features, const TermWeighting& weighting, Queries& queries) const;

  /// Appends a mirrored document as a query.
  void weigh_document(Xapian::docid docid, const TermWeighting& weighting, Queries& queries) const;

  /// The same, as if the index did not have the document: terms that no other document has are
  /// dropped as unknown. So the similarities are those of a new document with this text.
  void weigh_left_out(Xapian::docid docid, const TermWeighting& weighting, Queries& queries) const;

  /// A document as a query for tags: with a tuning as weigh_left_out(), since tuned votes are
  /// learned that way, else as weigh_document().
  void weigh_for_tags(Xapian::docid docid, const TermWeighting& weighting, Queries& queries) const;

  /// The answers to filters that were asked of this snapshot.
  FilterCache& filters() const { return filters_; }
  /// The words that were shown for its stems.
  StemWords& words() const { return words_; }

  /// Of main memory, including those of voting(), filters() and words().
  std::size_t bytes() const;

 private:
  View plain_view(const Settings& settings, Log log, const Snapshot* before) const;
  View by_all_letters(const Settings& settings) const;
  View lift_view() const;

  const Mirror mirror_;
  View plain_;
  UnusedTuning unused_tuning_;
  std::optional<const VotingModel> voting_;
  std::shared_ptr<const NeighborLift> lift_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  std::optional<View> lift_view_before_;  // of an earlier state of the mirror, by the same weights
  Lazy<View> lift_view_;
  mutable FilterCache filters_;
  mutable StemWords words_;
};

}  // namespace kindred
