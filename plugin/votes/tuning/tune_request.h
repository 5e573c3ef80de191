#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plugin/votes/tuning/tuning.h"

namespace kindred {

/// What `kindred tune` is to look for.
struct TuneRequest {
  std::string filter;      ///< only documents that match this Xapian query vote; "" = all
  std::uint64_t seed = 0;  ///< of the folds and the sample
  /// Which term weights are tried, in this order.
  std::vector<TermWeightKind> term_weights = {TermWeightKind::kIdf, TermWeightKind::kKl,
                                              TermWeightKind::kLearned};
  double keep_terms = 1;  ///< share of the terms that keep a weight, by information gain; (0, 1]
  /// At most this many documents, drawn at random, are classified, each by all others. At least 2,
  /// or 0 for all.
  std::int64_t sample = 20000;
  /// Documents that share a term with one of these prefixes, or a value of a slot ("value:SLOT"),
  /// never vote for each other while methods are measured: a thread, a source, a day.
  std::vector<std::string> groups;
  /// Where a fifth of the classified documents is at least this many, all kinds of term weights are
  /// tried on it first, and those whose blend is clearly behind on it only. 0: all on everything.
  std::int64_t first_look = 2000;
  /// Try only what wins nearly always: the vote "blend" with 45 neighbors.
  bool quick = false;
  /// If quick: of more documents than these, that many vote, and a quarter more for each doubling
  /// beyond, drawn at random. They are looked at as if the index held no others, so the cost grows
  /// with the logarithm of what it holds. Documents that come later are as those it does not see.
  std::uint64_t quick_documents = 25000;
};

/// A request that costs seconds: quick, with kKl and kLearned term weights, on 4,000 documents.
KINDRED_API TuneRequest quick_tune_request();

/// One method that was tried.
struct TuneTrial {
  TaggingMethod method;
  TuningScores scores;
};

struct TuneReport {
  std::vector<TuneTrial> trials;  ///< in the order of trying
  std::size_t best = 0;           ///< which of them won
  /// A blend won unless another vote was better by more than this, two standard errors of a share:
  /// its confidences are probabilities. Among blends, the one with the least log loss won.
  double allowance = 0;
  /// The share of documents by which the accuracy of later ones will be lower than by
  /// leave-one-out, since of each label earlier documents find later ones less well than others at
  /// random do. 0 if that is not clear (plugin/tune/cross_fit/drift.h).
  double drift = 0;
  Tuning tuning;
};

/// The share of documents that come later whose best tag will be right, if they differ from those
/// there are as these have differed from earlier ones (TuneReport::drift).
KINDRED_API double expected_accuracy(const TuneReport& report);

/// Called with what is being done, and with the number of documents that are done so far, in the
/// thread that tunes. If it throws, it is not called again, and the tuning throws that.
using OnTuning = std::function<void(const std::string& doing, std::uint64_t documents)>;

}  // namespace kindred
