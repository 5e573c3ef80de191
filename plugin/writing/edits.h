#pragma once

#include <xapian.h>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/api.h"
#include "config/settings.h"
#include "plugin/questions.h"

namespace kindred {

/// Changes to the tags of a document, and with its id or docid. What people accept or add is no
/// longer a predicted tag, and no longer rejected. As long as a document has labels, it gets no
/// predicted tags: the next run takes the others off.
using api::DocumentEdit;
using api::TagEdit;

/// Edits documents by their ids or docids, each document in the order of its edits: all in one
/// commit, or none. Takes the write lock of the database, and releases it. Returns the document of
/// each edit as it is after all of them.
/// @throws Error kNotFound (no such database or document); kInvalidArgument (an id that several
/// documents have, settings, a label that is empty, too long for a term, contradicted by the same
/// edit, or, if people give it, not UTF-8 or one of labels.system; one to take off that the
/// document does not have; more labels of a document than labels.max_per_document); kDatabase (also
/// if another writer holds the lock). Nothing has changed then. kDatabase, too, if the history of
/// tags cannot be written: then the edits are made. `who`: in whose name; "": the user of this
/// process.
KINDRED_API api::DocumentsAnswer edit_documents(const std::string& database,
                                                const Settings& settings,
                                                std::span<const DocumentEdit> edits,
                                                const std::string& who = "");

/// A label that is to get another name, or to go, in all documents that people gave it to, that
/// have it as a predicted tag, or that must not get it. Its new name may be that of another label,
/// which then has both.
struct LabelEdit : api::EditLabelRequest {
  std::function<void(std::uint64_t done, std::uint64_t all)> on_progress = {};  ///< in documents
};

/// What became of a label.
struct LabelChange {
  std::uint64_t documents = 0;  ///< that changed, or would
  bool merged = false;          ///< with another, so the tuning is due (Tuning::merged)
  std::uint64_t run = 0;        ///< of the history; 0 if nothing changed
};

/// Edits a label, in transactions of settings.index.batch documents, or of a second. If it ends
/// early, what was committed stays, and the same edit continues from there. Takes the write lock
/// for each transaction; in between, and while it calls `on_progress`, others can write.
///
/// The tuning of the index changes with the label, so that the same tags are given, but for the
/// name: it knows both names until all documents are edited.
/// @throws Error as edit_documents(), kNotFound if no document has the label; whatever
/// `on_progress` throws.
KINDRED_API LabelChange edit_label(const std::string& database, const Settings& settings,
                                   const LabelEdit& edit);

}  // namespace kindred
