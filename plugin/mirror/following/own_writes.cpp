#include "plugin/mirror/following/own_writes.h"

#include <algorithm>
#include <new>
#include <utility>

#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/mirror/reading/read_revisions.h"
#include "plugin/store/database.h"

namespace kindred {

namespace {

/// True if both have the same shards.
bool has_same_shards(const OwnWrites::Revisions& a, const OwnWrites::Revisions& b) {
  return std::ranges::equal(a, b, {}, &ShardRevision::uuid, &ShardRevision::uuid);
}

/// False only for what leads to these revisions at most, or is of another shard.
bool leads_on(const OwnWrites::Commit& commit, const OwnWrites::Revisions& revisions) {
  return std::ranges::any_of(revisions, [&](const ShardRevision& shard) {
    return commit.uuid == shard.uuid && commit.to > shard.revision;
  });
}

}  // namespace

/// The commits of one shard. Expects the mutex to be held.
std::optional<OwnWrites::Commits> OwnWrites::reach(const ShardRevision& from,
                                                   const ShardRevision& to) const {
  Commits found;
  std::uint64_t reached = from.revision;
  for (const CommitPointer& commit : commits_) {
    if (commit->uuid != from.uuid || reached < commit->from || reached >= commit->to) continue;
    found.push_back(commit);
    reached = commit->to;
  }
  return reached == to.revision ? std::optional(std::move(found)) : std::nullopt;
}

std::optional<std::vector<OwnWrites::Commits>> OwnWrites::between(const Revisions& from,
                                                                  const Revisions& to) {
  if (!has_same_shards(from, to)) return std::nullopt;
  std::unique_lock lock(mutex_);
  std::vector<Commits> found;
  const auto reach_all = [&] {
    found.clear();
    for (std::size_t shard = 0; shard < from.size(); ++shard) {
      auto own = reach(from[shard], to[shard]);
      if (!own) return false;
      found.push_back(std::move(*own));
    }
    return true;
  };
  bool complete = false;
  committed_.wait(lock, [&] { return (complete = reach_all()) || committing_ == 0; });
  erase([&](const Commit& commit) { return !leads_on(commit, from); });
  return complete ? std::optional(std::move(found)) : std::nullopt;
}

/// Expects the mutex to be held.
template <typename IsUseless>
void OwnWrites::erase(IsUseless&& is_useless) {
  std::erase_if(commits_, [&](const CommitPointer& commit) {
    if (!is_useless(*commit)) return false;
    bytes_ -= commit->bytes;
    return true;
  });
}

void OwnWrites::forget(const Revisions& revisions) {
  const std::lock_guard lock(mutex_);
  erase([&](const Commit& commit) { return !leads_on(commit, revisions); });
}

bool OwnWrites::has_after(const Revisions& revisions) const {
  const std::lock_guard lock(mutex_);
  return committing_ > 0 || std::ranges::any_of(commits_, [&](const CommitPointer& commit) {
           return leads_on(*commit, revisions);
         });
}

void OwnWrites::commit(const std::function<Commits()>& commit) {
  {
    const std::lock_guard lock(mutex_);
    ++committing_;
  }
  Commits made;
  const auto end = [&] {
    const std::lock_guard lock(mutex_);
    --committing_;
    committed_.notify_all();  // they wait for the mutex
    for (CommitPointer& each : made) keep(std::move(each));
  };
  try {
    made = commit();
  } catch (...) {
    end();
    throw;
  }
  end();
}

/// Expects the mutex to be held. Without memory the commit is not kept, and so it will be read.
void OwnWrites::keep(CommitPointer commit) {
  const std::size_t bytes = commit->bytes;
  try {
    commits_.push_back(std::move(commit));
  } catch (const std::bad_alloc&) {
    return;
  }
  bytes_ += bytes;
  while (bytes_ > kMostBytes) {
    bytes_ -= commits_.front()->bytes;
    commits_.pop_front();
  }
}

WriteNotes::WriteNotes(Xapian::WritableDatabase& database, const std::string& path,
                       const Settings& settings, OwnWrites* own, std::size_t writers)
    : database_(database),
      path_(path),
      settings_(settings),
      most_bytes_(OwnWrites::kMostBytes / writers),
      own_(own) {
  if (own_ != nullptr) begin();
}

/// Where the shards are; empty if one does not tell.
OwnWrites::Revisions WriteNotes::revisions() const {
  OwnWrites::Revisions found;
  const std::vector<std::string> uuids = shards_of(database_);
  if (uuids.size() == 1) {
    found.push_back({uuids.front(), revision_of(database_)});
  } else if (const ShardRevisions shards = committed_revisions(path_)) {
    found = *shards;
  }
  const bool known = std::ranges::equal(found, uuids, {}, &ShardRevision::uuid) &&
                     std::ranges::none_of(found, [](const auto& at) { return at.revision == 0; });
  return known ? found : OwnWrites::Revisions();
}

void WriteNotes::begin() {
  from_ = revisions();
  prefixes_ = feature_prefixes(database_, settings_.mirror);
  documents_.clear();
  bytes_ = 0;
  if (from_.empty()) own_ = nullptr;
}

void WriteNotes::wrote(Xapian::docid docid, const Xapian::Document& document) {
  if (own_ == nullptr || bytes_ > most_bytes_) return;
  note(written_document(docid, document, prefixes_, settings_));
}

void WriteNotes::deleted(Xapian::docid docid) {
  if (own_ == nullptr || bytes_ > most_bytes_) return;
  note({.docid = docid, .exists = false, .has_prediction = false, .terms = {}});
}

void WriteNotes::note(WrittenDocument document) {
  WrittenDocument& noted = documents_[document.docid];
  bytes_ += document.bytes() - (noted.docid == 0 ? 0 : noted.bytes());
  noted = std::move(document);
  if (bytes_ > most_bytes_) documents_.clear();
}

void WriteNotes::commit(const std::function<void()>& commit) {
  if (own_ == nullptr) return commit();
  OwnWrites* const own = std::exchange(own_, nullptr);
  own->commit([&] {
    commit();
    return end();
  });
  try {
    own_ = own;
    begin();
  } catch (...) {
    own_ = nullptr;  // the commit is good; what comes is not noted, and so it will be read
  }
}

/// What a commit changed, shard by shard; nothing if it was too much, or cannot be noted: then it
/// will be read.
OwnWrites::Commits WriteNotes::end() try {
  const OwnWrites::Revisions now = revisions();
  if (now.size() != from_.size() || bytes_ > most_bytes_) return {};
  std::vector<OwnWrites::Commit> made(now.size());
  for (auto& [docid, document] : documents_) {
    const std::size_t shard = (docid - 1) % now.size();
    document.docid = static_cast<Xapian::docid>((docid - 1) / now.size() + 1);
    made[shard].bytes += document.bytes();
    made[shard].documents.push_back(std::move(document));
  }
  OwnWrites::Commits commits;
  for (std::size_t shard = 0; shard < made.size(); ++shard) {
    if (now[shard].revision == from_[shard].revision) continue;
    made[shard].uuid = now[shard].uuid;
    made[shard].from = from_[shard].revision;
    made[shard].to = now[shard].revision;
    made[shard].prefixes = prefixes_;
    commits.push_back(std::make_shared<const OwnWrites::Commit>(std::move(made[shard])));
  }
  return commits;
} catch (...) {
  return {};
}

}  // namespace kindred
