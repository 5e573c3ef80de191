#include "page/api_calls.h"

#include <utility>

#include "http/encoding.h"
#include "http/problem.h"

namespace search_server {
namespace {

class TextBody : public BodyReader {
 public:
  explicit TextBody(const std::string& text) : text_(text) {}
  bool read(std::string& to) override {
    if (ended_) return false;
    ended_ = true;
    to += text_;
    return !text_.empty();
  }

 private:
  const std::string& text_;
  bool ended_ = false;
};

const Route& allowed_route(const Router::Match& match, const Request& request) {
  if (match.route == nullptr)
    throw Problem(404, "not-available", "This server does not offer what this page shows.");
  if (match.route->options.writes && !request.may_write)
    throw Problem(401, "token-needed",
                  "Only who signs in with the server's token may change this.");
  return *match.route;
}

Json parsed(const Response& response) {
  Json answer = response.body.empty() ? Json() : Json::parse(response.body);
  if (response.status < 400) return answer;
  const std::string type = answer.value("type", "");
  throw Problem(response.status, type.substr(type.rfind(':') + 1), answer.value("detail", ""));
}

template <typename Call>
Json unless_refused(const Call& call) {
  try {
    return call();
  } catch (const Problem& problem) {
    if (problem.status() < 400 || problem.status() >= 500) throw;
    return nullptr;
  }
}

}  // namespace

Json ApiCalls::call(const std::string& method, const Address& address, const std::string& body,
                    const std::string& if_match) const {
  const std::string& target = address.text();
  const std::size_t question = target.find('?');
  Router::Match match = router_.match(method, target.substr(0, question));
  const Route& route = allowed_route(match, request_);
  Request inner;
  inner.method = method;
  inner.path = percent_decode(target.substr(0, question)).value_or("");
  inner.target = target;
  inner.captures = std::move(match.captures);
  if (question != std::string::npos) inner.query = parse_parameters(target.substr(question + 1));
  inner.headers["accept"] = "application/json";
  if (method == "POST") inner.headers["content-type"] = "application/json";
  inner.headers["content-length"] = std::to_string(body.size());
  if (!if_match.empty()) inner.headers["if-match"] = if_match;
  inner.id = request_.id;
  inner.may_write = request_.may_write;
  inner.deadline = request_.deadline;
  TextBody reader(body);
  inner.set_body(&reader);
  const Response response = route.handler(inner);
  request_.timings.xapian += inner.timings.xapian;
  request_.timings.plugin += inner.timings.plugin;
  return parsed(response);
}

Json ApiCalls::get(const Address& address) const { return call("GET", address, ""); }

Json ApiCalls::post(const Address& address, const Json& body, const std::string& if_match) const {
  return call("POST", address, body.dump(), if_match);
}

Json ApiCalls::remove(const Address& address) const { return call("DELETE", address, ""); }

Json ApiCalls::get_if_any(const Address& address) const {
  return unless_refused([&] { return get(address); });
}

Json ApiCalls::post_if_any(const Address& address, const Json& body) const {
  return unless_refused([&] { return post(address, body); });
}

}  // namespace search_server
