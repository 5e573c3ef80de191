#include "plugin/library.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace search_server {
namespace {

/// Where the dynamic linker finds a library without a slash in its name.
std::string found_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  link_map* map = nullptr;
  const std::string path = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : name;
  dlclose(library);
  return path;
}

std::string name_of(int copy) { return "/proc/self/fd/" + std::to_string(copy); }

/// What is wrong with the library; "": nothing.
std::string fault_of(const kindred_descriptor* functions) {
  const auto differ = [](const char* what, auto expected, auto found) {
    return std::string("expected ") + what + " " + std::to_string(expected) + ", found " +
           std::to_string(found);
  };
  if (functions->abi_version != KINDRED_ABI_VERSION)
    return differ("ABI version", KINDRED_ABI_VERSION, functions->abi_version);
  if (functions->size >= sizeof(kindred_descriptor)) return "";
  return "version " + std::string(functions->version) + " is older than this server: " +
         differ("a descriptor of bytes", sizeof(kindred_descriptor), functions->size);
}

}  // namespace

Library::Library(const std::string& given) : copy_(memfd_create("libkindred", MFD_CLOEXEC)) {
  const std::string path = found_path(given);
  std::string fault;
  std::ifstream file(path, std::ios::binary);
  if (!file || !(std::ofstream(name_of(copy_), std::ios::binary) << file.rdbuf())) {
    fault = "cannot read the library";
  } else if (library_ = dlopen(name_of(copy_).c_str(), RTLD_NOW | RTLD_LOCAL);
             library_ == nullptr) {
    fault = dlerror();
  } else if (void* found = dlsym(library_, "kindred_plugin"); found == nullptr) {
    fault = "expected a library with kindred_plugin()";
  } else {
    functions_ = reinterpret_cast<const kindred_descriptor* (*)()>(found)();
    fault = fault_of(functions_);
  }
  if (fault.empty()) return;
  if (library_ != nullptr) dlclose(library_);
  close(copy_);
  throw std::runtime_error(path + ": " + fault);
}

Library::~Library() {
  dlclose(library_);
  // The linker knows a library by its name. Where it keeps the library nevertheless, its name stays
  // taken.
  if (void* kept = dlopen(name_of(copy_).c_str(), RTLD_NOLOAD | RTLD_LAZY)) {
    dlclose(kept);
  } else {
    close(copy_);
  }
}

}  // namespace search_server
