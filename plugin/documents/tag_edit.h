#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/api.h"
#include "config/settings.h"
#include "plugin/answers/tag_limits.h"

namespace kindred {

/// The tags of a document, each list in byte order.
struct DocumentTags {
  std::string id;                      ///< the unique id; the docid in digits where there is none
  std::vector<std::string> labels;     ///< that people gave
  std::vector<std::string> predicted;  ///< that Kindred gave
  TagLimits limits;

  bool operator==(const DocumentTags&) const = default;
};

/// What people say about the predicted tags of a document. The tags that people gave stay.
struct TagEdit {
  std::vector<std::string> remove;  ///< taken off, and never given again
  std::vector<std::string> allow;   ///< may be given again
  std::optional<bool> auto_tag;     ///< false: takes all off, and none is given until true
};

/// Edits documents by their unique ids: all of them in one commit, or none. Takes the database's
/// write lock and gives it back. Returns what they hold now, in order of `ids`.
/// @throws Error kNotFound (no such database or id); kInvalidArgument (settings, a label that is
/// empty, takes more than a term, or is both removed and allowed); kDatabase (also if another
/// writer holds the lock). Nothing has changed then.
KINDRED_API std::vector<DocumentTags> edit_tags(const std::string& database,
                                                const Settings& settings,
                                                const std::vector<std::string>& ids,
                                                const TagEdit& edit);

}  // namespace kindred
