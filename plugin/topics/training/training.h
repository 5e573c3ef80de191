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

/// Makes a map of a snapshot's documents. The database is asked for words and titles only, when
/// training has ended.
/// @param earlier the map to go on from if request.resume; may be null otherwise
/// @param log told what make_som_twin() has to say
/// @throws Error kInvalidArgument (no documents, a value of the request out of range);
/// kNotFound if there is nothing to resume; kOutOfMemory, before anything was trained, if the twin
/// that would train takes more memory than is free or allowed; kCanceled; as make_som_twin() and
/// `with_database`.
std::shared_ptr<const TopicMap> train_topic_map(
    const Snapshot& snapshot, const Settings& settings, AnalyzerPool& analyzers,
    const TopicsRequest& request, const TopicsProgress& progress, const TopicMap* earlier,
    const WithDatabase& with_database, const Log& log = {});

}  // namespace kindred
