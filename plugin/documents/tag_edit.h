#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/api.h"
#include "config/settings.h"
#include "plugin/answers/tag_limits.h"

namespace kindred {

class OwnWrites;

/// The tags of a document, each list in byte order.
struct DocumentTags {
  std::string id;                      ///< the unique id, or the docid in digits if there is none
  std::vector<std::string> labels;     ///< that people gave
  std::vector<std::string> predicted;  ///< that Kindred gave
  TagLimits limits;

  bool operator==(const DocumentTags&) const = default;
};

/// Changes to the predicted tags of a document. The tags that people gave are not changed.
struct TagEdit {
  std::vector<std::string> remove;  ///< to take off, and never give again
  std::vector<std::string> allow;   ///< to allow again
  std::optional<bool> auto_tag;     ///< false: take all off, and give none; true: give them again
};

/// Edits documents by their unique ids: all of them in one commit, or none. Takes the write lock of
/// the database, and releases it. Returns what the documents hold now, in the order of `ids`.
/// @throws Error kNotFound (no such database or id); kInvalidArgument (settings, a label that is
/// empty, too long for a term, or both removed and allowed); kDatabase (also if another writer
/// holds the lock). Nothing has changed then.
/// `own`: of an engine of this database with the same settings (Engine::own_writes()), whose next
/// refresh then need not read what was written; may be null.
KINDRED_API std::vector<DocumentTags> edit_tags(const std::string& database,
                                                const Settings& settings,
                                                const std::vector<std::string>& ids,
                                                const TagEdit& edit, OwnWrites* own = nullptr);

}  // namespace kindred
