#pragma once

#include <xapian.h>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "config/api.h"
#include "plugin/related/neighborhood.h"
#include "plugin/requests.h"

namespace kindred {

/// Similarity as a weight in a Xapian query: a source whose postings are the documents of a
/// Neighborhood, and whose weights are their similarities.
///
///     RelatedRequest request;
///     request.like = {UniqueId{"bread"}};
///     KnnSource similar(engine.neighborhood(request));
///     Xapian::Query query(Xapian::Query::OP_OR, words, Xapian::Query(&similar));
///
/// The search has run before the source is made. So the query may be used many times, and its pages
/// fit together even if the engine is refreshed meanwhile.
///
/// **Which database.** The one that the engine has mirrored, in this or another process. Its shards
/// are known by their UUIDs, so they may be in another order, or only some of them. A database in
/// memory has no UUID: nothing tells it from another, and it must be a single one.
///
/// **Which revision.** Any. A document that was deleted since the snapshot does not match. Until
/// the engine is refreshed and a new source is made, one that was added does not match either, and
/// one that was replaced counts with its old text.
///
/// Xapian clones a source for each shard and search. Clones share the documents, and may be made in
/// any number of threads. Each thread needs a Xapian::Query of its own: Xapian's may not be shared.
class KINDRED_API KnnSource final : public Xapian::PostingSource {
 public:
  /// No documents. For Xapian::Registry::register_posting_source().
  KnnSource();

  /// @throws Error kInvalidArgument if docids do not ascend from 1, if a similarity is negative or
  /// not finite, or if there are several shards and two have the same UUID or one has none.
  explicit KnnSource(Neighborhood neighborhood);

  ~KnnSource() override;

  const Neighborhood& neighborhood() const { return *neighborhood_; }

  // The members of Xapian::PostingSource. `min_weight` is ignored: Xapian 1.4 does not divide it by
  // the factors of OP_SCALE_WEIGHT, so documents that lie below it may still be among the best.

  /// Finds the documents that `shard` has of the neighborhood. Their number is exact, and the
  /// maximum weight is the largest of their similarities.
  /// @throws Xapian::InvalidOperationError if the neighborhood is that of another database; as
  /// Xapian::Database::postlist_begin().
  void init(const Xapian::Database& shard) override;

  Xapian::doccount get_termfreq_min() const override { return get_termfreq_est(); }
  Xapian::doccount get_termfreq_est() const override {
    return static_cast<Xapian::doccount>(postings_.size());
  }
  Xapian::doccount get_termfreq_max() const override { return get_termfreq_est(); }
  double get_weight() const override { return postings_[current_].similarity; }
  Xapian::docid get_docid() const override { return postings_[current_].docid; }
  void next(double min_weight) override;
  void skip_to(Xapian::docid docid, double min_weight) override;
  bool at_end() const override { return current_ >= postings_.size(); }
  KnnSource* clone() const override { return new KnnSource(neighborhood_); }

  std::string name() const override { return "kindred::KnnSource"; }
  std::string serialise() const override;
  /// @throws Xapian::SerialisationError if `bytes` are not what serialise() wrote.
  KnnSource* unserialise(const std::string& bytes) const override;
  std::string get_description() const override;

 private:
  explicit KnnSource(std::shared_ptr<const Neighborhood> neighborhood);
  std::size_t position_of(const Xapian::Database& shard) const;

  std::shared_ptr<const Neighborhood> neighborhood_;
  std::vector<SimilarDocument> postings_;  // of the shard, with its own docids, ascending
  std::size_t current_ = 0;                // in postings_
  bool started_ = false;                   // current_ is the current posting
};

}  // namespace kindred
