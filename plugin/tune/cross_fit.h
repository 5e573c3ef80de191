#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "config/pulse.h"
#include "gpu/csr.h"
#include "gpu/document_set.h"
#include "gpu/knn/backend.h"
#include "plugin/related/few_labels.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/tune/parts.h"
#include "plugin/tune/shortlists.h"
#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/classes/linear_classifiers.h"

namespace kindred {

/// What documents teach about the others.
struct Taught {
  TermWeighting weighting;
  std::shared_ptr<LinearClassifiers> classifiers = {};  ///< null: without
};

/// What is learned: nothing (terms weigh as without a tuning), term weights, or linear classifiers
/// under these, too.
enum class Learning { kNothing, kWeights, kLinear };

/// The labels whose names are near, of each document that may be classified.
using NamedLabels = std::map<Xapian::docid, std::vector<NamedLabel>>;

/// What a blend hears beside the neighbors. Borrowed.
struct AlsoHeard {
  const FewLabels* few = nullptr;      ///< the voters as the vote "few" hears them; null: too many
  const NamedLabels* named = nullptr;  ///< null: labels have no names
  const LabelHierarchy* hierarchy = nullptr;  ///< null: none is above another
};

/// Classifies documents of a snapshot by the others. For one thread at a time; it has threads of
/// its own.
class CrossFit {
 public:
  /// Called now and then, in any thread, with the work that was done since its last call, in a unit
  /// that takes about the same time everywhere.
  using Tick = std::function<void(std::uint64_t work)>;

  /// Borrows the snapshot.
  /// @param learning_documents what corrections of term weights and linear classifiers are learned
  ///        from, at most, about
  /// @param pulse called between the ticks; what it throws ends the run
  CrossFit(const Snapshot& snapshot, AlsoHeard also, std::size_t learning_documents,
           Learning learning, Tick tick, Pulse pulse = {});

  /// The same, but for what is learned.
  CrossFit(const CrossFit& other, Learning learning);

  bool hears_few() const { return also_.few != nullptr; }

  /// Term weights, as floats: label_weights() times e to the power of what fit_corrections()
  /// learns. Linear classifiers under these. `known_only`: a term that no teacher has weighs 0.
  Taught learn(const DocumentSet& teaching, bool known_only = false) const;

  /// The labels that the documents of all parts may have, one part after the other. What the same
  /// documents teach is learned once, also from one call to the next.
  Shortlists shortlists_of(std::span<const Part> parts);

  /// What the ticks of shortlists_of() will amount to, about.
  std::uint64_t work_of(std::span<const Part> parts) const;
  /// The same where what teaches the parts was learned already.
  std::uint64_t work_of_comparing(std::span<const Part> parts) const;
  /// The same of learn(), from so many documents.
  std::uint64_t work_of_learning(std::size_t documents) const;

  /// By how much classifiers that were learned from all voters are off for a document that they
  /// were learned from. `lists`: what shortlists_of() found.
  LeftOutFactors left_out_factors(const Taught& taught, std::span<const Part> parts,
                                  const Shortlists& lists) const;

 private:
  struct ComparedPart;

  /// What was learned last, and from whom; and what goes on from one part to the next.
  struct Last {
    DocumentSet teachers;
    bool known_only;
    Taught taught;
    std::shared_ptr<const Backend> backend = {};
    std::unique_ptr<const ClassSums> sums = {};  ///< of those who voted on the part before
  };

  std::size_t labels() const { return mirror_.labels.names.size(); }
  std::vector<std::uint32_t> learned_labels() const;
  std::vector<double> corrections(const TermWeighting& base, const DocumentSet& voters) const;
  std::shared_ptr<LinearClassifiers> learn_linear(const TermWeighting& weighting,
                                                  const DocumentSet& voters) const;
  Queries weighed_left_out(std::span<const Xapian::docid> docids,
                           const TermWeighting& weighting) const;
  Shortlists classify(const Part& part);
  void list_labels(const ComparedPart& with, std::size_t begin, std::size_t end,
                   Shortlists& lists) const;
  std::vector<Neighbor> nearest(const TermWeighting& weighting, const Backend& backend,
                                std::span<const Xapian::docid> docids, const DocumentSet& voters,
                                std::size_t k) const;

  const Snapshot& snapshot_;
  const Mirror& mirror_;
  const AlsoHeard also_;
  const std::size_t learning_documents_;
  const Learning learning_;
  const Tick tick_;
  const Pulse pulse_;
  const std::size_t threads_;
  const std::shared_ptr<const Csr> postings_;
  std::optional<Last> last_;
};

}  // namespace kindred
