#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/body_reader.h"
#include "http/timings.h"

namespace search_server {

/// Names and values of a query or a form, decoded, in the order of the request. All are valid
/// UTF-8.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// The first value of a parameter, or "".
std::string first_value(const Parameters& parameters, std::string_view name);

/// A request whose head has arrived. Belongs to one thread at a time.
struct Request {
  std::string method;  ///< "GET", "POST", "PUT" or "DELETE"; HEAD arrives as GET
  std::string path;    ///< decoded, begins with "/"
  std::string target;  ///< path and query as they came, for links and logs
  std::map<std::string, std::string, std::less<>> captures;  ///< of the route: {id}, decoded
  Parameters query;
  std::map<std::string, std::string, std::less<>> headers;  ///< names in lower case
  std::string id;  ///< X-Request-Id: the client's if it is well formed, else made by the server
  bool may_write = false;                          ///< it has the token, or the server needs none
  std::chrono::steady_clock::time_point deadline;  ///< after which the answer is of no use
  mutable Timings timings;                         ///< handlers add to it

  /// The first value of a parameter. Nothing if there is none.
  std::optional<std::string> parameter(std::string_view name) const;
  /// All values of a parameter, in order.
  std::vector<std::string> parameters(std::string_view name) const;
  /// A header, by its name in lower case; "" if there is none.
  std::string header(std::string_view name) const;

  /// Whole and real numbers with their ranges. @throws Problem 400 that names the parameter, what
  /// it was and what was expected.
  std::int64_t integer(std::string_view name, std::int64_t otherwise, std::int64_t least,
                       std::int64_t most) const;
  double number(std::string_view name, double otherwise, double least, double most) const;
  /// "1" or "true", "0" or "false". @throws as integer().
  bool flag(std::string_view name, bool otherwise) const;

  BodyReader& body() const { return *body_; }
  void set_body(BodyReader* body) { body_ = body; }

 private:
  BodyReader* body_ = nullptr;
};

}  // namespace search_server
