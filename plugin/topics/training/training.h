#pragma once

#include <xapian.h>
#include <functional>
#include <memory>

#include "config/log.h"
#include "config/settings.h"
#include "plugin/input/analyzer_pool.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/topics/map.h"

namespace kindred {

/// Runs what needs the database, on it and alone; may run it again if a writer was in the way.
using WithDatabase = std::function<void(const std::function<void(const Xapian::Database&)>& body)>;

/// What a map is made of, how, and who is told. All is borrowed.
struct TopicTraining {
  const Snapshot& snapshot;  ///< whose documents the map is made of
  const Settings& settings;
  const TopicsRequest& request;
  const TopicMap* earlier;            ///< to go on from if request.resume; may be null otherwise
  AnalyzerPool& analyzers;            ///< to find how people write the terms
  const WithDatabase& with_database;  ///< asked for words and titles only, when training has ended
  const TopicsProgress& progress;
  const Log& log;  ///< told what make_som_twin() has to say
};

/// Makes a map of a snapshot's documents.
/// @throws Error kInvalidArgument (no documents, a value of the request out of range);
/// kNotFound if there is nothing to resume; kOutOfMemory, before anything was trained, if the twin
/// that would train takes more memory than is free or allowed; kCanceled; as make_som_twin() and
/// `with_database`.
std::shared_ptr<const TopicMap> train_topic_map(const TopicTraining& training);

}  // namespace kindred
