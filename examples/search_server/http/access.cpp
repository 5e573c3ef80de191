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

constexpr std::size_t kMostSessions = 1000;

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

/// The value of a cookie; "" if there is none.
std::string_view cookie(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    std::string_view part = header.substr(0, header.find(';'));
    header.remove_prefix(std::min(header.size(), part.size() + 1));
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    if (part.size() > name.size() && part.substr(0, name.size()) == name &&
        part[name.size()] == '=') {
      return part.substr(name.size() + 1);
    }
  }
  return {};
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

}  // namespace

bool equal_in_constant_time(std::string_view left, std::string_view right) {
  volatile unsigned char difference = left.size() == right.size() ? 0 : 1;
  const std::size_t size = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < size; ++i) {
    difference = static_cast<unsigned char>(difference | (left[i] ^ right[i]));
  }
  return difference == 0;
}

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
  if (settings_.token.empty()) return true;
  const std::string authorization = request.header("authorization");
  constexpr std::string_view kScheme = "bearer ";
  if (lower_ascii(authorization.substr(0, kScheme.size())) == kScheme) {
    return is_token(std::string_view(authorization).substr(kScheme.size()));
  }
  return has_session(cookie(request.header("cookie"), kCookie));
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
  sessions_.push_back({value, Clock::now() + settings_.session});
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
  const std::string header = request.header("cookie");
  const std::string_view value = cookie(header, kCookie);
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [&](const Session& session) { return session.value == value; });
}

}  // namespace search_server
