#include "plugin/snapshot/mirror_follower.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/store/database.h"

namespace kindred {
namespace {

constexpr int kAttempts = 5;                 // each fails only if somebody commits meanwhile
constexpr std::size_t kFewDocuments = 1000;  // always worth reading one by one
constexpr std::ptrdiff_t kCheckedTerms = 200;
constexpr std::size_t kDocumentsAtOnce = 64;  // worth another handle of the database
constexpr std::uint32_t kCheckedDocuments = 32;
constexpr Xapian::docid kLargestDocid = std::numeric_limits<Xapian::docid>::max();
constexpr char kTooFast[] = "others write faster than the changes can be read";
constexpr char kUnexplained[] = "the changes that were found do not explain the database's counts";

/// The terms that most documents have: hardly a document comes, goes or changes without one of
/// them. None if only some documents count, for the database knows the frequencies of all.
std::vector<std::string> frequent_terms(const Mirror& mirror, const MirrorSettings& settings) {
  if (!settings.documents.empty()) return {};
  std::vector<std::uint32_t> columns(mirror.df.size());
  std::iota(columns.begin(), columns.end(), 0);

  // Only the first ones are sorted: a vocabulary may have millions of terms.
  const auto end = columns.begin() + std::min<std::ptrdiff_t>(kCheckedTerms, std::ssize(columns));
  std::ranges::partial_sort(columns, end, std::greater(), [&](std::uint32_t column) {
    return mirror.df[column];
  });

  std::vector<std::string> terms;
  for (const std::uint32_t column : std::span(columns.begin(), end)) {
    terms.emplace_back(mirror.dictionary[column]);
  }

  // In the order of the posting lists, so that those that share a block read it once.
  std::ranges::sort(terms);
  return terms;
}

/// False if a change was missed: the mirror has another number of documents than the database, or
/// of those with one of the terms. Where posting lists are not as long as the database says, the
/// terms tell nothing.
bool has_counts(const Mirror& mirror, const DatabaseCounts& counts,
                std::span<const std::string> terms) {
  if (mirror.documents() != counts.documents) return false;

  for (std::size_t i = 0; mirror.agrees && i < terms.size(); ++i) {
    const auto column = mirror.dictionary.find(terms[i]);
    const std::uint32_t df = column ? mirror.df[*column] : 0;
    if (counts.frequencies[i] != df) return false;
  }
  return true;
}

/// The documents of a shard that may have changed: those in new leaves, and known ones where leaves
/// were rewritten or are gone. By the docids of the shard, ascending.
std::vector<Xapian::docid> candidates(const Mirror& known, const TermlistChanges& changes,
                                      const ShardDocids& shard) {
  std::vector<Xapian::docid> all = changes.present;

  // A range tells which documents an old leaf may have had. The mirror knows which of these there
  // were.
  for (const DocidRange& range : changes.ranges) {
    const std::uint64_t first = shard.in_database(std::max<Xapian::docid>(range.first, 1));
    const std::uint64_t last = shard.in_database(range.last);

    for (const LivingSegment& each : known.segments) {
      const std::vector<Xapian::docid>& docids = each.docids();
      const auto begin = std::ranges::lower_bound(docids, first);
      const auto end = std::ranges::upper_bound(docids, last);
      for (auto docid = begin; docid < end; ++docid)
        if (shard.has(*docid) && !each.dead.has(docid - docids.begin()))
          all.push_back(shard.in_shard(*docid));
    }
  }

  // A document may be in a new leaf and in a range.
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// False if documents all over a shard are not those of the mirror, though they are not among those
/// that may have `changed`: a database that was restored from a backup has the same UUID, and may
/// have the same revision.
bool has_documents(const Xapian::Database& database, const Mirror& mirror, const ShardDocids& shard,
                   const std::vector<Xapian::docid>& changed, const Settings& settings) {
  if (!settings.index.archive.empty()) return true;  // it has no term lists

  // The places of the sample are spread evenly. All shards together have as many as one alone would
  // have, and each shard has one at least.
  const SegmentList& list = *mirror.list;
  const auto shards = static_cast<std::uint32_t>(shard.shards);
  const std::uint32_t step = list.places() / (kCheckedDocuments / shards + 1) + 1;
  std::vector<Xapian::docid> checked;
  for (std::uint32_t place = step / 2; place < list.places(); place += step) {
    // Shards take turns in docids. So where the document at a place is of another shard, one of the
    // next is of this one, unless it is dead or may have changed.
    const std::uint32_t end = std::min(list.places(), place + std::min(shards, step));
    const auto is_checked = [&](std::uint32_t each) {
      return !list.is_dead(each) && shard.has(list.number_at(each)) &&
             !std::ranges::binary_search(changed, shard.in_shard(list.number_at(each)));
    };
    std::uint32_t found = place;
    while (found < end && !is_checked(found)) ++found;
    if (found < end) checked.push_back(list.number_at(found));
  }

  // Places follow the segments, and DocumentChanges needs docids that ascend.
  std::ranges::sort(checked);

  DocumentChanges read(mirror, settings);
  for (const Xapian::docid docid : checked) {
    read.add(read.fetch(database, shard.in_shard(docid), docid));
    if (!holds_document(mirror, read, read.documents().size() - 1)) return false;
  }
  return true;
}

/// Opens a shard for a thread of its own. @throws Error kDatabase if it is not at this revision.
Xapian::Database open_at(const std::string& folder, const TermlistState& state) {
  Xapian::Database database = open_database(folder);
  if (database.get_uuid() != state.uuid || revision_of(database) != state.revision)
    throw Error(Errc::kDatabase, kTooFast);
  return database;
}

/// Begins to watch the shards of a database; null if it has none in folders.
std::shared_ptr<RestoreWatch> watch_of(const std::string& path) {
  std::string why;
  const auto folders = shard_folders(path, why);
  if (!folders) return nullptr;
  return std::make_shared<RestoreWatch>(*folders);
}

MirrorFollower::Outcome refused(const std::string& why_not) {
  MirrorFollower::Outcome outcome;
  outcome.why_not = why_not;
  return outcome;
}

}  // namespace

MirrorFollower::MirrorFollower(std::string path, const Settings& settings)
    : path_(std::move(path)), settings_(settings) {}

bool MirrorFollower::begin() {
  Memory sight{.watch = watch_of(path_)};
  sight.state = read_database_state(path_, sight.why_no_state);
  seen_ = std::move(sight);
  return seen_->state.has_value();
}

void MirrorFollower::resume(DatabaseState state, DatabaseProof proof) {
  known_ = {.state = std::move(state), .proof = std::move(proof), .watch = watch_of(path_)};
}

void MirrorFollower::accept() {
  if (seen_) known_ = std::move(*seen_);
  seen_.reset();
}

MirrorFollower::Outcome MirrorFollower::follow(const Mirror& known) {
  seen_.reset();
  if (!known_.state) return refused(known_.why_no_state);
  try {
    return follow_shards(known);
  } catch (...) {
    return refused(reason_in_flight());
  }
}

/// Chooses the terms anew when there are twice as many documents. Then every shard is asked for
/// their frequencies.
void MirrorFollower::choose_terms(const Mirror& known) {
  if (known.documents() / 2 >= known_.documents) {
    known_.terms = frequent_terms(known, settings_.mirror);
    known_.documents = known.documents();
    known_.counts.clear();
  }
  known_.counts.resize(known_.state->size());
}

MirrorFollower::Outcome MirrorFollower::follow_shards(const Mirror& known) {
  std::string why;
  const auto folders = shard_folders(path_, why);
  if (!folders) return refused(why);

  // Shards are compared one by one, so there must be the same number of them.
  const DatabaseState& before = *known_.state;
  const std::optional<DatabaseProof>& proof = known_.proof;
  if (folders->size() != before.size() || (proof && proof->size() != before.size()))
    return refused("it has another number of shards");

  if (shard_labels(path_, settings_.labels) != known.shard_labels)
    return refused("its shards have other names");

  choose_terms(known);

  // What is seen is collected beside what is known, which stays if anything fails. The proof has
  // done its work then: a state of this process holds the header open instead.
  Memory now = known_;
  now.proof.reset();

  std::vector<DocumentChanges::Fetched> changed;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Shard shard{(*folders)[i], {i, before.size()}, before[i], proof ? &(*proof)[i] : nullptr};
    // A shard in which nobody wrote costs no more than a look at its header.
    if (now.counts[i] && still_at(shard.folder, shard.before)) continue;

    ShardLook look = look_at(known, shard, changed.size());
    (*now.state)[i] = std::move(look.now);
    now.counts[i] = std::move(look.counts);
    std::ranges::move(look.documents, std::back_inserter(changed));
  }

