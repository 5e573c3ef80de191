#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "config/api.h"
#include "plugin/engine.h"
#include "plugin/questions.h"
#include "plugin/writing/run_report.h"

namespace kindred {

using api::TagChange;

/// What a tagging run did so far, or would do.
struct TagReport : RunReport {
  std::uint64_t tagged = 0;       ///< have at least one predicted tag now
  std::uint64_t labeled = 0;      ///< have tags from people, and so no predicted ones
  std::uint64_t opted_out = 0;    ///< must not get predicted tags
  std::uint64_t changed = 0;      ///< have other predicted tags than before
  std::uint64_t given = 0;        ///< tags that documents got
  std::uint64_t taken_off = 0;    ///< tags that documents lost
  std::uint64_t rejected = 0;     ///< tags that somebody had taken off, and that do not come back
  std::uint64_t allowed = 0;      ///< refusals that TagRequest::allow_all ended
  std::vector<TagChange> sample;  ///< the first changes, as many as were asked for
  std::uint64_t run = 0;          ///< its number in the history of tags; 0 if nothing changed
};

/// Which documents of the index to tag.
struct TagRequest {
  std::string query;       ///< those that match this Xapian query, written as a filter; "" = all
  bool pending = false;    ///< of these only the ones marked to be tagged later
  bool dry_run = false;    ///< write nothing
  bool tune = true;        ///< first tune if that is due: Engine::tune_if_needed(); no dry run does
  bool restart = false;    ///< start over instead of continuing an interrupted run
  std::size_t sample = 0;  ///< changes to keep in the report
  /// Called by the calling thread between two transactions, while others can write. May be empty.
  std::function<void(const RunReport&)> on_progress;
  /// From this run on, these documents may again get tags that were refused or taken off. Documents
  /// that opted out stay opted out.
  bool allow_all = false;
  std::string who;  ///< in whose name, for the history; "": the user of this process
};

/// Gives documents of the engine's database the tags that they get by comparison with the labeled
/// ones, and takes off predicted tags that they no longer get. Classifies their mirrored rows.
/// - Documents with tags from people, or that opted out, lose their predicted tags.
/// - A tag that somebody took off is stored as rejected, and comes back only with allow_all.
/// - The engine is refreshed first.
/// - Unless it is a dry run, it writes in transactions of settings.index.batch documents, or of a
///   second, and holds the write lock during each. What others write in between is followed; it
///   waits for a writer who holds the lock.
/// - If it ends early for any reason, what was committed stays. The same request then continues
///   from there, unless something else has written to the database; in that case it starts over.
/// - Where a stub lists several shards, all of them are locked, and each is written by a thread of
///   its own, up to backend.threads of them, with a place to continue from of its own.
/// - A document whose tags stay the same is not written.
/// - One run at a time; queries on the engine may run meanwhile.
/// @throws Error kUnsupported if the engine has no path; kInvalidArgument if the query does not
/// parse; kNotFound if there are no voters; kDatabase (also if another writer holds the lock when
/// it begins); as Engine::classify(); whatever `on_progress` throws.
KINDRED_API TagReport tag_documents(Engine& engine, const TagRequest& request);

}  // namespace kindred
