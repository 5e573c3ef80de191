#include "plugin/snapshot/current_snapshot.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include "config/error.h"
#include "gpu/document_set.h"
#include "gpu/twins/factory.h"
#include "gpu/workers.h"
#include "plugin/documents/stem_words.h"
#include "plugin/mirror/mirror_file.h"
#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/query/filter.h"
#include "plugin/store/database.h"
#include "plugin/store/database_walk.h"
#include "plugin/vocabulary/vocabulary_file.h"

namespace kindred {
namespace {

constexpr std::uint64_t kAllUnsaved = std::numeric_limits<std::uint64_t>::max();

/// Leaves out a message that is the last one again: each snapshot may report the same, when it is
/// made or when it is asked, in any thread.
Log without_repeats(Log log) {
  struct Last {
    std::mutex mutex;
    std::string message;
  };

  return [log = std::move(log), last = std::make_shared<Last>()](const std::string& message) {
    // The lock ends before the log is called, which may take its time.
    {
      const std::lock_guard lock(last->mutex);
      if (message == last->message) return;
      last->message = message;
    }

    log(message);
  };
}

/// The database that these shards are together.
Xapian::Database all_of(const std::vector<Xapian::Database>& shards) {
  Xapian::Database all;
  for (const Xapian::Database& shard : shards) all.add_database(shard);
  return all;
}

/// Of the files in a folder.
std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) bytes += file.file_size();
  return bytes;
}

}  // namespace

CurrentSnapshot::CurrentSnapshot(MirroredDatabase& database, Log log, ReadingProgress on_reading)
    : database_(database),
      log_(log ? std::move(log) : [](const std::string&) {}),
      log_once_(without_repeats(log_)),
      log_why_once_(without_repeats(log_)),
      on_reading_(std::move(on_reading)),
      follower_(database.path(), database.settings()),
      snapshot_(first_snapshot()) {
  report(*snapshot_);
}

std::shared_ptr<const Snapshot> CurrentSnapshot::get() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

bool CurrentSnapshot::refresh(std::span<const Xapian::docid> changed) {
  const std::lock_guard only(refresh_mutex_);
  return refresh_locked(changed);
}

bool CurrentSnapshot::refresh_locked(std::span<const Xapian::docid> changed) {
  const std::shared_ptr<const Snapshot> known = get();
  const bool has_moved = database_.has_moved(known->mirror(), follower_.state());
  if (!has_moved && !has_tuning_moved(*known) && !has_lift_moved() && !has_vocabulary_moved())
    return false;

  // Made beside the old one, which answers meanwhile, and goes on to answer if this fails.
  std::shared_ptr<const Snapshot> fresh = next_snapshot(*known, changed);
  replace(fresh);
  report(*fresh);
  return true;
}

void CurrentSnapshot::replace(std::shared_ptr<const Snapshot> fresh) {
  const std::lock_guard lock(mutex_);
  snapshot_.swap(fresh);  // the old one is freed by the caller, not under the lock
}

void CurrentSnapshot::use_lift(NeighborLift lift) {
  const std::lock_guard only(refresh_mutex_);
  lift_ = std::make_shared<const NeighborLift>(std::move(lift));

  const std::shared_ptr<const Snapshot> known = get();
  replace(make_snapshot(Mirror(known->mirror()), known.get()));
}

bool CurrentSnapshot::is_followed() {
  const std::lock_guard only(refresh_mutex_);
  return follower_.state().has_value();
}

void CurrentSnapshot::follow() {
  refresh();
  const std::lock_guard only(refresh_mutex_);
  if (should_save(false)) save_current();
}

void CurrentSnapshot::close() noexcept {
  try {
    const std::lock_guard only(refresh_mutex_);
    if (should_save(true)) save_current();
  } catch (...) {
    log_("the mirror was not saved: " + reason_in_flight());
  }
}

void CurrentSnapshot::save_again() noexcept {
  try {
    const std::lock_guard only(refresh_mutex_);
    const auto before = follower_.state();
    if (unsaved_ > 0 || !before || database_.settings().mirror.save == "never") return;

    refresh_locked({});
    const auto& now = follower_.state();
    if (unsaved_ == 0 && now && !same_revisions(*before, *now)) save_current();
  } catch (...) {
    log_("the mirror was not saved: " + reason_in_flight());
  }
}

api::SaveMirrorAnswer CurrentSnapshot::save() {
  const std::lock_guard only(refresh_mutex_);
  return save_current();
}

void CurrentSnapshot::report(const Snapshot& fresh) const {
  log_(database_.name() + ": mirrored revision " + std::to_string(fresh.mirror().revision) + ", " +
       std::to_string(fresh.mirror().documents()) + " documents, on " +
       fresh.backend().info().device);
}

