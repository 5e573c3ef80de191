#include "plugin/snapshot/follower_thread.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

/// A commit renames a new header into place.
int watch_folders(const std::vector<std::string>& folders) {
  const int notices = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  for (const std::string& folder : folders)
    if (notices >= 0) inotify_add_watch(notices, folder.c_str(), IN_MOVED_TO | IN_ONLYDIR);
  return notices;
}

}  // namespace

IndexWatch::IndexWatch(const std::vector<std::string>& folders)
    : notices_(folders.empty() ? -1 : watch_folders(folders)),
      stopped_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (stopped_ >= 0) return;
  const std::string fault = std::strerror(errno);
  if (notices_ >= 0) close(notices_);
  throw Error(Errc::kUnsupported, "cannot wait for changes of the index: " + fault);
}

IndexWatch::~IndexWatch() {
  if (notices_ >= 0) close(notices_);
  close(stopped_);
}

void IndexWatch::stop() {
  const std::uint64_t once = 1;
  [[maybe_unused]] const auto written = write(stopped_, &once, sizeof(once));
}

void IndexWatch::wait(std::chrono::milliseconds longest) {
  const auto end = std::chrono::steady_clock::now() + longest;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return;
    std::array<pollfd, 2> files{pollfd{stopped_, POLLIN, 0}, pollfd{notices_, POLLIN, 0}};
    const int ready = poll(files.data(), files.size(), static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return;
    if (files[0].revents != 0 && ready > 0) return;
    if (files[1].revents != 0 && ready > 0 && read_events()) return;
  }
}

/// Takes all notices. True if one is of a header: of a commit.
bool IndexWatch::read_events() const {
  bool committed = false;
  alignas(inotify_event) std::array<char, 4096> buffer;
  for (;;) {
    const auto size = read(notices_, buffer.data(), buffer.size());
    if (size <= 0) return committed;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(size);) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const std::string_view name =
          event.len == 0 ? std::string_view() : buffer.data() + at + sizeof(event);
      committed = committed || name == "iamglass" || (event.mask & IN_Q_OVERFLOW) != 0;
      at += sizeof(event) + event.len;
    }
  }
}

FollowerThread::FollowerThread(const std::vector<std::string>& folders,
                               const MirrorSettings& settings, std::function<void()> look, Log log)
    : staleness_(settings.max_staleness_ms),
      look_(std::move(look)),
      log_(std::move(log)),
      watch_(settings.follow == "auto" ? folders : std::vector<std::string>()) {
  constexpr std::size_t kBesideTheCaller = 2;
  thread_ = run_beside(kBesideTheCaller, [this] { run(); });
  if (thread_.wait_for(std::chrono::seconds(0)) == std::future_status::deferred && log_)
    log_("the index is not followed: the system has no thread for it");
}

FollowerThread::~FollowerThread() {
  stopped_ = true;
  watch_.stop();
}

void FollowerThread::run() {
  for (;;) {
    watch_.wait(staleness_);
    if (stopped_) return;
    call();
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
