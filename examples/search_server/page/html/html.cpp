#include "page/html/html.h"

#include <algorithm>
#include <array>

namespace search_server {
namespace {

/// Control characters, which no page may hold, become U+FFFD.
void append_escaped(std::string& to, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        to += "&amp;";
        break;
      case '<':
        to += "&lt;";
        break;
      case '>':
        to += "&gt;";
        break;
      case '"':
        to += "&quot;";
        break;
      case '\'':
        to += "&#39;";
        break;
      default:
        if ((c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == '\x7f') {
          to += "\xef\xbf\xbd";
        } else {
          to += c;
        }
    }
  }
}

bool is_void(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kVoid = {"br",   "hr",   "img", "input",
                                                            "link", "meta", "wbr"};
  return std::find(kVoid.begin(), kVoid.end(), name) != kVoid.end();
}

std::string attribute_markup(std::string_view name, std::string_view value) {
  std::string markup = " ";
  markup.append(name).append("=\"");
  append_escaped(markup, value);
  return markup += '"';
}

}  // namespace

Attribute::Attribute(Name name, std::string_view value)
    : markup_(attribute_markup(name.text(), value)) {}

Attribute::Attribute(Name name, bool there) {
  if (there) markup_.append(" ").append(name.text());
}

Attribute::Attribute(Name name, const std::optional<std::string>& value) {
  if (value) markup_ = attribute_markup(name.text(), *value);
}

Attribute link(const Address& address) {
  return Attribute(attribute_markup("href", address.text()));
}

Attribute action(const Address& address) {
  return Attribute(attribute_markup("action", address.text()));
}

Attribute place_on_page(Name id) {
  std::string target = "#";
  return Attribute(attribute_markup("href", target.append(id.text())));
}

Html::Html(std::string_view text) { append_escaped(markup_, text); }

Html& Html::operator+=(const Html& other) {
  markup_ += other.markup_;
  return *this;
}

Html el(Name name, std::initializer_list<Attribute> attributes,
        std::initializer_list<Html> children) {
  Html html;
  std::string& markup = html.markup_;
  markup.append("<").append(name.text());
  for (const Attribute& attribute : attributes) markup += attribute.markup();
  markup += '>';
  for (const Html& child : children) markup += child.markup();
  if (!is_void(name.text())) markup.append("</").append(name.text()).append(">");
  return html;
}

Html document_of(const Address& style, const Address& script, const Address& icon, const Html& head,
                 const Html& body) {
  Html html;
  html.markup_ =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<link rel=\"stylesheet\"" +
      link(style).markup() + "><link rel=\"icon\" type=\"image/svg+xml\"" + link(icon).markup() +
      "><script defer" + attribute_markup("src", script.text()) + "></script>" + head.markup() +
      "</head>" + body.markup() + "</html>\n";
  return html;
}

Html isolated(std::string_view text) { return el("bdi", {}, {text}); }

Html unseen(std::string_view text) { return el("span", {{"class", "unseen"}}, {text}); }

}  // namespace search_server
