#include "plugin/current_handle.h"

#include <utility>

namespace search_server {

std::shared_ptr<const Handle> CurrentHandle::open(std::shared_ptr<const Library> library) const {
  return std::make_shared<const Handle>(std::move(library), options_);
}

void CurrentHandle::set(std::shared_ptr<const Handle> handle) {
  current_.store(std::move(handle));
  ++set_;
}

}  // namespace search_server
