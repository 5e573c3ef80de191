#pragma once

#include <string>

namespace search_server {

/// What a status code is called, such as "Not Found"; "Error" for codes that the server never
/// sends.
std::string status_title(int status);

}  // namespace search_server
