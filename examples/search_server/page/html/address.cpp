#include "page/html/address.h"

#include "http/encoding.h"

namespace search_server {

Address Address::below(std::string_view segment) const {
  Address address = *this;
  address.text_ += '/' + percent_encode(segment);
  return address;
}

Address Address::with(std::string_view name, std::string_view value) const {
  Address address = *this;
  address.text_ += has_query_ ? '&' : '?';
  address.text_ += percent_encode(name) + '=' + percent_encode(value);
  address.has_query_ = true;
  return address;
}

}  // namespace search_server
