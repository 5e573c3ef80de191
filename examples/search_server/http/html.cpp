#include "http/html.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

namespace search_server {
namespace {

/// {0}: the title; {1}: the base path; {2}: the detail; {3}: the id of the request.
constexpr std::string_view kProblemPage = R"(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>{0} – Kindred</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="{1}/web/icon.svg">
<link rel="stylesheet" href="{1}/web/style.css">
<header><a class="brand" href="{1}/">Kindred</a></header>
<main>
  <h1>{0}</h1>
  <div class="empty">
    <p class="empty-head">{2}</p>
    <p><a href="{1}/">To the first page</a></p>
    <p class="small">In the log of the server, this is the request {3}.</p>
  </div>
</main>
)";

/// The quality, 0 to 1, that a header Accept gives to a type; 0 if it does not name it.
double quality_of(const std::string& accept, std::string_view type) {
  std::istringstream ranges(accept);
  for (std::string range; std::getline(ranges, range, ',');) {
    std::erase(range, ' ');
    if (range.substr(0, range.find(';')) != type) continue;
    const std::size_t quality = range.find(";q=");
    return quality == range.npos ? 1 : std::strtod(range.c_str() + quality + 3, nullptr);
  }
  return 0;
}

}  // namespace

std::string escaped_html(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

bool prefers_html(const Request& request) {
  const std::string accept = request.header("accept");
  const double json = std::max(quality_of(accept, "application/json"),
                               quality_of(accept, "application/problem+json"));
  return quality_of(accept, "text/html") > json;
}

Response problem_page(Response problem, const std::string& base_path) {
  const auto json = nlohmann::json::parse(problem.body);
  const auto text = [&](const char* key) {
    return escaped_html(json[key].get<std::string>());
  };
  problem.type = "text/html; charset=utf-8";
  problem.body = fmt::format(kProblemPage, text("title"), escaped_html(base_path), text("detail"),
                             text("request_id"));
  return problem;
}

}  // namespace search_server
