#pragma once

#include <xapian.h>
#include <cstdint>
#include <span>
#include <string>

#include "config/api.h"
#include "plugin/engine.h"

namespace kindred {

/// What became of a deletion.
struct DeletionReport {
  std::uint64_t deleted = 0;  ///< documents
  std::uint64_t unknown = 0;  ///< ids and docids that no document had
};

/// Deletes the documents with these ids and docids from the engine's database, in one commit. What
/// is there twice counts once. Takes the write lock, and releases it. The engine sees it when it is
/// refreshed.
/// @throws Error kUnsupported if the engine has no path; kNotFound if its database is gone;
/// kInvalidArgument for an id that several documents have; kDatabase (also if another writer holds
/// the lock). Nothing has changed then.
KINDRED_API DeletionReport delete_documents(Engine& engine, std::span<const std::string> ids,
                                            std::span<const Xapian::docid> docids = {});

}  // namespace kindred
