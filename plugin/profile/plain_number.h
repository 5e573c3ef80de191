#pragma once

#include <string>
#include <string_view>

namespace kindred {

/// A number as setting_text() writes it, from one of a host whose locale has a decimal comma
/// ("0,5") or groups digits ("1.000"), or with more digits than it needs. Other values stay as they
/// are. No setting that shapes an index is a fraction above 1, so "1,234" is a whole number.
std::string plain_number(std::string_view value);

}  // namespace kindred
