#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/attack/living/living_model.h"

namespace kindred::attack {

/// What can happen to a database and to the engine that answers from it. Changes are gathered until
/// somebody commits them.
enum class Action {
  kAdd,           ///< a document after the last one
  kReplace,       ///< its features, labels and marks
  kDelete,        ///< one document
  kRelabel,       ///< only the labels
  kNewLabel,      ///< a label that no document has
  kDropLabel,     ///< the last document of a label leaves
  kMoveId,        ///< an id moves to another document
  kShareId,       ///< two documents have the same id
  kDropId,        ///< a document loses its id
  kBetween,       ///< a docid between two others
  kReturn,        ///< a docid that was deleted comes back
  kJump,          ///< a docid far beyond the last one
  kTouch,         ///< a document is written again as it is
  kCommit,        ///< by a process of its own
  kTwoCommits,    ///< the changes in two revisions
  kCancel,        ///< that process dies before its commit
  kInterrupt,     ///< it dies at some moment
  kInPlace,       ///< it changes blocks in place, as no writer should
  kFailRefresh,   ///< a commit while there is a tuning that cannot be read, which goes again
  kIngest,        ///< records, through the engine
  kEditTags,      ///< tags and labels, through the library, which may tell the engine
  kDeleteById,    ///< documents, through the engine
  kTag,           ///< a tagging run of the engine
  kStoreRelated,  ///< a run of the engine that stores related documents
  kReopen,        ///< the engine
  kReopenBare,    ///< the same, after the saved mirror was removed
  kSave,          ///< the mirror
  kDamageMirror,  ///< the saved mirror, with which the engine is opened again
  kKillKeeper,    ///< a process that keeps the mirror, and writes meanwhile
  kCompact,       ///< the database, which replaces itself
  kAsk,           ///< a question to the engine as it is, without a refresh
};

/// An action, and the number that decides its details when it is carried out. So any part of a list
/// of operations is a list of operations.
struct Operation {
  Action action = Action::kAdd;
  unsigned random = 0;
};

/// `count` operations, always the same for a seed.
std::vector<Operation> random_operations(std::size_t count, unsigned seed);

std::string name_of(Action action);
/// Nothing for a name that name_of() does not give.
std::optional<Action> action_named(std::string_view name);

/// True for the changes, which wait for a commit.
bool is_change(Action action);

/// A docid and what it is to hold; null: it is to be deleted.
using Edit = std::pair<Xapian::docid, std::optional<ModelDocument>>;

/// Carries out a change in a model, and returns what a writer has to write. Without any effect if
/// there is no document that it could concern.
std::vector<Edit> carry_out(const Operation& change, Model& model);

}  // namespace kindred::attack
