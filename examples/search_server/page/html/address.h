#pragma once

#include <string>
#include <string_view>

namespace search_server {

/// A path that stands in the source, such as "/explore".
class Path {
 public:
  consteval Path(const char* text) : text_(text) {
    if (text_.empty() || text_[0] != '/' || text_.starts_with("//"))
      throw "a path begins with one slash";
  }
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

/// An address on this server: a path that the program names, and segments and parameters that may
/// hold anything, since they are percent-encoded. Links are made of these only, so no text of a
/// document can become a scheme or another host.
class Address {
 public:
  explicit Address(Path path) : text_(path.text()) {}

  /// Appends "/" and `segment`.
  Address below(std::string_view segment) const;
  Address with(std::string_view name, std::string_view value) const;

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool has_query_ = false;
};

}  // namespace search_server
