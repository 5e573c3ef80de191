#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/document_set.h"
#include "gpu/lazy.h"
#include "gpu/queries.h"
#include "gpu/segment_list.h"
#include "plugin/votes/classes/row_sums.h"

namespace kindred {

/// For each label, the sum S(l) of its documents' unit vectors, sparse by term. LabelComparison
/// compares with them; what that costs follows the labels that it is asked about.
///
/// A segment has the sums of its rows, and of those that came or went since; ClassSums of several
/// states of a mirror share them. All are integers (docs/scoring.md, "Sums of classes"), so the
/// sums of a mirror are those of its segments, and depend neither on the order of documents and
/// terms, nor on what came and went before. Those of a term are added up when somebody asks for it.
/// For a label of n documents and a query of m terms, where documents have no more terms in the
/// mean, a cosine is off by at most 2 sqrt(n m) 2^-31: 1e-6 for 10,000 documents and 100 terms. The
/// logarithm of a sum x is off by at most n 2^-31 / (x + a) + 2^-41.
///
/// Never changes for its users, of whom there may be any number of threads.
class ClassSums {
 public:
  /// The sums of the voters' vectors under a weighting. The result does not depend on `threads`.
  ClassSums(const DocumentSet& voters, const TermWeighting& weighting, std::uint32_t label_count,
            std::size_t threads, const Pulse& pulse = {});

  /// The same, given the sums of another state of the mirror, or of other voters of it. The cost
  /// follows the documents that only one of both has, and the segments that only one of both has.
  /// `weighting`, `label_count`: those of `before`, perhaps with more terms and labels.
  ClassSums(const ClassSums& before, const DocumentSet& voters, const TermWeighting& weighting,
            std::uint32_t label_count, std::size_t threads, const Pulse& pulse = {});

  std::uint32_t labels() const { return static_cast<std::uint32_t>(documents_.size()); }
  /// What several sums share counts in equal parts for each.
  std::size_t bytes() const;

 private:
  __extension__ using Wide = __int128;

  /// What the rows of a segment add: those that were there first, and what came or went since. Each
  /// is several times larger than the next, so there are few, and at most one of no size.
  struct SegmentSums {
    SegmentPointer segment;
    RowSet voters;
    std::vector<std::shared_ptr<const RowSums>> sums;
  };

  /// Of each label, what no query and no document that is left out changes.
  struct Whole {
    std::vector<double> lengths;       ///< |S(l)|, in kSumUnit; 0 without documents
    std::vector<std::int64_t> priors;  ///< c(l), in kLogUnit
  };

  /// The sums of some terms, each made when somebody asks for it.
  struct Page {
    static constexpr std::uint32_t kTerms = 64;
    std::array<Lazy<TermSums>, kTerms> terms;
  };

  /// What all segments add to one term after another, ascending.
  class Reader {
   public:
    explicit Reader(const ClassSums& sums);
    void read(std::uint32_t term);
    std::int64_t total() const;
    std::int64_t of(std::uint32_t label) const;
    std::vector<LabelTotal> labels() const;

   private:
    struct Part {
      const RowSums* sums;
      std::size_t index;
      RowSums::Term term;
    };
    std::vector<Part> parts_;
  };

  friend class Counterparts;
  friend class LabelComparison;

  ClassSums() = default;
  void add(SegmentSums own);
  void count(const RowSums& change, const ClassSums& before, std::size_t threads,
             const Pulse& pulse);
  const TermSums& term(std::uint32_t number) const;
  const Whole& whole() const;
  std::int64_t prior(Wide inside, Wide outside) const;

  std::vector<SegmentSums> segments_;
  std::vector<Lazy<std::unique_ptr<const Page>>> pages_;
  std::vector<std::int64_t> documents_;  // of each label
  std::vector<Wide> square_;             // |S(l)|^2
  std::vector<Wide> mass_;               // N(l)
  Wide mass_of_all_ = 0;
  std::int64_t terms_ = 0;  // T
  std::unique_ptr<Lazy<Whole>> whole_ = std::make_unique<Lazy<Whole>>();
};

}  // namespace kindred
