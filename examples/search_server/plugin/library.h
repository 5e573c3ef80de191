#pragma once

#include <kindred/kindred.h>

#include <string>

namespace search_server {

/// libkindred.so, loaded from a copy of its file, so that a new version can lie at the same path
/// while this one runs. Unloaded by the destructor. Any thread may use it.
class Library {
 public:
  /// `path`: a file, or a name that the dynamic linker finds. @throws std::runtime_error that names
  /// the library and what was expected, if it cannot be loaded, is no Kindred, or is too old or too
  /// new for this server.
  explicit Library(const std::string& path);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const kindred_descriptor& functions() const { return *functions_; }

 private:
  int copy_ = -1;  ///< a file in memory
  void* library_ = nullptr;
  const kindred_descriptor* functions_ = nullptr;
};

}  // namespace search_server
