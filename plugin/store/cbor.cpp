#include "plugin/store/cbor.h"

#include <cstddef>
#include <stdexcept>

namespace kindred {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostDepth = 16;

/// Stops a parser in an array or object that is too deep.
class DepthLimit final : public nlohmann::json_sax<Json> {
 public:
  bool is_exceeded() const { return depth_ > kMostDepth; }

  bool start_object(std::size_t /*size*/) override { return enter(); }
  bool start_array(std::size_t /*size*/) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(std::int64_t /*value*/) override { return true; }
  bool number_unsigned(std::uint64_t /*value*/) override { return true; }
  bool number_float(double /*value*/, const std::string& /*text*/) override { return true; }
  bool string(std::string& /*value*/) override { return true; }
  bool binary(Json::binary_t& /*value*/) override { return true; }
  bool key(std::string& /*value*/) override { return true; }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const Json::exception& /*error*/) override {
    return false;
  }

 private:
  bool enter() {
    ++depth_;
    return depth_ <= kMostDepth;
  }
  bool leave() {
    --depth_;
    return true;
  }

  std::size_t depth_ = 0;
};

}  // namespace

Json parse_cbor(const std::string& bytes) {
  DepthLimit limit;
  // Once without building anything, by a parser that stops where it is too deep.
  static_cast<void>(Json::sax_parse(bytes, &limit, Json::input_format_t::cbor));
  if (limit.is_exceeded())
    throw std::runtime_error("nested deeper than " + std::to_string(kMostDepth));

  return Json::from_cbor(bytes);
}

std::string serialized(const Json& json) {
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes;
}

}  // namespace kindred
