#pragma once

#include <string>

#include "http/message.h"

namespace search_server {

/// A text as HTML, also inside of quotes.
std::string escaped_html(const std::string& text);

/// True if the header Accept of a request prefers HTML to JSON, as that of a browser does where
/// somebody opens an address.
bool prefers_html(const Request& request);

/// A problem, as Problem::response() has made it, as a page with the same status and headers.
/// `base_path`: what a proxy has before all paths.
Response problem_page(Response problem, const std::string& base_path);

}  // namespace search_server
