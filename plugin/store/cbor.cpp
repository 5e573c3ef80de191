#include "plugin/store/cbor.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace kindred {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostDepth = 16;

/// Builds a value of what a parser meets, and stops the parser in an array or object that is too
/// deep.
class ValueBuilder final : public nlohmann::json_sax<Json> {
 public:
  Json take() { return std::move(whole_); }
  const std::string& fault() const { return fault_; }

  bool start_object(std::size_t /*size*/) override { return enter(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return enter(Json::array()); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string& /*text*/) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t& value) override { return add(Json::binary(std::move(value))); }

  bool key(std::string& value) override {
    key_ = std::move(value);
    return true;
  }

  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const Json::exception& error) override {
    fault_ = error.what();
    return false;
  }

 private:
  /// Puts a value behind the others of the innermost array or object, and says where it is.
  Json& put(Json value) {
    if (open_.empty()) {
      whole_ = std::move(value);
      return whole_;
    }

    Json& around = *open_.back();
    if (around.is_array()) return around.emplace_back(std::move(value));
    Json& member = around[key_];
    member = std::move(value);
    return member;
  }

  bool add(Json value) {
    put(std::move(value));
    return true;
  }

  bool enter(Json value) {
    if (open_.size() == kMostDepth) fault_ = "nested deeper than " + std::to_string(kMostDepth);
    if (!fault_.empty()) return false;
    open_.push_back(&put(std::move(value)));
    return true;
  }

  bool leave() {
    open_.pop_back();
    return true;
  }

  Json whole_;
  std::vector<Json*> open_;  // arrays and objects that have not ended, the innermost last
  std::string key_;          // of the next member
  std::string fault_;
};

}  // namespace

Json parse_cbor(const std::string& bytes) {
  ValueBuilder builder;
  const bool is_whole = Json::sax_parse(bytes, &builder, Json::input_format_t::cbor);
  if (!is_whole) throw std::runtime_error(builder.fault());
  return builder.take();
}

std::string serialized(const Json& json) {
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes;
}

}  // namespace kindred
