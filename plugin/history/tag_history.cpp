#include "plugin/history/tag_history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <filesystem>

#include "config/error.h"
#include "config/user_name.h"
#include "plugin/history/history_time.h"
#include "plugin/store/database.h"
#include "plugin/store/kept_files.h"

namespace kindred {
namespace {

constexpr std::size_t kPart = std::size_t{256} << 10;  // bytes of a block, roughly
constexpr std::chrono::seconds kSyncs{10};             // between two syncs of a run
constexpr std::size_t kMostBytes = std::size_t{4} << 30;

/// Holds the lock of a file, which others wait for.
class FileLock {
 public:
  FileLock(int file, int kind) : file_(file) {
    while (::flock(file_, kind) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() { ::flock(file_, LOCK_UN); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  const int file_;
};

/// True if Kindred keeps files beside the index already.
bool has_files(const std::string& location) {
  return std::ranges::any_of(
      std::array{"history", "tuning", "lift", "som", "vocabulary", "mirror"}, [&](auto name) {
        std::error_code ignored;
        return std::filesystem::exists(index_file_path(location, name), ignored);
      });
}

bool is_to_be_kept(const std::string& location, const Settings& settings) {
  if (!settings.history.keep || settings.index.read_only || !can_write_beside(location))
    return false;
  const bool is_own = settings.index.profile == "none" || !settings.index.directory.empty();
  return is_own || has_files(location);
}

/// True if the file at the path is still the one that is open.
bool is_current(int file, const GuardedFile& named) {
  struct stat own {};
  const auto found = named.status();
  return found && ::fstat(file, &own) == 0 && own.st_ino == found->st_ino &&
         own.st_dev == found->st_dev;
}

/// Copies of a descriptor share the place where they read, so it is set to the beginning.
std::string read_whole(const OpenFile& file, const std::string& path) {
  ::lseek(file, 0, SEEK_SET);
  return read_open_file(OpenFile(::dup(file)), path, "the history", kMostBytes).bytes;
}

std::string read_part(int file, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  const ssize_t count = ::pread(file, bytes.data(), size, static_cast<off_t>(offset));
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
  return bytes;
}

/// The bytes of the last block, if the file ends with a whole one.
std::string last_block(int file, std::uint64_t size) {
  constexpr std::uint64_t kFrame = 20;
  if (size < kFrame) return {};
  std::uint64_t content = 0;
  const std::string tail = read_part(file, size - 4, 4);
  for (std::size_t i = 0; i < tail.size(); ++i)
    content |= std::uint64_t{static_cast<unsigned char>(tail[i])} << 8 * i;
  if (content + kFrame > size) return {};

  std::string bytes = read_part(file, size - content - kFrame, content + kFrame);
  const BlockList list = blocks_in(bytes);
  const bool is_whole = list.blocks.size() == 1 && list.end == bytes.size() && list.damaged == 0;
  return is_whole ? bytes : std::string();
}

}  // namespace

void HistoryBatch::add(const DocumentChange& change) {
  if (change.labels.empty()) return;
  if (parts_.empty() || parts_.back().bytes.size() >= kPart) parts_.emplace_back();
  put_change(parts_.back().bytes, change);
  ++parts_.back().count;
}

std::string history_path(const std::string& location) {
  return index_file_path(location, "history");
}

TagHistory::TagHistory(const std::string& database, const Settings& settings,
                       const std::string& who, const std::string& how)
    : database_(database),
      settings_(settings.history),
      path_(history_path(file_location(database, settings.index.directory))),
      keeps_(is_to_be_kept(file_location(database, settings.index.directory), settings)),
      who_(keeps_ && who.empty() ? user_name(file_user()) : who),
      how_(how) {
  if (keeps_) index_file(path_).check();
}

void TagHistory::remember_in(Xapian::WritableDatabase& database) {
  if (!keeps_ || is_remembered_) return;
  remember_file(database, "history");
  is_remembered_ = true;
}

void TagHistory::fail(std::error_code fault) const {
  throw Error(Errc::kDatabase, path_ +
                                   ": the tags have changed, but their history cannot be kept: " +
                                   fault.message() + " (history.keep = false does without)");
}

/// Opens the file, or makes it.
void TagHistory::open() {
  if (!is_synced_) sync();
  const GuardedFile file = index_file(path_);
  const bool is_new = !file.exists();
  file_ = std::make_unique<const OpenFile>(file.open(O_RDWR | O_CREAT));
  end_ = 0;
  if (!is_new) return;
  file.give_away(*file_);
  file.folder().sync();
}

/// Finds the end of the last whole block, and the number that comes next. Expects the lock.
void TagHistory::find_end() {
  struct stat status {};
  if (::fstat(*file_, &status) != 0) fail(last_fault());
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size == end_) return;

  // Most often the file ends with a whole block. If not, a writer was killed, or the end is
  // damaged.
  std::string bytes = last_block(*file_, size);
  end_ = size;
  if (bytes.empty()) {
    bytes = read_whole(*file_, path_);
    end_ = blocks_in(bytes).end;
  }

  const BlockList list = blocks_in(bytes);
  if (list.blocks.empty()) return;
  const HistoryBlock last = read_block(list.blocks.back().content);
  next_ = std::max(next_, last.first + last.count);
}

void TagHistory::write(const std::string& bytes) {
  // What is behind the last whole block was never finished.
  if (::ftruncate(*file_, static_cast<off_t>(end_)) != 0) fail(last_fault());
  if (const std::error_code fault = write_at(*file_, end_, bytes)) {
    (void)::ftruncate(*file_, static_cast<off_t>(end_));
    fail(fault);
  }
  end_ += bytes.size();
  is_synced_ = false;

  // A sync takes as long as a part of a commit, so a long run has few of them.
  const Clock::time_point now = Clock::now();
  if (synced_ && now - *synced_ < kSyncs) return;
  if (!sync()) fail(last_fault());
  synced_ = now;
}

bool TagHistory::sync() {
  is_synced_ = file_ == nullptr || ::fdatasync(*file_) == 0;
  return is_synced_;
}

TagHistory::~TagHistory() {
  if (!is_synced_) sync();
}

void TagHistory::append(HistoryBatch& batch) {
  const std::vector<HistoryBatch::Part> parts = std::exchange(batch.parts_, {});
  if (!keeps_ || parts.empty()) return;
  const std::lock_guard guard(mutex_);
  if (uuid_.empty()) {
    with_database_errors(path_ + ": cannot tell the index", [&] {
      uuid_ = open_database(database_).get_uuid();
    });
  }

  // Somebody may put a shorter file in its place meanwhile.
  if (file_ == nullptr) open();
  while (!append_locked(parts)) open();
}

/// False if the file that is open is not the one at the path any more.
bool TagHistory::append_locked(const std::vector<HistoryBatch::Part>& parts) {
  const FileLock lock(*file_, LOCK_EX);
  if (!is_current(*file_, index_file(path_))) return false;
  find_end();

  std::string bytes;
  const std::uint64_t now = milliseconds_now();
  for (const HistoryBatch::Part& part : parts) {
    if (run_ == 0) run_ = next_;
    bytes += framed_block({next_, part.count, run_, now, who_, how_, uuid_}, part.bytes);
    next_ += part.count;
  }
  write(bytes);
  trim(now);
  return true;
}

/// Removes the oldest blocks beyond the limits. Expects the lock.
void TagHistory::trim(std::uint64_t now) {
  const std::uint64_t most = static_cast<std::uint64_t>(settings_.max_mb) << 20;
  const std::uint64_t age = static_cast<std::uint64_t>(settings_.max_days) * kMillisecondsPerDay;

  // Age is looked at by the first block, which may be a day older, so that a file that changes all
  // the time is rewritten once a day.
  const auto is_old = [&](std::string_view content, std::uint64_t more) {
    return age > 0 && read_block(content).milliseconds + age + more < now;
  };
  const std::string first = read_part(*file_, 0, std::min<std::uint64_t>(end_, 4096));
  const bool is_large = end_ > most;
  const auto begins_old = [&] {
    try {
      return first.size() > 16 && is_old(std::string_view(first).substr(16), kMillisecondsPerDay);
    } catch (const Error&) {
      return false;
    }
  };
  if (!is_large && !begins_old()) return;

  const std::string bytes = read_whole(*file_, path_);
  const BlockList list = blocks_in(bytes);
  std::uint64_t left = 0;
  for (const BlockPlace& block : list.blocks) left += block.end - block.begin;

  // The last block stays, which has the numbers that come next.
  std::string kept;
  for (const BlockPlace& block : list.blocks) {
    const bool is_last = block.end == list.end;
    const bool is_beyond = is_large && left > most - most / 4;
    left -= block.end - block.begin;
    if (!is_last && (is_beyond || is_old(block.content, 0))) continue;
    kept += std::string_view(bytes).substr(block.begin, block.end - block.begin);
  }
  if (const std::error_code fault = replace_index_file(path_, kept)) fail(fault);
}

HistorySummary read_history(const std::string& location, const std::vector<std::string>& uuids,
                            const std::function<void(const HistoryEntry&)>& see) {
  const GuardedFile file = index_file(history_path(location));
  HistorySummary summary;
  if (!file.exists()) return summary;

  std::string bytes;
  {
    const OpenFile open(file.open(O_RDONLY));
    const FileLock lock(open, LOCK_SH);
    bytes = read_whole(open, file.path());
  }

  const BlockList list = blocks_in(bytes);
  summary.damaged = list.damaged + (bytes.size() - list.end);
  for (const BlockPlace& place : list.blocks) {
    const HistoryBlock block = read_block(place.content);
    if (std::ranges::find(uuids, block.uuid) == uuids.end()) {
      summary.others += block.count;
      continue;
    }
    for_each_change(place.content, [&](std::uint64_t number, const DocumentChange& change) {
      see({number, block, change});
    });
  }
  return summary;
}

}  // namespace kindred
