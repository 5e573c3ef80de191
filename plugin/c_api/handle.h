#pragma once

#include <xapian.h>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include "config/error.h"
#include "config/settings.h"
#include "plugin/ask/ask.h"
#include "plugin/engine.h"
#include "plugin/kindred.h"
#include "plugin/writing/ingest.h"

/// The object behind a handle: an Engine and, from the first record on, an Ingest.
struct kindred_handle {
 public:
  using OnStep = std::function<bool(const kindred::AskStep&)>;
  using OnDocument = std::function<void(const kindred::DocumentReport&)>;

  /// `on_document`: as IngestOptions has it. `host_tunes`: as KINDRED_HOST_TUNES.
  kindred_handle(const std::string& path, const kindred::Settings& settings,
                 const kindred::Log& log, OnDocument on_document, bool host_tunes);

  /// Adds a record given as JSON. Takes the write lock if the handle does not have it yet.
  kindred::IngestReport add(std::string_view json);

  /// Commits. If `end`, also releases the write lock. Does nothing if nothing was ingested.
  kindred::IngestReport commit(bool end);

  /// Answers as kindred::ask() does. A question that writes ends ingest first, like commit(true),
  /// because it takes the write lock itself, and refreshes the engine, also if it is canceled.
  /// While it calls `on_step`, other threads can write by this handle.
  std::string ask(std::string_view question, std::string_view request, const OnStep& on_step);

  const kindred::Log log;
  kindred::Engine engine;

 private:
  kindred::Record parse(std::string_view json);
  template <typename Body>
  void ingest_or_end(Body&& body);
  kindred::IngestReport commit_held(bool end);

  const OnDocument on_document_;
  const bool host_tunes_;
  std::mutex mutex_;  ///< guards ingest_; queries never take it
  std::unique_ptr<kindred::Ingest> ingest_;
};

namespace kindred {

/// The text for kindred_last_error() in this thread.
const char* last_error() noexcept;

/// Sets that text, and returns the code.
kindred_errc fail(Errc code, std::string_view text) noexcept;

/// Runs body(). Any exception becomes a code and a text for kindred_last_error(): the only place in
/// Kindred where that happens.
template <typename Body>
kindred_errc guard(Body&& body) noexcept {
  try {
    body();
    return KINDRED_OK;
  } catch (const Error& e) {
    return fail(e.code(), e.what());
  } catch (const Xapian::Error& e) {  // not a std::exception: it needs its own clause
    try {
      return fail(Errc::kDatabase, e.get_description());
    } catch (...) {
      return fail(Errc::kDatabase, "Xapian failed");
    }
  } catch (const std::bad_alloc&) {
    return fail(Errc::kOutOfMemory, "out of memory");
  } catch (const std::exception& e) {
    return fail(Errc::kInternal, e.what());
  } catch (...) {
    return fail(Errc::kInternal, "unknown exception");
  }
}

/// Makes an empty database if there is nothing at the path, or an empty directory.
/// @throws Error kDatabase; kUnsupported if index.read_only says that nothing is written.
void create_database(const std::string& path, const Settings& settings);

}  // namespace kindred
