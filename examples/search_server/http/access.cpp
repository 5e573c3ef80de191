#include "http/access.h"

#include <arpa/inet.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "http/encoding.h"
#include "http/problem.h"

namespace search_server {
namespace {

constexpr std::string_view kCookie = "kindred_session";
constexpr std::size_t kMostSessions = 1000;
constexpr std::chrono::hours kSession{12};
constexpr std::size_t kFormBytes = 8192;

/// A host without its port: "[::1]:80" is "::1".
std::string without_port(std::string_view host) {
  if (!host.empty() && host.front() == '[') {
    return std::string(host.substr(1, host.find(']') - 1));
  }
  return std::string(host.substr(0, host.find(':')));
}

bool is_address(const std::string& host) {
  unsigned char buffer[16];
  return inet_pton(AF_INET, host.c_str(), buffer) == 1 ||
         inet_pton(AF_INET6, host.c_str(), buffer) == 1;
}

/// The value of the cookie of a session; "" if there is none.
std::string session_of(const Request& request) {
  const std::string cookies = "; " + request.header("cookie");
  const std::string name = "; " + std::string(kCookie) + "=";
  const std::size_t at = cookies.find(name);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size();
  return cookies.substr(begin, cookies.find(';', begin) - begin);
}

/// False if a browser says that a page of another site made the request.
bool is_same_origin(const Request& request) {
  const std::string site = request.header("sec-fetch-site");
  if (!site.empty() && site != "same-origin" && site != "none") return false;
  const std::string origin = request.header("origin");
  if (origin.empty()) return true;
  const std::size_t scheme = origin.find("://");
  return scheme != std::string::npos &&
         lower_ascii(origin.substr(scheme + 3)) == lower_ascii(request.header("host"));
}

/// True if both are equal. The time depends on their lengths only.
bool equal_in_constant_time(std::string_view left, std::string_view right) {
  volatile unsigned char difference = left.size() == right.size() ? 0 : 1;
  const std::size_t size = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < size; ++i) {
    difference = static_cast<unsigned char>(difference | (left[i] ^ right[i]));
  }
  return difference == 0;
}

/// The header that gives the cookie of a session, or takes it away. A page that came by https gets
/// one that is sent by https only.
std::pair<std::string, std::string> cookie_header(const Request& request, const std::string& value,
                                                  const std::string& base_path) {
  std::string header =
      std::string(kCookie) + "=" + value + "; Path=" + base_path + "/; HttpOnly; SameSite=Strict";
  if (value.empty()) header += "; Max-Age=0";
  if (request.header("origin").starts_with("https://")) header += "; Secure";
  return {"Set-Cookie", header};
}

}  // namespace

std::string random_hex(std::size_t bytes) {
  std::string random(bytes, '\0');
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = getrandom(random.data() + done, bytes - done, 0);
    if (got < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "random bytes");
    }
    done += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string hex;
  for (const char c : random) {
    const auto byte = static_cast<unsigned char>(c);
    hex.append({kHex[byte >> 4], kHex[byte & 15]});
  }
  return hex;
}

bool Access::is_token(std::string_view token) const {
  return !settings_.token.empty() && equal_in_constant_time(token, settings_.token);
}

bool Access::may_write(const Request& request) const {
  if (settings_.token.empty()) return request.is_local;
  const std::string authorization = request.header("authorization");
  constexpr std::string_view kScheme = "bearer ";
  if (lower_ascii(authorization.substr(0, kScheme.size())) == kScheme) {
    return is_token(std::string_view(authorization).substr(kScheme.size()));
  }
  return has_session(session_of(request));
}

void Access::check(const Request& request, const Route& route) const {
  const std::string given = request.header("host");
  const std::string host = lower_ascii(without_port(given));
  const bool ours =
      given.empty() || host == "localhost" || is_address(host) ||
      std::find(settings_.hosts.begin(), settings_.hosts.end(), host) != settings_.hosts.end();
  if (!ours && (settings_.token.empty() || !settings_.hosts.empty())) {
    throw Problem(421, "unknown-host",
                  "This server is not known as \"" + host +
                      "\"; its names are set by http.hosts in its settings.");
  }
  if (route.method != "GET" && !is_same_origin(request)) {
    throw Problem(403, "other-origin", "The request was made by a page of another site.");
  }
  if (!route.options.writes || request.may_write) return;
  if (settings_.token.empty()) {
    throw Problem(403, "read-only",
                  "This server has no token, so only programs on its own machine may write.");
  }
  const bool tried = !request.header("authorization").empty();
  throw Problem(401, "token-needed",
                tried ? "The token in the header Authorization is not the one of this server."
                      : "This needs the token: the header \"Authorization: Bearer TOKEN\".")
      .with("WWW-Authenticate", tried ? "Bearer realm=\"kindred\", error=\"invalid_token\""
                                      : "Bearer realm=\"kindred\"");
}

std::string Access::begin_session() {
  std::string value = random_hex(32);
  const std::lock_guard lock(mutex_);
  if (sessions_.size() == kMostSessions) sessions_.pop_front();
  sessions_.push_back({value, Clock::now() + kSession});
  return value;
}

bool Access::has_session(std::string_view value) const {
  if (value.empty()) return false;
  const std::lock_guard lock(mutex_);
  while (!sessions_.empty() && sessions_.front().end <= Clock::now()) sessions_.pop_front();
  bool found = false;
  for (const Session& session : sessions_) found |= equal_in_constant_time(value, session.value);
  return found;
}

void Access::end_session(const Request& request) {
  const std::string value = session_of(request);
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [&](const Session& session) { return session.value == value; });
}

void add_session_routes(Router& router, Access& access, const std::string& base_path) {
  const RouteOptions form{.body_limit = kFormBytes};
  const auto begin = [&access, base_path](const Request& request) {
    const Parameters fields = request.form();
    const std::string next = local_target(first_value(fields, "next"));
    if (!access.is_token(first_value(fields, "token"))) {
      return see_other("/session?failed=1&next=" + percent_encode(next));
    }
    Response response = see_other(next);
    response.headers.push_back(cookie_header(request, access.begin_session(), base_path));
    return response;
  };
  const auto end = [&access, base_path](const Request& request) {
    access.end_session(request);
    Response response = see_other(local_target(first_value(request.form(), "next")));
    response.headers.push_back(cookie_header(request, "", base_path));
    return response;
  };
  router.add("POST", "/session", begin, form);
  router.add("POST", "/session/end", end, form);
}

}  // namespace search_server
