#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/api.h"

namespace kindred {

/// CUDA devices.
struct DeviceList {
  bool all = false;                   ///< that the machine has
  std::vector<std::int64_t> numbers;  ///< from 0; one may be named several times. Empty: the first
  friend bool operator==(const DeviceList&, const DeviceList&) = default;
};

/// The text that stands for all devices.
inline constexpr std::string_view kAllDevices = "all";

/// "all", or numbers with commas between them, such as "0,1"; nothing if it is neither.
KINDRED_API std::optional<DeviceList> parse_device_list(std::string_view text);

}  // namespace kindred
