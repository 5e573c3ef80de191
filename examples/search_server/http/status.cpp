#include "http/status.h"

#include <microhttpd.h>

namespace search_server {

std::string status_title(int status) {
  const char* phrase = MHD_get_reason_phrase_for(static_cast<unsigned>(status));
  return phrase == nullptr || status < 200 ? "Error" : phrase;
}

}  // namespace search_server
