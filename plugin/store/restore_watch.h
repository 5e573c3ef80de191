#pragma once

#include <string>
#include <vector>

namespace kindred {

/// Sees that somebody copies a backup over the files of databases, as no commit does: after further
/// commits, the files themselves do not tell. The kernel keeps what happens until it is asked, so
/// nothing is missed however late that is. It sees what is done on this host. Where the system
/// gives no watch (a limit of inotify, see docs/reliability.md), it never sees anything.
///
/// For one thread.
class RestoreWatch {
 public:
  /// Watches the folders of glass databases from now on.
  explicit RestoreWatch(const std::vector<std::string>& folders);
  ~RestoreWatch();
  RestoreWatch(const RestoreWatch&) = delete;
  RestoreWatch& operator=(const RestoreWatch&) = delete;

  /// True from the first call on that finds such a copy, or that more happened than the kernel
  /// keeps.
  bool saw_restore();

 private:
  int watch_ = -1;  ///< of inotify; -1 for none
  bool saw_restore_ = false;
};

}  // namespace kindred
