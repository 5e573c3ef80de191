#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kindred {

/// What is held out when related documents are measured.
enum class HeldOut {
  kDocuments,  ///< documents whose docid is a multiple of teach_every teach, and the others ask
  kLabels,     ///< every teach_every-th label in byte order teaches, and the others are asked about
};

/// How good are related documents? Term weights are learned from some labeled documents or labels.
/// Each document that has one of the other labels, or is one of the other labeled documents, asks
/// for those that are most like it, among documents of that kind.
struct RelatedEvaluationRequest {
  HeldOut held_out = HeldOut::kDocuments;
  std::int64_t teach_every = 2;  ///< at least 2
  /// Called after each batch with the number of questions so far, and of all; false cancels.
  std::function<bool(std::uint64_t asked, std::uint64_t all)> on_progress;
};

/// How good they are by one kind of weights.
struct RelatedShare {
  std::string weights;  ///< one of the first kRelatedWeightKinds names (config/settings.h)
  /// Of the k nearest, those that share a label with the document that asked, in the mean over
  /// those that asked, in [0, 1]. With HeldOut::kLabels, one of the labels that are asked about.
  double share = 0;
};

struct RelatedEvaluation {
  std::uint64_t teachers = 0;        ///< documents from whose labels weights were learned
  std::uint64_t asked = 0;           ///< documents that asked
  std::int64_t k = 0;                ///< the setting related.k
  std::vector<RelatedShare> shares;  ///< in the order of kRelatedWeightNames, without "auto"
};

}  // namespace kindred
