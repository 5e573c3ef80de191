// The page for people.

#include <functional>
#include <string_view>
#include <utility>

#include "api/app.h"
#include "embedded/web.h"
#include "http/html.h"

namespace search_server {
namespace {

constexpr std::string_view kDocs = "docs.html";
constexpr std::string_view kPage = "index.html";
constexpr const char* kAddresses[] = {"/",      "/document", "/try",   "/explore", "/review",
                                      "/label", "/copies",   "/about", "/history"};

std::string media_type_of(std::string_view name) {
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "text/html; charset=utf-8";
}

/// Puts the name of the collection in, so that it is there before any script runs.
void name_page(std::string& page, const std::string& collection) {
  constexpr std::string_view kName = ">Kindred<";
  const std::string name = ">" + escaped_html(collection) + "<";
  for (std::size_t at = 0; (at = page.find(kName, at)) != page.npos; at += name.size())
    page.replace(at, kName.size(), name);
}

}  // namespace

void add_pages(Router& router, const std::string& collection) {
  for (const auto& [name, source] : kWebFiles) {
    std::string text(source);
    if (name == kPage) name_page(text, collection);
    const std::string etag = '"' + std::to_string(std::hash<std::string>()(text)) + '"';
    Response file{200, media_type_of(name), std::move(text), {{"ETag", etag}}};
    const auto handler = [file](const Request&) {
      return file;
    };
    router.add("GET", "/web/" + std::string(name), handler);
    if (name == kDocs) router.add("GET", "/docs", handler);
    for (const char* address : kAddresses)
      if (name == kPage) router.add("GET", address, handler);
  }
}

}  // namespace search_server
