#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "plugin/questions.h"

namespace kindred {

/// Which changes of tags are to be taken back: those for which all that is given holds. One of
/// `edit`, `run` and `day` is.
struct UndoRequest : api::UndoRequest {
  std::function<void(std::uint64_t done, std::uint64_t all)> on_progress = {};  ///< in documents
};

/// Takes changes back that the history of the index has: each tag of each document gets the state
/// that it had before the first of them. A tag that was changed again, by a later edit or by
/// another program, stays as it is, and is named. What is taken back is an edit of its own in the
/// history, which can be taken back, too.
///
/// Writes in transactions of settings.index.batch documents, or of a second, and takes the write
/// lock for each. If it ends early, the same request goes on where it stopped, for what is taken
/// back already has a later edit.
/// @throws Error kNotFound (no such database; the history has no such edits); kInvalidArgument
/// (the request; settings; labels beyond labels.max_per_document); kUnsupported if the index may
/// not be written; kDatabase; whatever `on_progress` throws.
api::UndoAnswer undo_changes(const std::string& path, const Settings& settings,
                             const UndoRequest& request);

}  // namespace kindred
