#include "config/device_list.h"

#include <charconv>
#include <system_error>

namespace kindred {

std::optional<DeviceList> parse_device_list(std::string_view text) {
  if (text == kAllDevices) return DeviceList{true, {}};

  DeviceList devices;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    // from_chars() takes neither signs other than a minus nor spaces.
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return {};

    devices.numbers.push_back(number);
    if (stop == end) return devices;
    if (*stop != ',') return {};
    at = stop + 1;
  }
}

}  // namespace kindred
