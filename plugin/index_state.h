#pragma once

#include <xapian.h>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "analyzer/analysis_record.h"
#include "config/log.h"
#include "config/settings.h"
#include "plugin/classify/unit_voters.h"
#include "plugin/engine.h"
#include "plugin/progress.h"
#include "plugin/related/few_labels.h"
#include "plugin/related/term_mirror.h"
#include "plugin/search/facets.h"
#include "plugin/snapshot/current_snapshot.h"
#include "plugin/snapshot/follower_thread.h"
#include "plugin/snapshot/made_of_snapshot.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/topics/topic_shelf.h"
#include "plugin/vocabulary/label_hierarchy.h"

namespace kindred {

/// An open index: its database, the snapshot that is current, the thread that follows it, and what
/// is kept of its map, facets and voters. Engines that are pinned share it with the one that they
/// were made of. Whoever reads it takes a Reading (plugin/reading.h). Any number of threads may use
/// it.
struct IndexState {
  /// `opened` is for a database that the caller opened; then `path` is "". Errors as Engine().
  IndexState(std::string path, const Xapian::Database* opened, const Settings& given, Log told,
             ReadingProgress on_reading);
  ~IndexState();
  IndexState(const IndexState&) = delete;
  IndexState& operator=(const IndexState&) = delete;

  const Settings& settings() const { return database.settings(); }

  const Log log;
  std::atomic<bool> has_told_of_map = false;  ///< that it is of another index
  std::atomic<bool> tuning_failed = false;    ///< it is not tried again
  std::atomic<bool> lift_failed = false;      ///< the same of learned weights
  std::mutex learning_lift;
  MirroredDatabase database;
  const AnalysisRecord analysis;   ///< how texts are analyzed here
  bool analysis_recorded = false;  ///< the index says how its texts were analyzed
  std::string other_versions;      ///< how that differs in versions; or ""
  CurrentSnapshot current_snapshot;
  TopicShelf topics;
  FacetShelf facets;
  MadeOfSnapshot<UnitVoters> unit_voters;
  MadeOfSnapshot<FewLabels> few_labels;
  MadeOfSnapshot<TermMirror> term_mirror;
  MadeOfSnapshot<LabelHierarchy> hierarchy;
  std::optional<FollowerThread> follower;
};

struct Engine::Impl {
  std::shared_ptr<IndexState> index;
  std::shared_ptr<const Snapshot> pinned;  ///< null: the current one answers
};

}  // namespace kindred
