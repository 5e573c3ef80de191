#pragma once

#include <kindred/kindred.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "plugin/library.h"
#include "plugin/plugin_error.h"
#include "plugin/stem_cache.h"

namespace search_server {

/// A result of the library, freed by its function.
template <typename T>
using Result = std::unique_ptr<const T, std::function<void(const T*)>>;

/// Borrowed bytes, as the library passes and takes them.
inline kindred_string borrowed(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view view(kindred_string text) { return {text.data, text.size}; }

/// How a database is opened.
struct HandleOptions {
  std::string database;
  std::string settings_path;  ///< a TOML file of Kindred; "": `settings`
  std::string settings;       ///< TOML
  bool create = false;        ///< make an empty database if there is none
  std::function<void(std::string_view)> log;
  /// As kindred_on_document.
  std::function<void(const kindred_document_report&)> on_document;
};

/// One database, opened by one loaded library, which stays loaded as long. What comes in does not
/// wait for a tuning (KINDRED_HOST_TUNES). Any number of threads may ask at once. Every call throws
/// PluginError if the library refuses or fails.
class Handle {
 public:
  /// Mirrors the database in memory.
  Handle(std::shared_ptr<const Library> library, HandleOptions options);
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  const Library& library() const { return *library_; }

  /// Calls a function of the descriptor that returns a code, such as &kindred_descriptor::refresh.
  template <typename Function, typename... Arguments>
  void call(Function kindred_descriptor::*function, Arguments... arguments) const {
    check((library_->functions().*function)(handle_, arguments...));
  }

  /// The same for a function that makes a result, which is its last argument.
  template <typename T, typename Function, typename... Arguments>
  Result<T> ask(Function kindred_descriptor::*function, void (*kindred_descriptor::*free)(T*),
                Arguments... arguments) const {
    T* result = nullptr;
    call(function, arguments..., &result);
    // The result needs the library's function to be freed, so it keeps the library.
    return Result<T>(result, [library = library_, free](const T* made) {
      (library->functions().*free)(const_cast<T*>(made));
    });
  }

  kindred_status status() const;

  /// The words of a text and their terms, in a language ("": found out).
  Result<kindred_analysis> analyze(const std::string& text, const std::string& language) const;
  /// A query that people typed, by the words of the index. `partial`: as kindred_parse_request.
  Result<kindred_query> parse_query(const std::string& query, bool partial) const;
  /// What the index makes of words of a language. The handle must outlive it.
  std::shared_ptr<StemCache> stems(const std::string& language) const {
    return stems_.of(language);
  }

 private:
  std::string stem_of(const std::string& word, const std::string& language) const;
  void check(kindred_errc code) const;

  const std::shared_ptr<const Library> library_;
  const HandleOptions options_;
  kindred_handle* handle_ = nullptr;
  mutable StemCaches stems_{[this](const std::string& word, const std::string& language) {
    return stem_of(word, language);
  }};
};

}  // namespace search_server
