#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/votes/tuning/tuning.h"

namespace kindred {

/// What `kindred tune` is to learn from.
struct TuneRequest {
  std::string filter;      ///< only documents that match this Xapian query vote; "" = all
  std::uint64_t seed = 0;  ///< of the folds and the sample
  /// Documents that share a term with one of these prefixes, or a value of a slot ("value:SLOT"),
  /// never vote for each other while methods are measured: a thread, a source, a day.
  std::vector<std::string> groups;
  /// Of more labeled documents than these, that many are looked at, and a quarter more for each
  /// doubling beyond, drawn at random, as if the index held no others. So the cost grows with the
  /// logarithm of what it holds, and documents that come later are as those that were not seen. 4
  /// in 25 of these are classified by the others, but 4,000 at least.
  std::uint64_t documents = 25000;
  std::string goal;  ///< of the thresholds, as tag_goal() reads it
};

struct TuneReport {
  /// The share of documents by which the accuracy of later ones will be lower than by
  /// leave-one-out, since of each label earlier documents find later ones less well than others at
  /// random do. 0 if that is not clear (plugin/tune/drift.h).
  double drift = 0;
  /// The share by which it will be lower if later documents have no siblings in the index
  /// (plugin/tune/leakage.h), while those that were classified have; rather too much. 0 if that is
  /// not clear.
  double siblings = 0;
  /// The share of the classified documents none of whose labels another document has. Leaving out
  /// tells nothing of such labels: later documents may have them, or labels that are as new.
  double alone = 0;
  /// The share by which it will be higher, since then all documents vote and teach.
  double gain = 0;
  Tuning tuning;
};

}  // namespace kindred
