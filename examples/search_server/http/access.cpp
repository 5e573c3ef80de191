#include "http/access.h"

#include <arpa/inet.h>
#include <kindred/analyzer/text/utf8.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace search_server {
namespace {

constexpr std::string_view kCookie = "kindred_session=";
constexpr std::chrono::hours kSession{12};
constexpr std::size_t kFormBytes = 8192;

/// A host without its port: "[::1]:80" is "::1". What is not well formed stays as it is.
std::string without_port(const std::string& host) {
  const bool has_brackets = host.starts_with('[');
  const std::size_t end = has_brackets ? host.find(']') : host.find(':');
  if (end == host.npos) return host;
  const std::string port = host.substr(end + (has_brackets ? 1 : 0));
  const bool is_good =
      port.empty() || (port[0] == ':' && port.find_first_not_of("0123456789", 1) == port.npos);
  if (!is_good) return host;
  return has_brackets ? host.substr(1, end - 1) : host.substr(0, end);
}

bool is_address(const std::string& host) {
  unsigned char buffer[16];
  return inet_pton(AF_INET, host.c_str(), buffer) == 1 ||
         inet_pton(AF_INET6, host.c_str(), buffer) == 1;
}

/// The value of the cookie of a session; "" if there is none.
std::string session_of(const Request& request) {
  const std::string cookies = "; " + request.header("cookie");
  const std::size_t at = cookies.find("; " + std::string(kCookie));
  if (at == std::string::npos) return {};
  const std::size_t begin = at + 2 + kCookie.size();
  return cookies.substr(begin, cookies.find(';', begin) - begin);
}

/// False if a browser says that a page of another site made the request.
bool is_same_origin(const Request& request) {
  const std::string site = request.header("sec-fetch-site");
  if (!site.empty() && site != "same-origin" && site != "none") return false;
  const std::string origin = request.header("origin");
  const std::size_t scheme = origin.find("://");
  return origin.empty() ||
         (scheme != std::string::npos && kindred::lower_ascii(origin.substr(scheme + 3)) ==
                                             kindred::lower_ascii(request.header("host")));
}

AccessSettings in_lower_case(AccessSettings settings) {
  for (std::string& host : settings.hosts) host = kindred::lower_ascii(host);
  return settings;
}

Problem wrong_token() {
  return Problem(401, "token-needed", "That is not the token of this server.")
      .with("WWW-Authenticate", "Bearer realm=\"kindred\", error=\"invalid_token\"");
}

/// 204 that gives the cookie of a session, or takes it away. A page that came by https gets one
/// that is sent by https only.
Response with_cookie(const Request& request, const std::string& value,
                     const std::string& base_path) {
  std::string cookie = std::string(kCookie) + value + "; Path=" + base_path + "/; HttpOnly";
  cookie += "; SameSite=Strict";
  if (value.empty()) cookie += "; Max-Age=0";
  if (request.header("origin").starts_with("https://")) cookie += "; Secure";
  return {.status = 204, .headers = {{"Set-Cookie", cookie}}};
}

}  // namespace

Access::Access(AccessSettings settings) : settings_(in_lower_case(std::move(settings))) {}

/// Takes a time that depends on the lengths only.
bool Access::is_token(std::string_view text) const {
  const std::string& token = settings_.token;
  volatile unsigned char difference = text.size() != token.size() || token.empty() ? 1 : 0;
  for (std::size_t i = 0; i < std::min(text.size(), token.size()); ++i)
    difference = static_cast<unsigned char>(difference | (text[i] ^ token[i]));
  return difference == 0;
}

void Access::admit(Request& request, const Route& route) const {
  constexpr std::string_view kScheme = "bearer ";
  const std::string given = request.header("authorization");
  {
    const std::lock_guard lock(mutex_);
    const auto session = sessions_.find(session_of(request));
    request.has_session = session != sessions_.end() && Clock::now() < session->second;
  }
  request.may_write = settings_.token.empty() ? request.is_local
                      : kindred::lower_ascii(given.substr(0, kScheme.size())) == kScheme
                          ? is_token(std::string_view(given).substr(kScheme.size()))
                          : request.has_session;
  const std::string host = kindred::lower_ascii(without_port(request.header("host")));
  const bool ours = host.empty() || host == "localhost" || is_address(host) ||
                    std::ranges::find(settings_.hosts, host) != settings_.hosts.end();
  const bool checks = settings_.token.empty() || settings_.is_local || !settings_.hosts.empty();
  if (!ours && checks) {
    throw Problem(421, "unknown-host",
                  "This server is not known as \"" + host +
                      "\"; its names are set by http.hosts in its settings.");
  }
  if (route.method != "GET" && !is_same_origin(request))
    throw Problem(403, "other-origin", "The request was made by a page of another site.");
  if (!route.options.writes || request.may_write) return;
  if (settings_.token.empty())
    throw Problem(403, "read-only",
                  "This server has no token, so only programs on its own machine may write.");
  if (!given.empty()) throw wrong_token();
  throw Problem(401, "token-needed",
                "This needs the token: the header \"Authorization: Bearer TOKEN\".")
      .with("WWW-Authenticate", "Bearer realm=\"kindred\"");
}

void Access::add_routes(Router& router, const std::string& base_path) {
  const RouteOptions form{.body_limit = kFormBytes};
  const auto begin = [this, base_path](const Request& request) {
    if (!is_token(first_value(request.form(), "token"))) throw wrong_token();
    const std::string session = random_hex(32);
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    std::erase_if(sessions_, [&](const auto& each) {
      return each.second <= now;
    });
    sessions_[session] = now + kSession;
    return with_cookie(request, session, base_path);
  };
  const auto end = [this, base_path](const Request& request) {
    const std::lock_guard lock(mutex_);
    sessions_.erase(session_of(request));
    return with_cookie(request, "", base_path);
  };
  router.add("POST", "/session", begin, form);
  router.add("POST", "/session/end", end, form);
}

}  // namespace search_server
