#include "plugin/store/restore_watch.h"

#include <sys/inotify.h>
#include <unistd.h>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kindred {
namespace {

/// A commit puts another header in the place of the old one, and writes into tables that it keeps.
/// So a header that somebody has written, or a new table, comes from elsewhere. Of the tables only
/// this one always exists.
bool is_restore(std::uint32_t event, std::string_view file) {
  if ((event & (IN_Q_OVERFLOW | IN_IGNORED | IN_MOVE_SELF)) != 0) return true;
  if ((event & IN_CLOSE_WRITE) != 0) return file == "iamglass";
  return file == "termlist.glass";
}

}  // namespace

RestoreWatch::RestoreWatch(const std::vector<std::string>& folders)
    : watch_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  constexpr std::uint32_t kEvents =
      IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVE_SELF | IN_ONLYDIR;
  for (const std::string& folder : folders) ::inotify_add_watch(watch_, folder.c_str(), kEvents);
}

RestoreWatch::~RestoreWatch() {
  if (watch_ >= 0) ::close(watch_);
}

bool RestoreWatch::saw_restore() {
  constexpr std::size_t kLargestEvent = sizeof(inotify_event) + NAME_MAX + 1;
  char bytes[16 * kLargestEvent];

  while (true) {
    const ssize_t count = ::read(watch_, bytes, sizeof bytes);
    if (count <= 0) return saw_restore_;

    std::size_t at = 0;
    while (at < static_cast<std::size_t>(count)) {
      // The bytes of an event may lie at any address, so it is copied. Its name follows it.
      inotify_event event{};
      std::memcpy(&event, bytes + at, sizeof event);
      std::string_view name;
      if (event.len > 0) name = bytes + at + sizeof event;
      if (is_restore(event.mask, name)) saw_restore_ = true;
      at += sizeof event + event.len;
    }
  }
}

}  // namespace kindred
