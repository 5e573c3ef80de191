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
#include "plugin/votes/classes/left_out.h"
#include "plugin/votes/classes/row_sums.h"
#include "plugin/votes/classes/sparse_vector.h"

namespace kindred {

/// For each label, the sum S(l) of its documents' unit vectors. Sums are sparse by term, so the
/// cost of a query is its number of terms times the number of labels that each term occurs with.
///
/// A segment has the sums of its rows, and of those that came or went since; ClassSums of several
/// states of a mirror share them. All are integers (docs/scoring.md, "Sums of classes"), so the
/// sums of a mirror are those of its segments, and depend neither on the order of documents and
/// terms, nor on what came and went before. Those of a term are added up when somebody asks for it.
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

  /// Compares a unit vector q with each label. Writes one value for each label:
  /// - `cosines`: the cosine of q and S(l) (Rocchio's class vector), 0 for a label none of whose
  ///   documents has a term of the query;
  /// - `profiles`: minus infinity for a label without documents, else the complement log-odds
  ///   (Rennie et al. 2003, here of normalized vectors)
  ///
  ///       sum_t q_t (g_t(l) + min(b_t - c(l), 0)),    a = 0.03
  ///       g_t(l) = ln((S(l)_t + a) / (S_t - S(l)_t + a)) - b_t
  ///       b_t = ln(a / (S_t + a)),    c(l) = ln((N(l) + a T) / (N - N(l) + a T))
  ///
  ///   S is the sum over all documents. N(l) and N are the sums of S(l) and S over their T terms.
  ///   Theirs is without the min, which keeps terms that a label lacks from speaking for it: of a
  ///   text of many rare words all small labels would be sure.
  ///
  /// If `left_out` is not null, the values are those of sums without that document.
  void compare(const SparseVector& query, const LeftOut* left_out, std::span<double> cosines,
               std::span<double> profiles) const;

 private:
  __extension__ using Wide = __int128;
  class Comparison;

  /// What the rows of a segment add: those that were there first, and what came or went since. Each
  /// is several times larger than the next, so there are few, and at most one of no size.
  struct SegmentSums {
    SegmentPointer segment;
    RowSet voters;
    std::vector<std::shared_ptr<const RowSums>> sums;
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

  ClassSums() = default;
  void add(SegmentSums own);
  void count(const RowSums& change, const ClassSums& before, std::size_t threads,
             const Pulse& pulse);
  const TermSums& term(std::uint32_t number) const;

  std::vector<SegmentSums> segments_;
  std::vector<Lazy<std::unique_ptr<const Page>>> pages_;
  std::vector<std::int64_t> documents_;  // of each label
  std::vector<Wide> square_;             // |S(l)|^2
  std::vector<Wide> mass_;               // N(l)
  Wide mass_of_all_ = 0;
  std::int64_t terms_ = 0;  // T
};

}  // namespace kindred
