#include "plugin/file_stamp.h"

#include <sys/stat.h>

namespace kindred {

std::string file_stamp(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return "";
  return std::to_string(found.st_ino) + "-" + std::to_string(found.st_size) + "-" +
         std::to_string(found.st_mtim.tv_sec) + "." + std::to_string(found.st_mtim.tv_nsec);
}

}  // namespace kindred
