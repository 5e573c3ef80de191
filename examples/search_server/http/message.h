#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace search_server {

/// Names and values, in the order in which they came.
using Pairs = std::vector<std::pair<std::string, std::string>>;
/// Names in lower case. Those that are there twice are one, with ", " between the values.
using Headers = std::map<std::string, std::string, std::less<>>;

/// A request that has arrived as a whole. Belongs to the thread of its connection.
struct Request {
  std::string method;
  std::string path;     ///< decoded, begins with "/", without http.base_path
  std::string target;   ///< path and query as they came, for links and logs
  std::string capture;  ///< the segment of the path at the braces of the route, decoded
  Pairs query;          ///< decoded, in UTF-8
  Headers headers;
  std::string id;    ///< X-Request-Id: the client's if it is well formed, else made by the server
  std::string body;  ///< at most as long as the route allows
  bool is_local = false;     ///< by a program of this machine, and not passed on by a proxy
  bool may_write = false;    ///< it has the token; or there is none, and it is local
  bool has_session = false;  ///< its cookie is that of a session
  std::chrono::steady_clock::time_point deadline;  ///< after which the answer is of no use
  /// False when nobody waits for the answer any more: the deadline is over, the client has left, or
  /// the server stops. Costs little, so work asks it often, and ends.
  std::function<bool()> is_wanted;
  mutable double plugin_seconds = 0;  ///< in calls of the plugin: handlers add to it

  /// A header, by its name in lower case; "" if there is none.
  std::string header(std::string_view name) const;
  /// The languages that the client asks for, such as "de", the best first; at most three.
  std::vector<std::string> languages() const;
  /// The parameters of a body that is a form. @throws Problem 415 if it is none, 400.
  Pairs form() const;
};

/// Adds the time between its construction and its destruction to a sum:
/// `const TimeSpent spent(request.plugin_seconds);`
class TimeSpent {
 public:
  explicit TimeSpent(double& seconds) : seconds_(seconds) {}
  ~TimeSpent() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }
  TimeSpent(const TimeSpent&) = delete;
  TimeSpent& operator=(const TimeSpent&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// An answer. Targets in Location are those of this server, without http.base_path.
struct Response {
  int status = 200;
  std::string type = {};  ///< the media type, with its charset if it is text
  std::string body = {};
  Pairs headers = {};  ///< further ones
};

/// JSON in UTF-8.
Response json_response(std::string json, int status = 200);

/// A refusal that the client is told, as RFC 9457 has it. Thrown by handlers.
class Problem : public std::runtime_error {
 public:
  /// `type` names the kind for programs, such as "document-not-found"; `detail` is a sentence for
  /// people, which names what was wrong and what was expected. Of a long one (it may quote what the
  /// client sent) the beginning is told.
  Problem(int status, std::string type, const std::string& detail)
      : std::runtime_error(detail), status_(status), type_(std::move(type)) {}

  /// Adds a header of the answer, such as Retry-After.
  Problem& with(std::string header, std::string value);
  int status() const { return status_; }

  /// An object with the members type, title, status, detail, instance, request_id.
  nlohmann::ordered_json json(const std::string& instance, const std::string& request_id) const;
  /// The same as application/problem+json.
  Response response(const std::string& instance, const std::string& request_id) const;

 private:
  int status_;
  std::string type_;
  Pairs headers_;
};

/// "Not Found" for 404.
std::string reason_phrase(int status);

/// The beginning of a text of UTF-8, if it has more than `most` bytes; then "..." follows.
std::string shortened(std::string text, std::size_t most);

/// 413, for a body of more than `limit` bytes; 0: one where none is taken.
Problem body_too_large(std::size_t limit);

/// Whether a header If-None-Match lists the tag, or any.
bool lists_tag(const std::string& list, const std::string& tag);

/// The same for If-Match, to which a tag that is marked as weak says nothing.
bool lists_strong_tag(std::string list, const std::string& tag);

/// The first value of this name, or "".
std::string first_value(const Pairs& pairs, std::string_view name);

/// `bytes` random bytes of the system, as hexadecimal digits.
/// @throws std::runtime_error if the system gives none, as of more than 256.
std::string random_hex(std::size_t bytes);

/// "%41" becomes "A". A "%" without two hexadecimal digits stays.
std::string percent_decode(std::string text);
/// What is to be one segment of a path.
std::string percent_encode(std::string_view text);

/// The parameters of a query or of a form (application/x-www-form-urlencoded), decoded.
/// @throws Problem 400 for those that are not UTF-8.
Pairs parse_parameters(std::string_view text);

}  // namespace search_server
