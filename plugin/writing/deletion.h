#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "config/api.h"
#include "plugin/engine.h"

namespace kindred {

/// What became of a deletion.
struct DeletionReport {
  std::uint64_t deleted = 0;  ///< documents: all that have one of the ids
  std::uint64_t unknown = 0;  ///< ids that no document had
};

/// Deletes the documents with these unique ids from the engine's database, in one commit. An id
/// that is there twice counts once. Takes the write lock, and releases it. The engine sees it when
/// it is refreshed.
/// @throws Error kUnsupported if the engine has no path; kNotFound if its database is gone;
/// kDatabase (also if another writer holds the lock). Nothing has changed then.
KINDRED_API DeletionReport delete_documents(Engine& engine, std::span<const std::string> ids);

}  // namespace kindred
