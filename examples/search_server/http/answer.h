#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "http/request.h"
#include "http/response.h"

struct MHD_Response;

namespace search_server {

struct DestroyResponse {
  void operator()(MHD_Response* response) const;
};
using ResponsePointer = std::unique_ptr<MHD_Response, DestroyResponse>;

/// Turns a 200 into a 304 if the client has what it would get (If-None-Match has its ETag).
void answer_not_modified(const Request& request, Response& response);

/// Gives `answer` the headers of `response`, and those that every answer has: its id, security,
/// what caches may do, and the times of the request. A header that holds a line break is left out.
void add_headers(MHD_Response* answer, const Request& request, const Response& response);

/// An answer with the body of `response`, which is taken from it. @throws std::bad_alloc
ResponsePointer make_answer(const Request& request, Response& response);

}  // namespace search_server
