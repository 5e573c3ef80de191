#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "config/api.h"
#include "plugin/engine.h"
#include "plugin/writing/run_report.h"

// Runs that store an answer in every document: its topic, or its related documents. Each refreshes
// the engine first, and writes in transactions, between which others can write, as tag_documents()
// does. If it ends early, what was committed stays. Another run of the same request then continues
// from there, unless something else has written to the database. A document that holds its answer
// already is not written. Queries on the engine may run meanwhile.

namespace kindred {

struct AssignRequest : api::AssignTopicsRequest {
  std::function<void(const RunReport&)> on_progress;  ///< as of tag_documents()
};

/// What a run did that stores the places of documents on the map.
struct AssignReport : RunReport {
  std::uint64_t map_revision = 0;  ///< of the index that the map was made of
};

/// Stores in every document of the engine's database its place on the map, as ingest does: the
/// terms of its topic and unit, and the value slot (settings.topics). Nothing is analyzed again.
/// Another map is another request.
/// @throws Error kUnsupported if the engine has no path; as Reading::placed_documents(); kDatabase
/// (also if another writer holds the lock when it begins, or if another map is stored meanwhile);
/// whatever `on_progress` throws.
KINDRED_API AssignReport assign_topics(Engine& engine, const AssignRequest& request = {});

/// Which documents get their related ones stored.
struct StoreRelatedRequest : api::StoreRelatedRequest {
  std::function<void(const RunReport&)> on_progress;  ///< as of tag_documents()
};

/// Stores in documents of the engine's database the ids of their related documents, the most
/// similar first, for templates that cannot call a program: in the value slot related.slot, with a
/// tab between two ids, as lists of Omega are. A document without related ones has no value.
/// @throws Error kUnsupported if the engine has no path; kDatabase (also if another writer holds
/// the lock when it begins); kInvalidArgument if related.slot has another meaning; as
/// Engine::neighborhood(); whatever `on_progress` throws.
KINDRED_API RunReport store_related(Engine& engine, const StoreRelatedRequest& request = {});

}  // namespace kindred
