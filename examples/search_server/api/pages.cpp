// The page for people.

#include <functional>
#include <string_view>

#include "api/app.h"
#include "embedded/web.h"

namespace search_server {
namespace {

constexpr std::string_view kPage = "index.html";
constexpr const char* kAddresses[] = {"/",       "/document", "/try",    "/explore",
                                      "/review", "/label",    "/copies", "/about", "/history"};

std::string media_type_of(std::string_view name) {
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "text/html; charset=utf-8";
}

}  // namespace

void add_pages(Router& router) {
  for (const auto& [name, text] : kWebFiles) {
    const std::string etag = '"' + std::to_string(std::hash<std::string_view>()(text)) + '"';
    Response file{200, media_type_of(name), std::string(text), {{"ETag", etag}}};
    const auto handler = [file](const Request&) {
      return file;
    };
    router.add("GET", "/web/" + std::string(name), handler);
    for (const char* address : kAddresses)
      if (name == kPage) router.add("GET", address, handler);
  }
}

}  // namespace search_server
