#pragma once

#include <xapian.h>
#include <functional>
#include <memory>

#include "config/log.h"
#include "config/settings.h"
#include "gpu/som/exchange.h"
#include "gpu/som/train.h"
#include "plugin/input/analyzer_pool.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/topics/topic_map.h"

namespace kindred {

using api::TrainTopicsRequest;

/// Runs `body` on the database, while nobody else uses it. May run it again if a writer interfered.
using WithDatabase = std::function<void(const std::function<void(const Xapian::Database&)>& body)>;

/// What a map is made of, how, and where progress goes. Everything is borrowed.
struct TopicTraining {
  const Snapshot& snapshot;  ///< the map is made of its documents
  const Settings& settings;
  const TrainTopicsRequest& request;
  const TopicMap* earlier;            ///< the map to resume if request.resume; else may be null
  AnalyzerPool& analyzers;            ///< to find how people write the terms
  const WithDatabase& with_database;  ///< only for words, after training
  const SomProgress& progress;        ///< its errors are over the terms of the map
  const Log& log;                     ///< gets the messages of make_som_twins()
  SomExchange* others = nullptr;  ///< the processes that train the same map; null: this one alone
};

/// Makes a map of a snapshot's documents. Processes other than the first get null: they have helped
/// to train it.
/// @throws Error kInvalidArgument (no documents, a value of the request out of range, processes
/// with different indexes, settings or requests); kNotFound if there is no map to resume;
/// kOutOfMemory, before training begins, if the twin needs more memory than is free or allowed;
/// kCanceled; as make_som_twins() and `with_database`.
std::shared_ptr<const TopicMap> train_topic_map(const TopicTraining& training);

}  // namespace kindred
