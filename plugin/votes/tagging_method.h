#pragma once

#include <cstdint>
#include <string_view>

#include "config/api.h"

namespace kindred {

/// How a document's labels are decided, by its neighbors or by each label as a whole.
enum class VoteKind {
  kMajority,    ///< share of the k neighbors (Bresler and Gil; plain k-NN)
  kSimilarity,  ///< share of the neighbors' similarities (Yang and Liu 1999)
  kBest,        ///< the best similarity of each label's documents (Veronese et al.)
  kNearest,     ///< the labels of the nearest neighbor, with its similarity
  kPrototype,   ///< as kBest, but only documents chosen as prototypes vote
  kCentroid,    ///< cosine to the sum of the label's documents (Rocchio)
  kProfile,  ///< complement log-odds of the label's documents (Rennie et al. 2003), as 1/(1+e^-x)
  kBlend,    ///< probability from all of these, with coefficients that `kindred tune` fits
  kUnit,     ///< share of the documents that lie on the map around the document's unit
             ///< (plugin/classify/unit_voters.h)
};

/// The names in settings, the C ABI and the program.
/// @throws Error kInvalidArgument that lists the known names.
KINDRED_API VoteKind vote_kind(std::string_view name);
KINDRED_API std::string_view vote_name(VoteKind kind);

/// One way to tag, as `kindred tune` fits it. Labels have thresholds by SCut (LabelCuts::scut()).
struct TaggingMethod {
  VoteKind vote = VoteKind::kBlend;
  std::int64_t k = 45;
  double keep_terms = 1;  ///< share of the terms that keep a weight, by information gain
  double fbr = 0;         ///< of SCut
  bool linear = false;    ///< VoteKind::kBlend has linear classifiers (LinearVotes), too
};

}  // namespace kindred
