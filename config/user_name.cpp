#include "config/user_name.h"

#include <pwd.h>
#include <cstddef>
#include <vector>

namespace kindred {

std::string user_name(uid_t user, const std::string& before_number) {
  std::vector<char> bytes(std::size_t{16} << 10);
  passwd entry{};
  passwd* found = nullptr;

  const int fault = ::getpwuid_r(user, &entry, bytes.data(), bytes.size(), &found);
  if (fault == 0 && found != nullptr) return entry.pw_name;
  return before_number + std::to_string(user);
}

}  // namespace kindred
