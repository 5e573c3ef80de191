#pragma once

#include "http/request.h"
#include "http/router.h"
#include "page/html/address.h"
#include "page/html/page_context.h"

namespace search_server {

/// Asks the routes of this server for JSON as a program would, but without the network: in the
/// thread of a page's request, within its deadline and with its rights. What Xapian and the plugin
/// take is added to the request's timings.
class ApiCalls {
 public:
  /// Both must outlive this.
  ApiCalls(const Router& router, const Request& request) : router_(router), request_(request) {}

  /// @throws Problem as the route does.
  Json get(const Address& address) const;
  /// `if_match`: an ETag, or "". @throws Problem as the route does; 401 if it writes and the
  /// request may not.
  Json post(const Address& address, const Json& body, const std::string& if_match = "") const;
  Json remove(const Address& address) const;

  /// As get() and post(), but null where the route answers with a problem of the client (4xx), such
  /// as a document that cannot be classified.
  Json get_if_any(const Address& address) const;
  Json post_if_any(const Address& address, const Json& body) const;

 private:
  Json call(const std::string& method, const Address& address, const std::string& body,
            const std::string& if_match = "") const;

  const Router& router_;
  const Request& request_;
};

}  // namespace search_server
