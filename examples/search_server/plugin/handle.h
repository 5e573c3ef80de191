#pragma once

#include <kindred/kindred.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/library.h"
#include "plugin/plugin_error.h"
#include "plugin/stem_cache.h"

namespace search_server {

/// Objects keep their members in the order in which they are set.
using Json = nlohmann::ordered_json;

/// Borrowed bytes, as the library passes and takes them.
inline kindred_string borrowed(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view view(kindred_string text) { return {text.data, text.size}; }

/// A name that the index holds (an id, a label, a term), as requests and answers have it, and its
/// bytes: a backslash is written as \\, and a byte that is not UTF-8 as \xNN.
std::string written_name(std::string_view bytes);
std::string read_name(const Json& written);
std::vector<std::string> read_names(const Json& list);

/// Called now and then while a question is answered; false cancels it.
using Step = std::function<bool(const std::string& doing, std::uint64_t done, std::uint64_t all)>;

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

  /// The answer to a question, as docs/json.md of Kindred has both.
  Json ask(const std::string& question, const Json& request = Json::object(),
           const Step& step = {}) const;

  /// The answer to "status"; its "revision" is 0 for several shards.
  Json status() const;

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
