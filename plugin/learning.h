#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gpu/som/exchange.h"
#include "plugin/progress.h"
#include "plugin/reading.h"
#include "plugin/requests.h"
#include "plugin/topics/topic_map.h"
#include "plugin/topics/training.h"
#include "plugin/tune/tune_report.h"

// What an index learns and keeps in files beside it: its tuning, what terms weigh for related
// documents, its map. Its engines follow.

namespace kindred {

/// Fits the way to tag documents; see TuneRequest. Stores nothing: use store_tuning(). Where few
/// documents vote, what terms weigh is learned first, as by learn_lift_if_needed().
/// @throws Error kInvalidArgument: a value of the request out of range, a filter that does not
/// parse, fewer than two voters.
TuneReport tune(const Reading& reading, const TuneRequest& request, const OnTuning& on_tuning = {});

/// If the index needs a tuning (Engine::needs_tuning()): tunes by the default request, but by the
/// filter of the tuning that is used, stores the result, and lets the index answer by it from then
/// on. Nothing if it was not needed, and if it failed: the reason is logged, and it is not tried
/// again. @throws Error kCanceled and whatever else on_tuning throws.
std::optional<TuneReport> tune_if_needed(const Reading& reading, const OnTuning& on_tuning = {});

/// Who needs the weights that an index learns of itself.
enum class LiftFor {
  kRelated,  ///< related documents of an index without a tuning
  kTags      ///< tags by few labels, where Reading::hears_few() or tunes_by_few()
};

/// True if a tuning by this request hears few voters (plugin/related/few_labels.h).
/// @throws Error kInvalidArgument for a filter that does not parse.
bool tunes_by_few(const Reading& reading, const TuneRequest& request);

/// Learns what terms weigh by lift (plugin/related/lift_learning.h), if it is needed, the index has
/// 200 documents or more, and either no such weights or twice the documents that it had then.
/// Stores them beside the index where that is allowed; else an index small enough to learn them in
/// less than a second keeps them in memory. Answers are by them from then on. Does nothing if the
/// settings are against it, or another thread is at it. If it fails, the reason is logged, and it
/// is not tried again. @throws Error kCanceled and whatever else on_tuning throws.
bool learn_lift_if_needed(const Reading& reading, LiftFor whom, const OnTuning& on_tuning = {});

/// Stores a tuning of this index, and lets the metadata of the index remember it, if they can be
/// written: so it still fits after the index was compacted, and its loss is noticed. Takes effect
/// with the next refresh. Returns the path of the file.
/// @throws Error kUnsupported if the index has no path; as write_tuning().
std::string store_tuning(const Reading& reading, const Tuning& tuning);

/// Lets the metadata of the index remember that it has a file of this name, where they may be
/// written.
void remember_kept(const Reading& reading, const std::string& name);

/// Makes a map of the snapshot, stores it beside the index (topic_map_path(); for a database that
/// the caller opened, only in memory), and lets the index answer from it. Queries are answered
/// meanwhile, and an older map is used until the new one is on disk.
/// @throws Error kInvalidArgument (no documents, a value out of range); kNotFound if there is no
/// map to resume; kCanceled by `progress`; kOutOfMemory if the map needs too much memory, which is
/// found out before training begins; kUnsupported if there is no such backend; kDatabase if the map
/// cannot be written. Nothing has changed then. If there are `others`, all processes call this on
/// the same index with the same request, and `progress` gives them the same answers; the first one
/// gets and stores the map, the others get null. kInvalidArgument if their indexes, settings or
/// requests differ.
std::shared_ptr<const TopicMap> train_topics(const Reading& reading,
                                             const TrainTopicsRequest& request = {},
                                             const SomProgress& progress = {},
                                             SomExchange* others = nullptr);

}  // namespace kindred
