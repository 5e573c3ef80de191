#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "page/html/address.h"

namespace search_server {

/// The name of an element or an attribute, which stands in the source. Elements that hold programs
/// or styles do not compile, nor do attributes that hold either; nor do addresses, which are made
/// by link().
class Name {
 public:
  consteval Name(const char* text) : text_(text) {
    for (const char* bad : {"script", "style", "href", "src", "action", "formaction", "srcdoc"})
      if (text_ == bad) throw "this name is kept for the frame, or for addresses";
    if (text_.empty() || text_.starts_with("on")) throw "no programs in attributes";
    for (const char c : text_)
      if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '-')
        throw "a name has letters, digits and hyphens";
  }
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

/// A name and its value, or nothing.
class Attribute {
 public:
  Attribute(Name name, std::string_view value);
  Attribute(Name name, const std::string& value) : Attribute(name, std::string_view(value)) {}
  Attribute(Name name, const char* value) : Attribute(name, std::string_view(value)) {}
  /// An attribute without a value if `there`, else nothing.
  Attribute(Name name, bool there);
  Attribute(Name name, const std::optional<std::string>& value);
  const std::string& markup() const { return markup_; }

 private:
  friend Attribute link(const Address&);
  friend Attribute action(const Address&);
  friend Attribute place_on_page(Name);
  explicit Attribute(std::string markup) : markup_(std::move(markup)) {}
  std::string markup_;
};

Attribute link(const Address& address);    ///< href
Attribute action(const Address& address);  ///< of a form
Attribute place_on_page(Name id);          ///< href of the element with this id

/// A piece of a page that is well formed. Text becomes a piece by being escaped, and there is no
/// other way in, so what documents and people say is always shown as text.
class Html {
 public:
  Html() = default;
  Html(std::string_view text);
  Html(const std::string& text) : Html(std::string_view(text)) {}
  Html(const char* text) : Html(std::string_view(text)) {}

  Html& operator+=(const Html& other);
  bool empty() const { return markup_.empty(); }
  const std::string& markup() const { return markup_; }

 private:
  friend Html el(Name, std::initializer_list<Attribute>, std::initializer_list<Html>);
  friend Html document_of(const Address&, const Address&, const Address&, const Html&, const Html&);
  std::string markup_;
};

/// An element with its attributes and what it holds.
Html el(Name name, std::initializer_list<Attribute> attributes = {},
        std::initializer_list<Html> children = {});

/// A whole document: `head` follows the links to its style, script and icon.
Html document_of(const Address& style, const Address& script, const Address& icon, const Html& head,
                 const Html& body);

/// Text whose direction is its own, so that names in any script stay apart from what is beside
/// them.
Html isolated(std::string_view text);

/// Text for people only who do not see the page.
Html unseen(std::string_view text);

}  // namespace search_server
