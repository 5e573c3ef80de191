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

/// How scores become tags.
enum class CutKind {
  kThreshold,     ///< one threshold for all labels
  kScut,          ///< a threshold for each label, chosen by its best F1 (Yang 2001)
  kProportional,  ///< PCut: a threshold for each label that gives it as often as people did
  kRank,          ///< RCut: the same number of best labels for each document
};
KINDRED_API std::string_view cut_name(CutKind cut);
/// @throws Error kInvalidArgument that lists the known names.
KINDRED_API CutKind cut_kind(std::string_view name);

/// What a term weighs when documents are tagged.
enum class TermWeightKind {
  kIdf,      ///< as weighting.smart says
  kKl,       ///< TermScore::kDivergence in place of idf
  kLearned,  ///< kKl times a learned correction for each term
             ///< (plugin/tune/learning/correction_fit.h)
};
KINDRED_API std::string_view term_weight_name(TermWeightKind kind);  ///< idf kl learned
/// @throws Error kInvalidArgument that lists the known names.
KINDRED_API TermWeightKind term_weight_kind(std::string_view name);

/// One way to tag: everything that `kindred tune` chooses.
struct TaggingMethod {
  TermWeightKind term_weights = TermWeightKind::kIdf;
  VoteKind vote = VoteKind::kSimilarity;
  std::int64_t k = 30;
  double keep_terms = 1;  ///< share of the terms that keep a weight, by information gain
  CutKind cut = CutKind::kThreshold;
  double cut_value = 0;  ///< the threshold; FBR of scut; the number of labels of rcut
  bool linear = false;   ///< VoteKind::kBlend has linear classifiers (LinearVotes), too
};

}  // namespace kindred
