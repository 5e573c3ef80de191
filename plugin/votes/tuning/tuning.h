#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/api.h"
#include "plugin/questions.h"
#include "plugin/votes/combiner.h"
#include "plugin/votes/hierarchy_model.h"
#include "plugin/votes/suggestion_model.h"

namespace kindred {

/// How well a method does by leave-one-out.
struct TuningScores {
  std::uint64_t documents = 0;
  double micro_f1 = 0;
  double macro_f1 = 0;           ///< over the labels that are true or predicted
  double precision = 0;          ///< over all tags
  double recall = 0;             ///< the same
  double accuracy = 0;           ///< share of documents whose best label is true
  double calibration_error = 0;  ///< ECE of the best label, ten bins; see ReliabilityBin
  double log_loss = 0;           ///< as FittedCombiner::log_loss
};

/// The threshold of labels that a tuning does not know, if it chooses one of each label.
inline constexpr double kOtherThreshold = 0.5;

class FrozenWeights;
struct LinearClassifiers;

/// What `kindred tune` found for one index: how VoteKind::kBlend tags its documents.
struct Tuning {
  std::string uuid;                   ///< of the index
  std::uint64_t revision = 0;         ///< of the index when it was tuned
  std::string smart;                  ///< weighting.smart at that time; tagging still uses it
  std::vector<std::string> prefixes;  ///< of the feature terms
  std::string filter;            ///< only documents that match this Xapian query vote; "" = all
  bool single_label = false;     ///< every document had exactly one label: at most one tag is given
  std::uint64_t max_labels = 0;  ///< the most that one of the documents had
  std::uint64_t voters = 0;      ///< how many documents voted
  bool automatic = false;        ///< found by tune_if_needed(), which may replace it
  /// Labels of it have become one since (edit_label()), so it is due.
  bool merged = false;
  TuningScores scores;
  /// What terms weigh, for tags and for related documents; never null in what tune() and
  /// read_tuning() return.
  std::shared_ptr<const FrozenWeights> weights;
  Combiner combiner;
  std::shared_ptr<const LinearClassifiers> classifiers;  ///< null if the blend does without
  /// The number of latest documents that the combiner was fitted to. Each was classified by earlier
  /// documents only, as new documents will be. 0 if it was fitted to leave-one-out.
  std::uint64_t forward_documents = 0;
  /// Label -> threshold.
  std::map<std::string, double> thresholds;
  double other_threshold = kOtherThreshold;  ///< of labels that are not among these
  std::string goal;                          ///< of the thresholds, as TuneRequest::goal
  /// How likely labels are that no document has.
  SuggestionModel suggestions;
  /// What narrower and broader labels say of each other.
  HierarchyModel hierarchy;
  std::string stamp;  ///< file_stamp() of the file that it was read from; "" = no file
};

/// Where the tuning of a database is kept: kindred.tuning in its directory, or PATH.kindred-tuning
/// beside it if the database is not a directory.
KINDRED_API std::string tuning_path(const std::string& database);

/// The tuning of a database, if it has one.
/// @throws Error that names the file and what was expected:
/// - kCorrupt if it is damaged, if its parts do not fit together, or if it was made for an index
///   other than that of `uuid` ("" stands for any);
/// - kUnsupported if its format is not the one that this version of Kindred reads;
/// - kNotFound if it cannot be read;
/// - kInvalidArgument if it is not a regular file.
KINDRED_API std::optional<Tuning> read_tuning(const std::string& database, const std::string& uuid);

/// Stores the tuning of a database, which has weights, on disk. A reader finds
/// either the old tuning or the new one. Ends what keep_untuned() began.
/// @throws Error as SectionWriter::write(); the tuning that was there is then unchanged.
KINDRED_API void write_tuning(const std::string& database, const Tuning& tuning);

/// Removes the tuning of a database; true if there was one.
/// @throws Error kNotFound if it cannot be removed.
KINDRED_API bool remove_tuning(const std::string& database);

/// From now on the database does not tune itself (Engine::needs_tuning()), by a file beside the
/// place of its tuning. @throws Error kNotFound if that cannot be written.
KINDRED_API void keep_untuned(const std::string& database);

/// True between keep_untuned() and write_tuning().
bool is_kept_untuned(const std::string& database);

/// The Tuning::stamp of the tuning that a database has now; "" if it has none.
std::string tuning_stamp(const std::string& database);

/// The labeled documents that a tuning needs, to be found and to be used.
inline constexpr std::size_t kFewestVoters = 2;

/// Why a tuning is not used whose filter leaves too few voters.
std::string why_unused(const Tuning& tuning);

/// A tuning as answers have it: with the sizes of its tables by term and label instead of the
/// tables.
api::UsedTuning used_tuning(const Tuning& tuning);

}  // namespace kindred
