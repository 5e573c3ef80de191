#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "config/settings.h"
#include "plugin/documents/tag_edit.h"
#include "plugin/engine.h"
#include "plugin/kindred.h"
#include "plugin/writing/ingest.h"
#include "plugin/writing/tagging.h"
#include "plugin/writing/topic_assignment.h"

/// What a host's handle points to: an Engine, and an Ingest from the first record on.
struct kindred_handle {
 public:
  kindred_handle(const std::string& path, const kindred::Settings& settings,
                 const kindred::Log& log);

  /// Adds a record given as JSON; takes the write lock if the handle does not have it.
  kindred::IngestReport add(std::string_view json);

  /// Commits; gives the write lock back if `end`. Without ingest does nothing.
  kindred::IngestReport commit(bool end);

  /// These end ingest, as commit(true), since they take the write lock themselves.
  kindred::TagReport tag(const kindred::TagRequest& request);
  kindred::AssignReport assign(const kindred::AssignRequest& request);
  void edit_tags(const std::string& id, const kindred::TagEdit& edit);

  const kindred::Log log;
  kindred::Engine engine;

 private:
  kindred::Record parse(std::string_view json);
  template <typename Body>
  void ingest_or_end(Body&& body);
  void end_ingest();

  std::mutex mutex_;  ///< guards ingest_; queries never take it
  std::unique_ptr<kindred::Ingest> ingest_;
};

namespace kindred {

/// Makes an empty database where there is nothing, or an empty directory.
/// @throws Error kDatabase.
void create_database(const std::string& path);

}  // namespace kindred