void CurrentSnapshot::report_read(const std::string& what,
                                  const MirrorFollower::Outcome& followed) const {
  log_(what + ": read " + std::to_string(followed.documents_read) +
       " documents that may have changed");
}

std::size_t CurrentSnapshot::threads() const {
  return number_of_threads(static_cast<std::size_t>(database_.settings().backend.threads));
}

std::shared_ptr<const Snapshot> CurrentSnapshot::first_snapshot() {
  // A GPU takes some tenths of a second to start, in which the index is read.
  const std::future<void> devices =
      start_devices(backend_options(database_.settings().backend, {}));

  load_tuning(database_.uuid());  // one that is damaged is refused before all is read
  std::optional<Mirror> mirror = load_saved();
  if (!mirror) mirror = read_lists();
  auto snapshot = make_snapshot(std::move(*mirror));

  // From now on, changes are those since this mirror.
  follower_.accept();
  return snapshot;
}

std::shared_ptr<const Snapshot> CurrentSnapshot::next_snapshot(
    const Snapshot& known, std::span<const Xapian::docid> changed) {
  MirrorFollower::Outcome followed = follow_documents(known, changed);
  if (followed.unchanged) followed.mirror = known.mirror();

  std::shared_ptr<const Snapshot> snapshot;
  if (followed.mirror) {
    report_read(database_.name(), followed);
    unsaved_ += std::min<std::uint64_t>(followed.documents_read, kAllUnsaved - unsaved_);

    // A mirror that is followed keeps the numbers of terms whose last document is gone. Once these
    // are more than half, it is made anew without them. Its terms then have other numbers, so it
    // shares nothing with the snapshot before.
    const Snapshot* before = &known;
    if (2 * followed.mirror->terms() < followed.mirror->dictionary.size()) {
      followed.mirror = compacted_mirror(*followed.mirror, threads());
      before = nullptr;
    }
    snapshot = make_snapshot(std::move(*followed.mirror), before);
  } else {
    // A database that the caller opened cannot be followed anyway, so there is no reason to tell.
    if (!database_.path().empty())
      log_why_once_(database_.name() + ": all documents are read again: " + followed.why_not);
    snapshot = make_snapshot(read_lists());
  }

  // Only now: had the new snapshot failed, changes would still count from the old one.
  follower_.accept();
  return snapshot;
}

MirrorFollower::Outcome CurrentSnapshot::follow_documents(const Snapshot& known,
                                                          std::span<const Xapian::docid> changed) {
  // The term lists tell what any writer wrote, so they are asked first. What one writer names is
  // used only where they cannot be.
  if (!database_.path().empty() && (follower_.state() || changed.empty()))
    return follower_.follow(known.mirror());

  MirrorFollower::Outcome none;
  if (changed.empty()) return none;

  // The documents and the counts that they are held against must be of one revision.
  none.why_not = "others wrote meanwhile";
  const auto follow = [&](const Xapian::Database& database) {
    return follower_.follow_named(known.mirror(), database, {changed.begin(), changed.end()});
  };
  return database_.read_current("cannot read documents", follow).value_or(std::move(none));
}

/// `before`: a snapshot of an earlier state of the mirror, or null.
std::shared_ptr<const Snapshot> CurrentSnapshot::make_snapshot(Mirror mirror,
                                                               const Snapshot* before) {
  const Settings& settings = database_.settings();
  load_tuning(mirror.uuid);
  load_lift();
  load_vocabulary();

  Learned learned{.tuning = tuning_,
                  .unused = unused_tuning_,
                  .lift = fitting_lift(mirror),
                  .vocabulary = vocabulary_};
  std::shared_ptr<const Tuning>& tuning = learned.tuning;

  // The term weights of a tuning are those of the terms under its prefixes. Other terms would have
  // none.
  if (tuning && tuning->prefixes != mirror.prefixes) {
    learned.unused = {"not used: made with other mirror.term_prefixes; tune again", tuning->stamp};
    if (mirror.documents() == 0) learned.unused.why.clear();  // it has no prefixes yet
    tuning = nullptr;
  }

  // Queries in a language that no document had so far are recognized from now on.
  if (database_.analyzers().detects()) expect_languages();

  // The filter of a tuning decides who votes. A reader of its own asks for it, so that questions do
  // not wait for their turn.
  std::optional<DocumentSet> matching;
  if (tuning && !tuning->filter.empty()) {
    DatabaseReader source(database_.path());  // only a database with a path is tuned
    matching = source.read(
        database_.name() + ": cannot apply the tuning's filter", [&](const auto& database) {
          return matching_documents(database, mirror, vocabulary_.get(), tuning->filter, settings,
                                    *database_.analyzers().lease_for_query(tuning->filter));
        });
  }

  if (matching) learned.matching = &*matching;
  auto snapshot = std::make_shared<const Snapshot>(std::move(mirror), settings, log_once_,
                                                   std::move(learned), before);

  // The snapshot itself does not use a tuning whose filter leaves too few voters.
  if (const std::string& why = snapshot->unused_tuning().why; !why.empty())
    log_once_(tuning_path(database_.location()) + ": " + why);
  return snapshot;
}

