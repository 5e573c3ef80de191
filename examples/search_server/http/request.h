#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace search_server {

/// Names and values of a query or a form, decoded, in the order of the request. All are UTF-8.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// The first value of a parameter, or "".
std::string first_value(const Parameters& parameters, std::string_view name);

/// Where the time of a request went, in seconds.
struct Timings {
  double xapian = 0;  ///< in calls of Xapian
  double plugin = 0;  ///< in calls of the plugin
};

/// A request that has arrived as a whole. Belongs to the thread of its connection.
struct Request {
  std::string method;  ///< "GET", "POST", "PUT" or "DELETE"; HEAD arrives as GET
  std::string path;    ///< decoded, begins with "/", without http.base_path
  std::string target;  ///< path and query as they came, for links and logs
  std::map<std::string, std::string, std::less<>> captures;  ///< of the route: {id}, decoded
  Parameters query;
  std::map<std::string, std::string, std::less<>> headers;  ///< names in lower case
  std::string id;    ///< X-Request-Id: the client's if it is well formed, else made by the server
  std::string body;  ///< at most as long as the route allows
  bool is_local = false;   ///< by a program of this machine, and not passed on by a proxy
  bool may_write = false;  ///< it has the token; or there is none, and it is local
  std::chrono::steady_clock::time_point deadline;  ///< after which the answer is of no use
  mutable Timings timings;                         ///< handlers add to it

  /// A header, by its name in lower case; "" if there is none.
  std::string header(std::string_view name) const;
  /// The parameters of a body that is a form. @throws Problem 415 if it is none, 400.
  Parameters form() const;
};

/// Adds the time between its construction and its destruction to a sum:
/// `const TimeSpent spent(request.timings.xapian);`
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

}  // namespace search_server
