// Settings files: any bytes give either settings that pass their checks, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "config/error.h"
#include "config/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    const kindred::Settings settings = kindred::parse_settings(input, "settings.toml");
    kindred::check_settings(settings);
    if (kindred::settings_text(settings).empty()) std::abort();
  } catch (const kindred::Error&) {
  }
  return 0;
}
