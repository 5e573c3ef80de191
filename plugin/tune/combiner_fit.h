#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plugin/tune/shortlists.h"
#include "plugin/votes/combiner.h"

// `lists` are those of the documents. Sums have a fixed order, so no result depends on `threads`.

namespace kindred {

/// The labels that people gave to some documents, which are split into folds.
struct TrueLabels {
  std::size_t documents = 0;
  std::size_t labels = 0;
  std::vector<std::uint64_t> begin{0};  ///< of a document's labels in `label`
  std::vector<std::uint32_t> label;     ///< ascending in a document
  std::vector<std::uint8_t> fold;       ///< of a document
  std::size_t folds = 0;

  void add(std::span<const std::uint32_t> own, std::uint8_t own_fold) {
    ++documents;
    label.insert(label.end(), own.begin(), own.end());
    begin.push_back(label.size());
    fold.push_back(own_fold);
  }

  /// Of the same labels and folds.
  void add(const TrueLabels& others) {
    for (std::size_t d = 0; d < others.documents; ++d) add(others.of(d), others.fold[d]);
  }

  std::span<const std::uint32_t> of(std::size_t document) const {
    return std::span(label).subspan(begin[document], begin[document + 1] - begin[document]);
  }
  bool has(std::size_t document, std::size_t wanted) const {
    return std::ranges::binary_search(of(document), wanted);
  }
  std::uint64_t most_labels() const {  ///< of a document
    std::uint64_t most = 0;
    for (std::size_t d = 0; d < documents; ++d) most = std::max<std::uint64_t>(most, of(d).size());
    return most;
  }
  bool single_label() const {  ///< every document has exactly one
    return most_labels() == 1 && label.size() == documents;
  }
};

/// In nats, by the probabilities P of a combiner that was fitted:
/// - single label: the mean over documents of -ln P(true label);
/// - else: the sum over all documents and labels of -ln P(l) if the document has the label, or of
///   -ln(1 - P(l)) if not, divided by the number of labels that documents have.
/// Labels that are not on a document's shortlist do not count.
struct FittedCombiner {
  Combiner combiner;
  /// For each fold, a combiner that was fitted to the documents of the others; its calibration is
  /// that of `combiner`. By these the loss is measured, and the calibration fitted: few documents
  /// agree with what was fitted to them more than later ones will.
  std::vector<Combiner> without_fold;
  double log_loss = 0;
};

/// Maximum likelihood by Newton's method, with a ridge that keeps few documents from deciding much.
/// If every document has exactly one label, the form is that of a single label; else its
/// calibration is fitted, too. The problem is convex, so there is one answer.
FittedCombiner fit_combiner(const TrueLabels& truth, const Shortlists& lists, bool hears_few,
                            std::size_t threads);

/// The same, with a ridge toward a known combiner, which counts as much as ten labels of documents.
FittedCombiner fit_further(const Combiner& known, const TrueLabels& truth, const Shortlists& lists,
                           std::size_t threads);

/// What needs no learning: a label is as likely as its share is large; where few are heard, its
/// share among these.
Combiner share_combiner(bool single_label, bool hears_few);

/// The same, with confidences that are fitted.
FittedCombiner fit_shares(const TrueLabels& truth, const Shortlists& lists, bool hears_few,
                          std::size_t threads);

/// The probability of each label on the lists. `combiners`: one for all documents, or one for each
/// fold.
std::vector<float> combined_scores(std::span<const Combiner> combiners, const Shortlists& lists,
                                   const TrueLabels& truth, std::size_t threads);

}  // namespace kindred
