#include "plugin/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace search_server {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& fault) {
  throw std::runtime_error(path + ": " + fault);
}

[[noreturn]] void refuse_system(const std::string& path, const char* deed) {
  refuse(path, std::string(deed) + ": " + std::strerror(errno));
}

/// Where the dynamic linker finds a library without a slash in its name.
std::string found_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  link_map* map = nullptr;
  std::string path = name;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0) path = map->l_name;
  dlclose(library);
  return path;
}

/// A copy of the file in memory. The caller closes it.
int copy_of(const std::string& path) {
  const int from = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) refuse_system(path, "cannot open the library");
  const int to = memfd_create("libkindred", MFD_CLOEXEC);
  struct stat file {};
  bool copied = to >= 0 && fstat(from, &file) == 0;
  while (copied && lseek(from, 0, SEEK_CUR) < file.st_size) {
    copied = sendfile(to, from, nullptr, static_cast<std::size_t>(file.st_size)) > 0;
  }
  const int error = errno;
  close(from);
  if (copied) return to;
  if (to >= 0) close(to);
  errno = error;
  refuse_system(path, "cannot copy the library");
}

std::string name_of(int copy) { return "/proc/self/fd/" + std::to_string(copy); }

const kindred_descriptor* checked(void* library, const std::string& path) {
  using Descriptor = const kindred_descriptor* (*)();
  const auto descriptor = reinterpret_cast<Descriptor>(dlsym(library, "kindred_plugin"));
  if (descriptor == nullptr) refuse(path, "expected a library with kindred_plugin()");
  const kindred_descriptor* functions = descriptor();
  if (functions->abi_version != KINDRED_ABI_VERSION) {
    refuse(path, "expected ABI version " + std::to_string(KINDRED_ABI_VERSION) + ", found " +
                     std::to_string(functions->abi_version));
  }
  if (functions->size < sizeof(kindred_descriptor)) {
    refuse(path, "version " + std::string(functions->version) + " is older than this server: its " +
                     "descriptor has " + std::to_string(functions->size) + " bytes, expected " +
                     std::to_string(sizeof(kindred_descriptor)));
  }
  return functions;
}

}  // namespace

Library::Library(const std::string& path) : path_(found_path(path)), copy_(copy_of(path_)) {
  // The linker knows a library by its name. This one is unique while the copy is open.
  library_ = dlopen(name_of(copy_).c_str(), RTLD_NOW | RTLD_LOCAL);
  try {
    if (library_ == nullptr) refuse(path_, dlerror());
    functions_ = checked(library_, path_);
  } catch (...) {
    if (library_ != nullptr) dlclose(library_);
    close(copy_);
    throw;
  }
}

Library::~Library() {
  dlclose(library_);
  // Where the linker keeps the library nevertheless, its name stays taken.
  if (void* kept = dlopen(name_of(copy_).c_str(), RTLD_NOLOAD | RTLD_LAZY)) {
    dlclose(kept);
  } else {
    close(copy_);
  }
}

}  // namespace search_server
