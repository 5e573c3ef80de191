#pragma once

#include <kindred/ask/question.h>
#include <kindred/kindred.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "http/message.h"

namespace search_server {

using kindred::Json;

/// In UTF-8; bytes that are not become U+FFFD.
inline std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

using kindred::read_name, kindred::written_name;

/// Borrowed bytes, as the library passes them.
inline std::string_view view(kindred_string text) { return {text.data, text.size}; }

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
  Library();

  int copy_ = -1;  ///< a file in memory
  void* library_ = nullptr;
  const kindred_descriptor* functions_ = nullptr;
};

/// A call of the library that failed, as a client is told: without paths of this machine.
class PluginError : public Problem {
 public:
  PluginError(kindred_errc code, const std::string& text);
  kindred_errc code() const { return code_; }

 private:
  kindred_errc code_;
};

/// 503 with Retry-After.
Problem busy(const std::string& type, const std::string& detail);

/// Called now and then while a question is answered; false cancels it.
using Step = std::function<bool(const std::string& doing, std::uint64_t done, std::uint64_t all)>;

/// How a database is opened.
struct HandleOptions {
  std::string database;       ///< its whole path
  std::string name;           ///< of the collection, for clients
  std::string settings_path;  ///< a TOML file of Kindred; "": `settings`
  std::string settings;       ///< TOML
  bool create = false;        ///< make an empty database if there is none
  /// As kindred_on_document.
  std::function<void(const kindred_document_report&)> on_document;
};

/// One database, opened by one loaded library, which stays loaded as long, and whose messages go
/// into the log. What comes in does not wait for a tuning (KINDRED_HOST_TUNES). Any number of
/// threads may ask at once. Every call throws PluginError if the library refuses or fails.
class Handle {
 public:
  /// Mirrors the database in memory.
  Handle(std::shared_ptr<const Library> library, HandleOptions options);
  ~Handle() { library_->functions().close(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  const std::shared_ptr<const Library>& library() const { return library_; }

  /// Calls a function of the descriptor that returns a code, such as &kindred_descriptor::refresh.
  template <typename Function, typename... Arguments>
  void call(Function kindred_descriptor::*function, Arguments... arguments) const {
    check((library_->functions().*function)(handle_, arguments...));
  }

  /// The answer to a question, as docs/json.md of Kindred has both.
  std::string ask_text(const std::string& question, const Json& request = Json::object(),
                       const Step& step = {}) const;
  /// The same, read.
  Json ask(const std::string& question, const Json& request = Json::object(),
           const Step& step = {}) const {
    return Json::parse(ask_text(question, request, step));
  }

 private:
  void check(kindred_errc code) const;
  std::string without_paths(std::string text) const;

  const std::shared_ptr<const Library> library_;
  const HandleOptions options_;
  kindred_handle* handle_ = nullptr;
};

}  // namespace search_server
