#pragma once

#include <kindred/kindred.h>

#include <stdexcept>
#include <string>

namespace search_server {

/// A call of the library that failed, with its sentence on what went wrong.
class PluginError : public std::runtime_error {
 public:
  PluginError(kindred_errc code, const std::string& text) : std::runtime_error(text), code_(code) {}

  kindred_errc code() const { return code_; }

 private:
  kindred_errc code_;
};

}  // namespace search_server
