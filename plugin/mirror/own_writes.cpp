#include "plugin/mirror/own_writes.h"

#include <new>
#include <utility>

#include "plugin/mirror/mirror_reader.h"
#include "plugin/store/database.h"

namespace kindred {

std::optional<std::vector<OwnWrites::CommitPointer>> OwnWrites::between(const std::string& uuid,
                                                                        std::uint64_t from,
                                                                        std::uint64_t to) {
  std::unique_lock lock(mutex_);
  const auto reach = [&] {
    std::vector<CommitPointer> found;
    std::uint64_t reached = from;
    for (const CommitPointer& commit : commits_) {
      if (commit->uuid != uuid || reached < commit->from || reached >= commit->to) continue;
      found.push_back(commit);
      reached = commit->to;
    }
    return reached == to ? std::optional(std::move(found)) : std::nullopt;
  };
  std::optional<std::vector<CommitPointer>> found;
  committed_.wait(lock, [&] { return (found = reach()) || committing_ == 0; });
  erase([&](const Commit& commit) { return commit.to <= from || commit.uuid != uuid; });
  return found;
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

void OwnWrites::forget(std::uint64_t revision) {
  const std::lock_guard lock(mutex_);
  erase([&](const Commit& commit) { return commit.to <= revision; });
}

bool OwnWrites::has_after(std::uint64_t revision) const {
  const std::lock_guard lock(mutex_);
  return committing_ > 0 || (!commits_.empty() && commits_.back()->to > revision);
}

void OwnWrites::commit(const std::function<CommitPointer()>& commit) {
  {
    const std::lock_guard lock(mutex_);
    ++committing_;
  }
  CommitPointer made;
  const auto end = [&] {
    const std::lock_guard lock(mutex_);
    --committing_;
    committed_.notify_all();  // they wait for the mutex
    if (made) keep(std::move(made));
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

WriteNotes::WriteNotes(Xapian::WritableDatabase& database, const Settings& settings, OwnWrites* own)
    : database_(database), settings_(settings), own_(own) {
  if (own_ != nullptr && revision_of(database_) == 0) own_ = nullptr;
  if (own_ != nullptr) begin();
}

void WriteNotes::begin() {
  from_ = revision_of(database_);
  prefixes_ = feature_prefixes(database_, settings_.mirror);
  documents_.clear();
  bytes_ = 0;
}

void WriteNotes::wrote(Xapian::docid docid, const Xapian::Document& document) {
  if (own_ == nullptr || bytes_ > OwnWrites::kMostBytes) return;
  note(written_document(docid, document, prefixes_, settings_));
}

void WriteNotes::deleted(Xapian::docid docid) {
  if (own_ == nullptr || bytes_ > OwnWrites::kMostBytes) return;
  note({.docid = docid, .exists = false, .has_prediction = false, .terms = {}});
}

void WriteNotes::note(WrittenDocument document) {
  WrittenDocument& noted = documents_[document.docid];
  bytes_ += document.bytes() - (noted.docid == 0 ? 0 : noted.bytes());
  noted = std::move(document);
  if (bytes_ > OwnWrites::kMostBytes) documents_.clear();
}

void WriteNotes::commit(const std::function<void()>& commit) {
  if (own_ == nullptr) return commit();
  OwnWrites* const own = std::exchange(own_, nullptr);
  own->commit([&] {
    commit();
    return end();
  });
  try {
    begin();
  } catch (...) {
    return;  // the commit is good; what comes is not noted, and so it will be read
  }
  own_ = own;
}

/// What a commit changed; null if it was nothing, too much, or cannot be noted: then it will be
/// read.
OwnWrites::CommitPointer WriteNotes::end() try {
  auto made = std::make_shared<OwnWrites::Commit>();
  made->from = from_;
  made->to = revision_of(database_);
  if (made->to == made->from || bytes_ > OwnWrites::kMostBytes) return nullptr;
  made->uuid = database_.get_uuid();
  made->prefixes = std::move(prefixes_);
  made->bytes = bytes_;
  made->documents.reserve(documents_.size());
  for (auto& [docid, document] : documents_) made->documents.push_back(std::move(document));
  return made;
} catch (...) {
  return nullptr;
}

}  // namespace kindred