  // After all shards were read, so that a backup that came back meanwhile is noticed, too.
  if (now.watch && now.watch->saw_restore())
    return refused("files were copied over its own, as a backup is that comes back");

  Outcome outcome = outcome_of(known, now, std::move(changed));
  if (!outcome.why_not.empty()) return outcome;

  // If there is no new mirror, the known one is that of what was seen, and nobody else accepts it.
  seen_ = std::move(now);
  if (outcome.unchanged) accept();
  return outcome;
}

/// The mirror of what was seen, with the documents of all shards that may have changed. It is held
/// against the counts of all shards together.
MirrorFollower::Outcome MirrorFollower::outcome_of(
    const Mirror& known, const Memory& now, std::vector<DocumentChanges::Fetched> changed) const {
  DatabaseCounts counts;
  for (const auto& shard : now.counts) counts.add(*shard);

  if (changed.empty() && same_revisions(*now.state, *known_.state)) {
    Outcome outcome;
    outcome.unchanged = has_counts(known, counts, known_.terms);
    if (!outcome.unchanged) outcome.why_not = kUnexplained;
    return outcome;
  }

  // Each shard gave its own documents. Together they must ascend again.
  std::ranges::sort(changed, {}, [](const auto& each) {
    return each.document.docid;
  });
  DocumentChanges read(known, settings_);
  for (DocumentChanges::Fetched& each : changed) read.add(std::move(each));
  return next_mirror(known, read, database_revision(*now.state), counts, known_.terms);
}

/// Reads a shard at one revision, again if a writer committed meanwhile. `documents_before`: of
/// other shards, that may have changed. @throws Error, Xapian::Error if it cannot be followed.
MirrorFollower::ShardLook MirrorFollower::look_at(const Mirror& known, const Shard& shard,
                                                  std::size_t documents_before) const {
  const auto threads = static_cast<std::size_t>(settings_.backend.threads);
  for (int attempt = 1;; ++attempt) {
    std::string why;
    auto changes = walk_changes(shard.folder, shard.before, why, threads, shard.proof);
    if (!changes) throw Error(Errc::kDatabase, why);

    // A revision can be read until the next is committed. If it still is the current one in the
    // end, all that was read is of it.
    try {
      ShardLook look = read_shard(known, shard, *changes, documents_before);
      if (!still_at(shard.folder, changes->now)) throw Error(Errc::kDatabase, kTooFast);
      look.now = std::move(changes->now);
      return look;
    } catch (...) {  // overwritten blocks look like any damage
      if (attempt == kAttempts || still_at(shard.folder, changes->now)) throw;
    }
  }
}

/// On several threads if there are many documents: most of the time is Xapian's, for their terms.
MirrorFollower::ShardLook MirrorFollower::read_shard(const Mirror& known, const Shard& shard,
                                                     const TermlistChanges& changes,
                                                     std::size_t documents_before) const {
  const std::vector<Xapian::docid> documents = candidates(known, changes, shard.docids);

  // To read a document by itself takes many times as long as its part of the posting lists. From
  // some share on, it is quicker to read all of these.
  const std::size_t all = documents_before + documents.size();
  if (all > kFewDocuments && all > known.documents() / 4)
    throw Error(Errc::kDatabase, "more than a quarter of the documents may have changed");

  // The shard itself allows docids that are too large once shards take turns.
  if (!documents.empty() && shard.docids.in_database(documents.back()) > kLargestDocid)
    throw Error(Errc::kDatabase, "its docids are too large");

  // Each thread opens the shard for itself, and makes sure that this is the revision that was
  // compared.
  const Xapian::Database database = open_at(shard.folder, changes.now);
  const DocumentChanges reader(known, settings_);
  ShardLook look;
  look.documents.resize(documents.size());
  const auto fetch = [&](std::size_t begin, std::size_t end) {
    const Xapian::Database own = begin == 0 ? database : open_at(shard.folder, changes.now);
    for (std::size_t i = begin; i < end; ++i) {
      const auto docid = static_cast<Xapian::docid>(shard.docids.in_database(documents[i]));
      look.documents[i] = reader.fetch(own, documents[i], docid);
    }
  };
  for_each_chunk(documents.size(), kDocumentsAtOnce,
                 static_cast<std::size_t>(settings_.backend.threads), fetch);

  // Changes that were missed show in the counts of the same revision, or in a sample of the
  // documents that should be as they were.
  look.counts = read_counts(database, settings_, known_.terms);
  if (!has_documents(database, known, shard.docids, documents, settings_))
    throw Error(Errc::kDatabase, "documents are not those that are known");
  return look;
}

MirrorFollower::Outcome MirrorFollower::follow_named(const Mirror& known,
                                                     const Xapian::Database& database,
                                                     std::vector<Xapian::docid> documents) const {
  std::sort(documents.begin(), documents.end());
  documents.erase(std::unique(documents.begin(), documents.end()), documents.end());

  try {
    DocumentChanges read(known, settings_);
    for (const Xapian::docid docid : documents) read.add(read.fetch(database, docid, docid));

    // Others may have written, too, and nobody names their documents.
    if (!has_documents(database, known, {}, documents, settings_)) return refused(kUnexplained);

    const std::vector<std::string> terms = frequent_terms(known, settings_.mirror);
    const DatabaseCounts counts = read_counts(database, settings_, terms);
    return next_mirror(known, read, database_revision(database), counts, terms);
  } catch (const Xapian::FeatureUnavailableError&) {
    return refused("it has no term lists");
  }
}

/// The mirror that the changes make of the known one, if it agrees with the counts of its revision.
MirrorFollower::Outcome MirrorFollower::next_mirror(const Mirror& known,
                                                    const DocumentChanges& read,
                                                    DatabaseRevision revision,
                                                    const DatabaseCounts& counts,
                                                    std::span<const std::string> terms) const {
  Outcome outcome;
  outcome.documents_read = read.documents().size();

  // A mirror that does not agree with the counts of its revision has missed a change.
  outcome.mirror = followed_mirror(known, read, std::move(revision), counts, settings_);
  if (!outcome.mirror) return refused("features have other prefixes by now");
  if (!has_counts(*outcome.mirror, counts, terms)) return refused(kUnexplained);
  return outcome;
}

}  // namespace kindred
