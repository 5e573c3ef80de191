#include "plugin/snapshot/mirror_follower.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <iterator>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/store/database.h"
#include "plugin/store/zim.h"

namespace kindred {
namespace {

constexpr int kAttempts = 5;                 // each fails only if somebody commits meanwhile
constexpr std::size_t kFewDocuments = 1000;  // always worth reading one by one
constexpr std::size_t kCheckedTerms = 100;
constexpr std::size_t kDocumentsAtOnce = 64;  // worth another handle of the database
constexpr std::uint32_t kCheckedDocuments = 32;
constexpr char kTooFast[] = "others write faster than the changes can be read";

/// False if the database has other frequencies of changed terms than the mirror: then a change was
/// missed.
bool has_frequencies(const Xapian::Database& database, const DocumentChanges& changes,
                     const Mirror& known, const Mirror& mirror) {
  const auto agrees = [&](const std::string& term) {
    const auto column = mirror.vocabulary.find(term);
    return database.get_termfreq(term) == (column ? mirror.df[*column] : 0);
  };
  std::size_t checked = 0;
  for (const auto& [key, number] : changes.new_terms()) {
    if (++checked > kCheckedTerms) break;
    if (!agrees(key.second)) return false;
  }
  checked = 0;
  for (std::size_t i = 0; i < changes.documents().size(); ++i) {
    for (const DocumentChanges::FeatureCount& feature : changes.features(i)) {
      if (feature.term >= known.vocabulary.size()) continue;
      if (++checked > kCheckedTerms) return true;
      if (!agrees(std::string(known.vocabulary[feature.term]))) return false;
    }
  }
  return true;
}

/// False if documents all over the mirror are not those of the database: a database that was
/// restored from a backup has the same UUID, and may have the same revision.
bool has_documents(const Xapian::Database& database, const Mirror& mirror,
                   const Settings& settings) {
  if (!settings.index.archive.empty())  // which has no term lists
    return mirror.documents() == database.get_doccount();
  DocumentChanges read(mirror, settings);
  const SegmentList& list = *mirror.list;
  std::vector<Xapian::docid> checked;
  const std::uint32_t step = list.places() / kCheckedDocuments + 1;
  for (std::uint32_t place = step / 2; place < list.places(); place += step)
    if (!list.is_dead(place)) checked.push_back(list.number_at(place));
  std::ranges::sort(checked);
  for (const Xapian::docid docid : checked) {
    read.read(database, docid);
    if (!holds_document(mirror, read, read.documents().size() - 1)) return false;
  }
  return true;
}

/// False if a database that was opened just now is of other shards, or of another revision as far
/// as it can tell. That its shards are still at their revisions is checked after it has been read.
bool is_of(const Xapian::Database& database, const DatabaseState& state) {
  const std::vector<std::string> shards = shards_of(database);
  const std::uint64_t revision = revision_of(database);
  return (revision == 0 || revision == state.front().revision) &&
         std::equal(shards.begin(), shards.end(), state.begin(), state.end(),
                    [](const std::string& uuid, const auto& shard) { return uuid == shard.uuid; });
}

/// Begins to watch the shards of a database; null if it has none in folders.
std::unique_ptr<RestoreWatch> watch_of(const std::string& path) {
  std::string why;
  const auto folders = is_zim(path) ? std::nullopt : shard_folders(path, why);
  return folders ? std::make_unique<RestoreWatch>(*folders) : nullptr;
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
  Sight sight;
  sight.watch = watch_of(path_);
  sight.state = read_database_state(path_, sight.why_no_state);
  seen_ = std::move(sight);
  return seen_->state.has_value();
}

void MirrorFollower::resume(DatabaseState state, DatabaseProof proof) {
  watch_ = watch_of(path_);
  state_ = std::move(state);
  proof_ = std::move(proof);
}

void MirrorFollower::accept() {
  if (!seen_) return;
  if (seen_->watch) watch_ = std::move(seen_->watch);
  state_ = std::move(seen_->state);
  proof_.reset();
  why_no_state_ = std::move(seen_->why_no_state);
  seen_.reset();
}

MirrorFollower::Outcome MirrorFollower::follow(const Mirror& known) {
  seen_.reset();
  if (!state_) return refused(why_no_state_);
  Outcome outcome;
  for (int i = 0; i < kAttempts; ++i) {
    try {
      bool overtaken = false;
      outcome = attempt(known, overtaken);
      if (!overtaken) return outcome;
    } catch (const std::exception& e) {  // overwritten blocks look like any damage
      outcome = refused(e.what());
    } catch (const Xapian::Error& e) {
      outcome = refused(e.get_description());
    }
  }
  return outcome;
}

/// `overtaken`: the database moved on meanwhile, and another attempt may succeed.
MirrorFollower::Outcome MirrorFollower::attempt(const Mirror& known, bool& overtaken) {
  Outcome outcome;
  const auto threads = static_cast<std::size_t>(settings_.backend.threads);
  auto changes =
      walk_database(path_, *state_, outcome.why_not, threads, proof_ ? &*proof_ : nullptr);
  if (!changes) return outcome;
  if (watch_ && watch_->saw_restore()) {
    outcome.why_not = "files were copied over its own, as a backup is that comes back";
    return outcome;
  }
  const std::vector<Xapian::docid> documents = candidates(known, *changes);
  if (documents.size() > kFewDocuments && documents.size() > known.documents() / 4) {
    outcome.why_not = "more than a quarter of the documents may have changed";
    return outcome;
  }
  outcome.why_not = kTooFast;
  const Xapian::Database database = open_database(path_);
  overtaken = !is_of(database, changes->now);
  if (overtaken) return outcome;
  DocumentChanges read(known, settings_);
  read_documents(database, changes->now, documents, read);
  if (documents.empty() && same_revisions(changes->now, *state_)) {
    const bool same = has_documents(database, known, settings_);
    overtaken = !still_at(path_, changes->now);
    if (!overtaken && !same) outcome.why_not = "documents are not those that were saved";
    outcome.unchanged = !overtaken && same;
    if (outcome.unchanged) {
      state_ = std::move(changes->now);
      proof_.reset();
    }
    return outcome;
  }
  const bool complete = make_mirror(known, read, database, outcome);
  if (outcome.mirror) outcome.mirror->shard_revisions = revisions_of(changes->now);
  overtaken = !still_at(path_, changes->now);
  if (overtaken) outcome.why_not = kTooFast;
  if (overtaken || !complete) {
    outcome.mirror.reset();
    return outcome;
  }
  seen_ = Sight{std::move(changes->now), "", nullptr};
  outcome.documents_read = documents.size();
  return outcome;
}

/// On several threads if there are many: most of the time is Xapian's, for each document's terms.
void MirrorFollower::read_documents(const Xapian::Database& database, const DatabaseState& state,
                                    const std::vector<Xapian::docid>& documents,
                                    DocumentChanges& read) const {
  const auto threads = static_cast<std::size_t>(settings_.backend.threads);
  std::vector<DocumentChanges::Fetched> fetched(documents.size());
  std::atomic<bool> overtaken = false;
  const auto fetch = [&](std::size_t begin, std::size_t end) {
    const Xapian::Database own = begin == 0 ? database : open_database(path_);
    if (begin > 0 && !is_of(own, state)) overtaken = true;
    for (std::size_t i = begin; i < end && !overtaken; ++i)
      fetched[i] = read.fetch(own, documents[i]);
  };
  for_each_chunk(documents.size(), kDocumentsAtOnce, threads, fetch);
  if (overtaken) throw Error(Errc::kDatabase, kTooFast);
  for (DocumentChanges::Fetched& each : fetched) read.add(std::move(each));
}

MirrorFollower::Outcome MirrorFollower::follow_named(const Mirror& known,
                                                     const Xapian::Database& database,
                                                     std::vector<Xapian::docid> documents) const {
  std::sort(documents.begin(), documents.end());
  documents.erase(std::unique(documents.begin(), documents.end()), documents.end());
  Outcome outcome;
  try {
    DocumentChanges read(known, settings_);
    for (const Xapian::docid docid : documents) read.read(database, docid);
    if (!make_mirror(known, read, database, outcome)) outcome.mirror.reset();
  } catch (const Xapian::FeatureUnavailableError&) {
    return refused("it has no term lists");
  }
  outcome.documents_read = documents.size();
  return outcome;
}

/// True if the mirror agrees with the database as far as that can be told; else `why_not` says what
/// does not.
bool MirrorFollower::make_mirror(const Mirror& known, const DocumentChanges& read,
                                 const Xapian::Database& database, Outcome& outcome) const {
  std::optional<Mirror>& mirror = outcome.mirror;
  mirror = followed_mirror(known, read, database, settings_);
  const bool complete = mirror && mirror->documents() == database.get_doccount() &&
                        has_frequencies(database, read, known, *mirror) &&
                        has_documents(database, *mirror, settings_);
  outcome.why_not = !mirror     ? "features have other prefixes by now"
                    : !complete ? "the changes that were found do not explain the database's counts"
                                : "";
  return complete;
}

/// The documents that may have changed: those in new leaves, and known ones where leaves were
/// rewritten or are gone.
std::vector<Xapian::docid> MirrorFollower::candidates(const Mirror& known,
                                                      const DatabaseChanges& changes) const {
  std::vector<Xapian::docid> all = changes.present;
  for (const DatabaseChanges::ShardRange& range : changes.ranges) {
    for (const LivingSegment& each : known.segments) {
      const std::vector<Xapian::docid>& docids = each.docids();
      const auto begin = std::ranges::lower_bound(docids, range.docids.first);
      const auto end = std::ranges::upper_bound(docids, range.docids.last);
      for (auto docid = begin; docid < end; ++docid)
        if (range.has(*docid) && !each.dead.has(docid - docids.begin())) all.push_back(*docid);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

FollowerThread::FollowerThread(const MirrorSettings& settings, std::function<void()> look, Log log)
    : pause_(settings.max_staleness_ms / 2), look_(std::move(look)), log_(std::move(log)) {
  constexpr std::size_t kBesideTheCaller = 2;
  thread_ = run_beside(kBesideTheCaller, [this] { run(); });
  if (thread_.wait_for(std::chrono::seconds(0)) == std::future_status::deferred && log_)
    log_("the index is not followed: the system has no thread for it");
}

FollowerThread::~FollowerThread() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  wake_.notify_one();
}

void FollowerThread::run() {
  std::unique_lock lock(mutex_);
  auto next = std::chrono::steady_clock::now() + pause_;
  while (!wake_.wait_until(lock, next, [this] { return stopped_; })) {
    next = std::chrono::steady_clock::now() + pause_;  // the time of a call counts, too
    lock.unlock();
    call();
    lock.lock();
  }
}

void FollowerThread::call() {
  std::string failure;
  try {
    look_();
  } catch (const std::exception& e) {
    failure = e.what();
  }
  if (!failure.empty() && failure != last_failure_ && log_) {
    log_("the index could not be followed, and will be looked at again: " + failure);
  }
  last_failure_ = std::move(failure);
}

}  // namespace kindred
