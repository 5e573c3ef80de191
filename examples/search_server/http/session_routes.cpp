#include <string>

#include "http/access.h"
#include "http/encoding.h"

namespace search_server {
namespace {

constexpr std::size_t kFormBytes = 8192;

/// The header that gives the cookie of a session, or takes it away. A page that came by https gets
/// one that is sent by https only.
std::string cookie_header(const Request& request, const std::string& value) {
  std::string header =
      std::string(Access::kCookie) + "=" + value + "; Path=/; HttpOnly; SameSite=Strict";
  if (value.empty()) header += "; Max-Age=0";
  if (request.header("origin").substr(0, 8) == "https://") header += "; Secure";
  return header;
}

}  // namespace

void add_session_routes(Router& router, Access& access) {
  const RouteOptions form{.writes = false, .body_limit = kFormBytes, .unpooled = true};
  router.add(
      "POST", "/session",
      [&access](const Request& request) {
        const Parameters fields = form_parameters(request, kFormBytes);
        const std::string next = local_target(first_value(fields, "next"));
        if (!access.is_token(first_value(fields, "token"))) {
          return see_other("/session?failed=1&next=" + percent_encode(next));
        }
        Response response = see_other(next);
        response.headers.emplace_back("Set-Cookie", cookie_header(request, access.begin_session()));
        return response;
      },
      form);
  router.add(
      "POST", "/session/end",
      [&access](const Request& request) {
        access.end_session(request);
        Response response =
            see_other(local_target(first_value(form_parameters(request, kFormBytes), "next")));
        response.headers.emplace_back("Set-Cookie", cookie_header(request, ""));
        return response;
      },
      form);
}

}  // namespace search_server
