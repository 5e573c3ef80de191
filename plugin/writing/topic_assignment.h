#pragma once

#include <cstdint>
#include <functional>

#include "config/api.h"
#include "plugin/engine.h"

namespace kindred {

/// Counts of an assignment run so far.
struct AssignReport {
  std::uint64_t revision = 0;   ///< of the index that the map was made of
  std::uint64_t matched = 0;    ///< documents of the index
  std::uint64_t continued = 0;  ///< of these, done by an interrupted run
  std::uint64_t examined = 0;   ///< of these, done by this run; the members below are about them
  std::uint64_t gone = 0;       ///< were deleted meanwhile
  std::uint64_t written = 0;    ///< had another place before, or none
};

struct AssignRequest {
  bool restart = false;  ///< start over instead of continuing an interrupted run
  std::function<void(const AssignReport&)> on_progress;  ///< called after each batch. May be empty
};

/// Stores in every document of the engine's database its place on the map, as ingest does: the
/// terms of its topic and unit, and the value slot (settings.topics). Nothing is analyzed again.
/// Refreshes the engine first. Holds the write lock meanwhile, and commits after every
/// settings.index.batch documents. If it ends early, what was committed stays. Another run then
/// continues from there, if the map and the database are still the same; else it starts over. A
/// document that holds its place already is not written. Queries on the engine may run meanwhile.
/// @throws Error kUnsupported if the engine has no path; as Engine::topic_places(); kDatabase (also
/// if another writer holds the lock); whatever `on_progress` throws.
KINDRED_API AssignReport assign_topics(Engine& engine, const AssignRequest& request = {});

}  // namespace kindred
