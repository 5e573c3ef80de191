#include "plugin/readers/folder/mail_reader.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "config/error.h"

namespace kindred {
namespace {

using OpenMails = MailReader*(int file, bool is_mailbox);

/// The path of the module, in a build tree as where it is installed.
std::string module_path() {
  Dl_info library = {};
  ::dladdr(::dlsym(RTLD_DEFAULT, "kindred_plugin"), &library);
  const std::string path = library.dli_fname == nullptr ? "" : library.dli_fname;
  return path.substr(0, path.rfind('/') + 1) + "kindred/mail.so";
}

/// Loads the module, which stays: GLib cannot be unloaded.
OpenMails* load_module() {
  void* const module = ::dlopen(module_path().c_str(), RTLD_NOW);
  void* const open = module == nullptr ? nullptr : ::dlsym(module, "kindred_open_mails");
  if (open == nullptr)
    throw Error(Errc::kUnsupported, std::string("cannot load what reads mails: ") + ::dlerror());
  return reinterpret_cast<OpenMails*>(open);
}

}  // namespace

std::unique_ptr<MailReader> open_mails(int file, bool is_mailbox) {
  static OpenMails* const open = load_module();
  // The reader closes a file of its own, and both have one position: it begins anew.
  ::lseek(file, 0, SEEK_SET);
  return std::unique_ptr<MailReader>(open(::fcntl(file, F_DUPFD_CLOEXEC, 3), is_mailbox));
}

}  // namespace kindred
