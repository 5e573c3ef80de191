#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "plugin/store/database_walk.h"

namespace kindred {

/// The state of a database as a saved mirror holds it. What a structure looks like in memory is no
/// format, so leaves and branches are numbers: those of all shards, one shard after the other.
struct SavedState {
  nlohmann::json facts;  ///< of each shard
  std::vector<std::uint32_t> leaves, branches;
};

/// What to save of a state.
SavedState saved_state(const DatabaseState& state);

/// Reads it back.
/// @throws Error kCorrupt if its parts do not fit together; nlohmann::json::exception if a fact is
/// missing, or of another type.
DatabaseState state_of(const SavedState& saved);

}  // namespace kindred
