#include "plugin/ranks/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "config/error.h"

namespace kindred {
namespace {

// The file: a magic, the identity as a record, and a record for each result. A record is
//     8 bytes  length of the name
//     8        number of the task
//     8        length of the result
//     8        XXH3 of all of the record but this
// and then the name and the result.
constexpr std::string_view kMagic = "kindred journal1";
constexpr std::uint64_t kLongestName = 1 << 20;

struct RecordHead {
  std::uint64_t name_bytes, task, result_bytes;
};
constexpr std::size_t kHeadBytes = sizeof(RecordHead) + sizeof(std::uint64_t);

std::uint64_t checksum(const RecordHead& head, std::string_view rest) {
  return XXH3_64bits_withSeed(rest.data(), rest.size(), XXH3_64bits(&head, sizeof head));
}

std::string record(std::string_view name, std::uint64_t task, std::string_view result) {
  const RecordHead head{name.size(), task, result.size()};
  std::string rest(name);
  rest += result;
  const std::uint64_t sum = checksum(head, rest);
  std::string bytes(kHeadBytes, 0);
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, &sum, sizeof sum);
  return bytes + rest;
}

/// Takes a whole record from the front of `bytes`. False if there is none.
struct Record {
  std::string_view name, result;
  std::uint64_t task = 0;
};
bool take_record(std::string_view& bytes, Record& taken) {
  RecordHead head;
  std::uint64_t sum = 0;
  if (bytes.size() < kHeadBytes) return false;
  std::memcpy(&head, bytes.data(), sizeof head);
  std::memcpy(&sum, bytes.data() + sizeof head, sizeof sum);
  const std::string_view rest = bytes.substr(kHeadBytes);
  if (head.name_bytes > kLongestName || head.name_bytes > rest.size() ||
      head.result_bytes > rest.size() - head.name_bytes)
    return false;
  const std::string_view body = rest.substr(0, head.name_bytes + head.result_bytes);
  if (checksum(head, body) != sum) return false;
  taken = {body.substr(0, head.name_bytes), body.substr(head.name_bytes), head.task};
  bytes = rest.substr(body.size());
  return true;
}

}  // namespace

Journal::Journal(std::string path, std::string_view identity) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file_ < 0) refuse("cannot be opened");
  try {
    struct stat status {};
    if (fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
      errno = EINVAL;
      refuse("expected a regular file");
    }
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) refuse("another process uses it");
    read(identity);
  } catch (...) {
    close(file_);
    throw;
  }
}

Journal::~Journal() { close(file_); }

void Journal::refuse(const std::string& what) const {
  throw Error(Errc::kDatabase, path_ + ": the journal of finished tasks: " + what + ": " +
                                   std::generic_category().message(errno));
}

void Journal::read(std::string_view identity) {
  std::string bytes(static_cast<std::size_t>(std::max<off_t>(lseek(file_, 0, SEEK_END), 0)), 0);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got =
        pread(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got <= 0) refuse("cannot be read");
    done += static_cast<std::size_t>(got);
  }
  std::string_view rest = bytes;
  Record taken;
  const bool is_ours = rest.starts_with(kMagic) && (rest.remove_prefix(kMagic.size()), true) &&
                       take_record(rest, taken) && taken.result == identity;
  if (is_ours) {
    while (take_record(rest, taken))
      results_[{std::string(taken.name), taken.task}] = std::string(taken.result);
  }
  found_ = results_.size();
  const std::size_t kept = is_ours ? bytes.size() - rest.size() : 0;
  if (ftruncate(file_, static_cast<off_t>(kept)) != 0) refuse("cannot be cut");
  lseek(file_, 0, SEEK_END);
  if (!is_ours) write(std::string(kMagic) + record("identity", 0, identity));
}

void Journal::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) refuse("cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

std::optional<std::string> Journal::find(const std::string& step, std::uint64_t task) const {
  const std::lock_guard lock(mutex_);
  const auto found = results_.find({step, task});
  if (found == results_.end()) return std::nullopt;
  return found->second;
}

void Journal::add(const std::string& step, std::uint64_t task, std::string_view result) {
  const std::lock_guard lock(mutex_);
  write(record(step, task, result));
}

void Journal::remove() {
  const std::lock_guard lock(mutex_);
  if (unlink(path_.c_str()) != 0 && errno != ENOENT) refuse("cannot be removed");
}

}  // namespace kindred
