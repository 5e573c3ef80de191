#pragma once

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "http/log.h"
#include "http/server.h"

namespace search_server {

/// A value slot of the index that people may filter and sort by.
struct ValueSetting {
  std::string name;
  unsigned slot = 0;
  bool number = false;  ///< the slot holds numbers as Xapian::sortable_serialise() writes them
};

/// What the operator wants; kindred-server.toml says what each setting is for.
struct Settings {
  // [index]
  std::string database;
  std::string library = "libkindred.so.0";
  std::string kindred_settings;  ///< a file; "": what the index remembers
  std::string name;              ///< of the collection; "": that of the database's folder
  bool create = false;
  bool auto_tune = true;
  std::size_t facet_documents = 5000;
  double ready_lag_seconds = 30;
  std::vector<ValueSetting> values;

  // [http], [limits]
  HttpSettings http;
  std::size_t query_bytes = 2000;
  std::size_t document_bytes = 1 << 20;
  std::size_t ingest_bytes = 64 << 20;
  std::chrono::seconds stop{30};

  // [access]
  AccessSettings access;
  std::string token_file;

  // [log]
  std::string log_file;
  LogLevel log_level = LogLevel::kInfo;
};

/// A setting that cannot be: names the file, line and key, or the flag, and what was expected.
class SettingsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a file over `settings`. Its relative paths are relative to its folder.
/// @throws SettingsError
void read_settings_file(const std::string& path, Settings& settings);

/// Takes the token from its file or from the environment (KINDRED_SERVER_TOKEN), and checks what no
/// setting can tell by itself. @throws SettingsError if the token is too weak, or if there is none
/// although others than this machine can reach the server.
void complete_settings(Settings& settings);

}  // namespace search_server