/// All posting lists, as a mirror.
Mirror CurrentSnapshot::read_lists() {
  unsaved_ = kAllUnsaved;
  const Settings& settings = database_.settings();
  const ReadingProgress on_reading = std::exchange(on_reading_, {});

  const std::string doing = "cannot mirror the database";
  const auto read_whole = [&](const Xapian::Database& database) {
    return read_mirror(database, settings, on_reading);
  };

  if (database_.path().empty()) return database_.read(doing, read_whole);  // not to be opened twice

  const auto read_path = [&] {
    DatabaseReader source(database_.path(), DatabaseReader::Extent::kLists);
    return source.read(database_.name() + ": " + doing, [&](const Xapian::Database& database) {
      // Lists that writers have overwritten again and again are copied before they are read, which
      // is much quicker. Shards are read by a thread each.
      const bool must_copy = source.openings() > DatabaseReader::kDirectAttempts;
      const std::vector<std::string> labels = shard_labels(database_.path(), settings.labels);
      const std::vector<Xapian::Database> shards = open_shards(database_.path(), must_copy);
      if (!labels.empty() && labels.size() != database.size())
        throw Xapian::DatabaseModifiedError("there are other shards by now");
      Mirror mirror;
      if (shards.empty()) {
        mirror = read_whole(database);
      } else {
        mirror = read_mirror(all_of(shards), settings, on_reading, {shards, labels, threads()});
      }

      // Overwritten blocks may look sound. Then only the lengths of the lists differ from what the
      // database says.
      if (!mirror.agrees && source.overtaken())
        throw Xapian::DatabaseModifiedError("lists of terms were overwritten while they were read");
      return mirror;
    });
  };

  // The state is looked at before the lists are read. So a change that comes meanwhile is seen
  // twice, and none is missed.
  const bool can_follow = follower_.begin();
  Mirror mirror = read_path();
  // A folder was just taking the place of another, and can be followed by now.
  if (!can_follow && follower_.begin()) mirror = read_path();
  return mirror;
}

/// The saved mirror, brought up to date; nothing if there is none that can be used.
std::optional<Mirror> CurrentSnapshot::load_saved() {
  if (database_.path().empty()) return std::nullopt;
  const Settings& settings = database_.settings();
  const std::string path =
      saved_mirror_path(database_.location(), database_.uuid(), settings.mirror);

  try {
    SavedMirror saved = load_mirror(path, settings, threads());
    saved.mirror.shard_labels = shard_labels(database_.path(), settings.labels);

    // It may be of an older revision, or of another history that was restored since. The follower
    // finds out, and refuses what it cannot prove.
    follower_.resume(std::move(saved.state), std::move(saved.proof));
    MirrorFollower::Outcome followed = follower_.follow(saved.mirror);
    if (!followed.mirror && !followed.unchanged) {
      log_(path + ": not used, save it again: " + followed.why_not);
      return std::nullopt;
    }

    report_read(path + ": saved mirror", followed);
    unsaved_ = followed.documents_read;

    // Without changes there is no new mirror. The saved one takes the revision that was proven.
    if (followed.mirror) return std::move(followed.mirror);
    saved.mirror.set_revision(database_revision(*follower_.state()));
    return std::move(saved.mirror);
  } catch (const Error& e) {
    if (e.code() != Errc::kNotFound) log_(e.what());
  }
  return std::nullopt;
}

/// If the settings want it, much has changed since the mirror was saved; when it is about to be
/// closed, anything.
bool CurrentSnapshot::should_save(bool closing) const {
  const std::string& when = database_.settings().mirror.save;
  if ((when != "close" && when != "follow") || !follower_.state()) return false;
  if (closing) return unsaved_ > 0;
  return when == "follow" && pays_to_save(unsaved_, snapshot_->mirror().documents());
}

/// What proves that the database is at the state that is remembered. Follows it if it moved on.
DatabaseProof CurrentSnapshot::prove_current() {
  constexpr int kAttempts = 5;  // each fails only if somebody commits meanwhile
  std::string why;
  for (int i = 0; i < kAttempts && follower_.state(); ++i) {
    const auto proof = read_proof(database_.path(), *follower_.state(), why, threads());
    if (proof) return *proof;

    // Somebody has committed since, so the mirror of the new revision is to be proven and saved.
    refresh_locked({});
  }
  throw Error(Errc::kDatabase, database_.name() + ": its mirror cannot be saved: " + why);
}

