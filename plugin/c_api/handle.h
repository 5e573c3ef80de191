#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "config/settings.h"
#include "plugin/engine.h"
#include "plugin/kindred.h"
#include "plugin/writing/edits.h"
#include "plugin/writing/ingest.h"
#include "plugin/writing/stored_answers.h"
#include "plugin/writing/tagging.h"

/// The object behind a handle: an Engine and, from the first record on, an Ingest.
struct kindred_handle {
 public:
  using OnDocument = std::function<void(const kindred::DocumentReport&)>;

  /// `on_document`: as IngestOptions has it. `host_tunes`: as KINDRED_HOST_TUNES.
  kindred_handle(const std::string& path, const kindred::Settings& settings,
                 const kindred::Log& log, OnDocument on_document, bool host_tunes);

  /// Adds a record given as JSON. Takes the write lock if the handle does not have it yet.
  kindred::IngestReport add(std::string_view json);

  /// Commits. If `end`, also releases the write lock. Does nothing if nothing was ingested.
  kindred::IngestReport commit(bool end);

  /// These end ingest first, like commit(true), because they take the write lock themselves.
  kindred::TagReport tag(kindred::TagRequest request);
  kindred::StoreRelatedReport store_related(const kindred::StoreRelatedRequest& request);
  kindred::AssignReport assign(const kindred::AssignRequest& request);
  kindred::StoredDocuments edit(std::span<const kindred::DocumentEdit> edits);
  kindred::DeletionReport remove(std::span<const std::string> ids);

  const kindred::Log log;
  kindred::Engine engine;

 private:
  kindred::Record parse(std::string_view json);
  template <typename Body>
  void ingest_or_end(Body&& body);
  void end_ingest();

  const OnDocument on_document_;
  const bool host_tunes_;
  std::mutex mutex_;  ///< guards ingest_; queries never take it
  std::unique_ptr<kindred::Ingest> ingest_;
};

namespace kindred {

/// Makes an empty database if there is nothing at the path, or an empty directory.
/// @throws Error kDatabase; kUnsupported if index.read_only says that nothing is written.
void create_database(const std::string& path, const Settings& settings);

}  // namespace kindred
