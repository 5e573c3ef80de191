#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plugin/mirror/row_counts.h"
#include "plugin/tune/combiner_fit.h"
#include "plugin/tune/cross_fit.h"
#include "plugin/votes/combiner.h"

// What the blend says of documents whose labels are known. Matrices are row-major.

namespace kindred {

/// The labels that people gave to some documents, which are dealt into folds.
struct TrueLabels {
  std::size_t documents = 0;
  std::size_t labels = 0;
  std::vector<std::uint64_t> begin{0};  ///< of a document's labels in `label`
  std::vector<std::uint32_t> label;     ///< ascending in a document
  std::vector<std::uint8_t> fold;       ///< of a document
  std::size_t folds = 0;

  std::span<const std::uint32_t> of(std::size_t document) const {
    return std::span(label).subspan(begin[document], begin[document + 1] - begin[document]);
  }
  bool single_label() const;          ///< every document has exactly one
  std::uint64_t most_labels() const;  ///< of a document

  /// The first `count` documents, and their features, for a fit.
  CombinerExamples first(std::size_t count, std::span<const float> features) const;
};

/// The labels and folds of the rows that are classified.
TrueLabels true_labels(const Mirror& mirror, const FoldedRows& rows);

/// The features of every document and label: [documents, labels, kLabelFeatures].
std::vector<float> features_of(const LeaveOneOut& known, const RowLabels& labels,
                               const TrueLabels& truth, std::size_t threads);

/// Every document's probabilities by a combiner of these features: [documents, labels].
std::vector<float> combined_scores(const Combiner& combiner, std::span<const float> features,
                                   const TrueLabels& truth, std::size_t threads);

/// The log loss of each document by a combiner of these features.
std::vector<double> combined_losses(const Combiner& combiner, std::span<const float> features,
                                    const TrueLabels& truth, std::size_t threads);

}  // namespace kindred