api::SaveMirrorAnswer CurrentSnapshot::save_current() {
  if (!follower_.state())
    throw Error(Errc::kUnsupported,
                database_.name() +
                    ": its mirror cannot be saved, since changes could not be followed: " +
                    follower_.why_no_state());

  // Before the snapshot is looked at, since this may put a newer one in its place.
  const DatabaseProof proof = prove_current();

  const Mirror& mirror = snapshot_->mirror();
  const Settings& settings = database_.settings();
  api::SaveMirrorAnswer saved;
  static_cast<Origin&>(saved) = mirror.origin();
  saved.path = saved_mirror_path(database_.location(), mirror.uuid, settings.mirror);
  saved.documents = mirror.documents();
  save_mirror(mirror, *follower_.state(), proof, settings, saved.path, threads());
  saved.bytes = bytes_in(saved.path);
  unsaved_ = 0;
  return saved;
}

/// The tuning of the database; settings may turn it off. It is read again if its file has changed.
/// One of another index, whose host has made it anew in place, or of another format is not used.
void CurrentSnapshot::load_tuning(const std::string& uuid) {
  const std::string& location = database_.location();
  if (!database_.settings().classify.use_tuning || database_.path().empty()) return;

  // An index that was compacted has another UUID, and its metadata tell which ones it had.
  const auto is_own = [&](const Tuning& tuning) {
    return tuning.uuid == uuid || database_.kept().has_uuid(tuning.uuid);
  };

  const std::string stamp = tuning_stamp(location);
  if (tuning_ && tuning_->stamp == stamp && is_own(*tuning_)) return;

  tuning_.reset();
  unused_tuning_ = {};
  try {
    std::optional<Tuning> read = read_tuning(location, "");
    if (read && is_own(*read)) {
      tuning_ = std::make_shared<const Tuning>(std::move(*read));
    } else if (read) {
      unused_tuning_.stamp = read->stamp;
      // The next one takes the place of one that Kindred found by itself, and nobody misses it.
      if (!read->automatic)
        unused_tuning_.why = "not used: made for another index: expected uuid " + uuid +
                             ", found " + read->uuid + "; tune again";
    }
  } catch (const Error& e) {
    if (e.code() != Errc::kUnsupported) throw;
    unused_tuning_ = {std::string("not used: ") + e.what(), stamp};
  }
}

/// The learned weights of the database, if their file has changed. One that cannot be read is
/// passed over: they are learned again.
void CurrentSnapshot::load_lift() {
  if (!has_lift_moved()) return;
  const std::string& location = database_.location();
  lift_stamp_ = lift_stamp(location);

  lift_.reset();
  try {
    if (std::optional<NeighborLift> read = read_lift(location))
      lift_ = std::make_shared<const NeighborLift>(std::move(*read));
  } catch (const Error& e) {
    log_(e.what());
  }
}

/// The learned weights, if they are of this index and its terms.
std::shared_ptr<const NeighborLift> CurrentSnapshot::fitting_lift(const Mirror& mirror) const {
  const WeightingSettings& weighting = database_.settings().weighting;
  if (lift_ == nullptr || !weighting.lift || lift_->smart != weighting.smart ||
      lift_->prefixes != mirror.prefixes)
    return nullptr;

  // As for a tuning, an index that was compacted remembers which UUIDs it had.
  if (lift_->uuid != mirror.uuid && !database_.kept().has_uuid(lift_->uuid)) return nullptr;
  return lift_;
}

bool CurrentSnapshot::has_lift_moved() const {
  if (!database_.settings().weighting.lift || database_.path().empty()) return false;
  return lift_stamp(database_.location()) != lift_stamp_;
}

/// The names of labels, if their file has changed. One that cannot be read is passed over, and
/// labels have no names.
void CurrentSnapshot::load_vocabulary() {
  if (!has_vocabulary_moved()) return;
  const std::string& location = database_.location();
  vocabulary_stamp_ = vocabulary_stamp(location);

  vocabulary_.reset();
  try {
    vocabulary_ = read_vocabulary(location);
  } catch (const Error& e) {
    log_(e.what());
  }
}

bool CurrentSnapshot::has_vocabulary_moved() const {
  if (database_.path().empty()) return false;
  return vocabulary_stamp(database_.location()) != vocabulary_stamp_;
}

/// True also for a file that could not be read, since no snapshot was made with it: it is read
/// again until that succeeds.
bool CurrentSnapshot::has_tuning_moved(const Snapshot& known) const {
  if (!database_.settings().classify.use_tuning || database_.path().empty()) return false;
  const Tuning* const tuning = known.voting().tuning().get();
  const std::string& stamp = tuning != nullptr ? tuning->stamp : known.unused_tuning().stamp;
  return tuning_stamp(database_.location()) != stamp;
}

/// From now on, queries are in the languages that the documents name.
void CurrentSnapshot::expect_languages() {
  database_.analyzers().expect_languages(database_.read("cannot read the languages", languages_of));
}

}  // namespace kindred
