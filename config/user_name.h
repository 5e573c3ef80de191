#pragma once

#include <sys/types.h>
#include <string>

namespace kindred {

/// The name of a user; of one that has none the number, behind `before_number`: sudo takes "#1000".
std::string user_name(uid_t user, const std::string& before_number = "");

}  // namespace kindred
