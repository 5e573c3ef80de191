#include "pages.h"

#include <functional>
#include <memory>
#include <string_view>

#include "embedded/web.h"

namespace search_server {
namespace {

constexpr std::string_view kPage = "index.html";
constexpr const char* kAddresses[] = {"/",      "/document", "/try",   "/explore", "/review",
                                      "/label", "/copies",   "/about", "/session"};

std::string media_type_of(std::string_view name) {
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "text/html; charset=utf-8";
}

/// The page, with addresses relative to where people see this server.
std::string with_base(std::string page, const std::string& base_path) {
  constexpr std::string_view kBase = "<base href=\"";
  const std::size_t at = page.find(kBase);
  if (at != std::string::npos) page.insert(at + kBase.size(), base_path);
  return page;
}

Handler file_handler(std::string_view name, std::string text) {
  Response file;
  file.type = media_type_of(name);
  file.headers.emplace_back("ETag", '"' + std::to_string(std::hash<std::string>()(text)) + '"');
  file.body = std::move(text);
  return [type = file.type, headers = file.headers, body = file.body](const Request&) {
    Response response;
    response.type = type;
    response.headers = headers;
    response.body = body;
    return response;
  };
}

}  // namespace

void add_pages(Router& router, const std::string& base_path) {
  for (const auto& [name, text] : kWebFiles) {
    if (name != kPage) {
      router.add("GET", "/web/" + std::string(name), file_handler(name, std::string(text)));
      continue;
    }
    for (const char* address : kAddresses) {
      router.add("GET", address, file_handler(name, with_base(std::string(text), base_path)));
    }
  }
}

}  // namespace search_server
