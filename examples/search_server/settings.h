#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

#include "api/app.h"
#include "http/server.h"

namespace search_server {

/// What the operator wants; kindred-server.toml says what each setting is for.
struct Settings {
  AppOptions app;  ///< [index], [[values]], [limits]
  HttpSettings http;
  AccessSettings access;
  std::string token_file;
  std::chrono::seconds stop{30};  ///< so long requests in flight have to end
  std::string log_file;
  std::string log_level = "info";
};

/// A setting that cannot be: names the file, line and key, or the flag, and what was expected.
class SettingsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads the file that --settings names, then the flags, which override it, and takes the token
/// from its file or from the environment (KINDRED_SERVER_TOKEN). Relative paths of a file are
/// relative to its folder. False if nothing is to be served: with --check, and where help or the
/// version was wanted, and is printed.
/// @throws SettingsError
bool read_settings(int count, const char* const* arguments, Settings& settings);

}  // namespace search_server
