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
  // [index], [[values]]
  std::string database;
  std::string library = "libkindred.so.0";
  std::string kindred_settings;  ///< a file; "": what the index remembers
  std::string name;              ///< of the collection; "": that of the database's folder
  bool create = false;
  bool auto_tune = true;
  std::vector<ValueSetting> values;

  // [http], [access]
  HttpSettings http;
  AccessSettings access;
  std::string token_file;

  // [limits]
  std::size_t document_bytes = 1 << 20;
  std::size_t ingest_bytes = 64 << 20;
  std::chrono::seconds stop{30};

  // [log]
  std::string log_file;
  LogLevel log_level = LogLevel::kInfo;
};

/// A setting that cannot be: names the file, line and key, or the flag, and what was expected.
class SettingsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Start { kServe, kCheckOnly, kNothing };

/// Reads the file that --settings names, then the flags, which go before it, and takes the token
/// from its file or from the environment (KINDRED_SERVER_TOKEN). Relative paths of a file are
/// relative to its folder. kNothing: help or the version was wanted, and is printed.
/// @throws SettingsError
Start read_settings(int count, const char* const* arguments, Settings& settings);

}  // namespace search_server
