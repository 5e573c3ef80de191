#include "settings.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include "config/toml.h"

namespace search_server {
namespace {

constexpr std::size_t kLeastTokenBytes = 16;

/// Where a key stands, for errors: "file:3: http.port".
struct Place {
  const std::string& file;
  std::string key;
  const toml::node& node;

  [[noreturn]] void refuse(const std::string& expected) const {
    throw SettingsError(file + ":" + std::to_string(node.source().begin.line) + ": " + key +
                        " must be " + expected);
  }
};

using Setter = std::function<void(const Place&)>;
using Setters = std::map<std::string, Setter>;  ///< by key

std::string text_at(const Place& place) {
  const auto text = place.node.value_exact<std::string>();
  if (!text) place.refuse("a text");
  return *text;
}

Setter text(std::string& to) {
  return [&to](const Place& place) { to = text_at(place); };
}

/// A path; a relative one is relative to the folder of the settings.
Setter path(std::string& to) {
  return [&to](const Place& place) {
    const std::string written = text_at(place);
    to = written.empty() ? written
                         : (std::filesystem::path(place.file).parent_path() / written)
                               .lexically_normal()
                               .string();
  };
}

Setter flag(bool& to) {
  return [&to](const Place& place) {
    const auto value = place.node.value_exact<bool>();
    if (!value) place.refuse("true or false");
    to = *value;
  };
}

std::int64_t whole_number(const Place& place, std::int64_t least, std::int64_t most) {
  const auto value = place.node.value_exact<std::int64_t>();
  if (!value || *value < least || *value > most) {
    place.refuse("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return *value;
}

template <class Number>
Setter number(Number& to, std::int64_t least, std::int64_t most) {
  return [&to, least, most](const Place& place) {
    to = static_cast<Number>(whole_number(place, least, most));
  };
}

template <class Duration>
Setter seconds(Duration& to, std::int64_t most) {
  return
      [&to, most](const Place& place) { to = std::chrono::seconds(whole_number(place, 1, most)); };
}

Setter hours(std::chrono::seconds& to) {
  return [&to](const Place& place) { to = std::chrono::hours(whole_number(place, 1, 24 * 365)); };
}

Setter texts(std::vector<std::string>& to) {
  return [&to](const Place& place) {
    const toml::array* list = place.node.as_array();
    if (list == nullptr) place.refuse("a list of texts");
    to.clear();
    for (const toml::node& item : *list) to.push_back(text_at({place.file, place.key, item}));
  };
}

Setter level(LogLevel& to) {
  return [&to](const Place& place) {
    const std::map<std::string, LogLevel> levels = {{"debug", LogLevel::kDebug},
                                                    {"info", LogLevel::kInfo},
                                                    {"warning", LogLevel::kWarning},
                                                    {"error", LogLevel::kError},
                                                    {"off", LogLevel::kOff}};
    const auto found = levels.find(text_at(place));
    if (found == levels.end()) place.refuse("debug, info, warning, error or off");
    to = found->second;
  };
}

void read_table(const std::string& file, const std::string& name, const toml::table& table,
                const Setters& setters) {
  for (const auto& [key, node] : table) {
    const std::string written(key.str());
    const std::string full = name.empty() ? written : name + "." + written;
    const auto setter = setters.find(written);
    if (setter == setters.end()) {
      std::string known;
      for (const auto& [each, unused] : setters) known += (known.empty() ? "" : ", ") + each;
      throw SettingsError(file + ":" + std::to_string(key.source().begin.line) +
                          ": there is no setting " + full + "; known here: " + known);
    }
    setter->second({file, full, node});
  }
}

/// A table of settings as a setting of the table around it.
Setter table(Setters setters) {
  return [setters = std::move(setters)](const Place& place) {
    if (!place.node.is_table()) place.refuse("a table");
    read_table(place.file, place.key, *place.node.as_table(), setters);
  };
}

Setter value_tables(std::vector<ValueSetting>& to) {
  return [&to](const Place& place) {
    const toml::array* list = place.node.as_array();
    if (list == nullptr) place.refuse("tables, each as [[values]]");
    for (const toml::node& item : *list) {
      ValueSetting value;
      table({{"name", text(value.name)},
             {"slot", number(value.slot, 0, std::numeric_limits<std::uint32_t>::max() - 1)},
             {"number", flag(value.number)}})({place.file, place.key, item});
      if (value.name.empty()) Place{place.file, place.key, item}.refuse("given a name");
      to.push_back(std::move(value));
    }
  };
}

Setters all_setters(Settings& s) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
  HttpSettings& http = s.http;
  return {
      {"index", table({{"database", path(s.database)},
                       {"library", text(s.library)},
                       {"kindred_settings", path(s.kindred_settings)},
                       {"name", text(s.name)},
                       {"create", flag(s.create)},
                       {"auto_tune", flag(s.auto_tune)},
                       {"facet_documents", number(s.facet_documents, 100, 10'000'000)},
                       {"ready_lag_seconds", number(s.ready_lag_seconds, 1, 86400)}})},
      {"values", value_tables(s.values)},
      {"http", table({{"address", text(http.address)},
                      {"port", number(http.port, 0, 65535)},
                      {"hosts", texts(s.access.hosts)},
                      {"connections", number(http.connections, 1, 100'000)},
                      {"connections_per_address", number(http.connections_per_address, 0, 100'000)},
                      {"workers", number(http.workers, 1, 1024)},
                      {"queue", number(http.queue, 0, 100'000)}})},
      {"limits", table({{"target_bytes", number(http.head.target_bytes, 256, 30'000)},
                        {"header_bytes", number(http.head.header_bytes, 256, 30'000)},
                        {"query_bytes", number(s.query_bytes, 1, 30'000)},
                        {"document_bytes", number(s.document_bytes, 1024, 1 << 30)},
                        {"ingest_bytes", number(s.ingest_bytes, 1024, kMostBytes)},
                        {"head_seconds", seconds(http.times.head, 3600)},
                        {"body_seconds", seconds(http.times.body, 3600)},
                        {"send_seconds", seconds(http.times.send, 3600)},
                        {"slowest_bytes_per_second", number(http.times.slowest, 1, 1 << 30)},
                        {"request_seconds", seconds(http.times.request, 3600)},
                        {"stop_seconds", seconds(s.stop, 3600)}})},
      {"access",
       table({{"token_file", path(s.token_file)}, {"session_hours", hours(s.access.session)}})},
      {"log", table({{"file", path(s.log_file)}, {"level", level(s.log_level)}})}};
}

std::string file_text(const std::string& path, const std::string& what) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    throw SettingsError("the file of " + what + " cannot be read: " + path);
  }
  return bytes;
}

/// Takes spaces and line ends off the end.
std::string trimmed(std::string text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.pop_back();
  return text;
}

void check_token(const std::string& token, const std::string& source) {
  const auto printable = [](char c) { return c > ' ' && c < 127; };
  if (token.size() < kLeastTokenBytes || !std::all_of(token.begin(), token.end(), printable)) {
    throw SettingsError("the token of " + source + " must be at least " +
                        std::to_string(kLeastTokenBytes) +
                        " printable characters without spaces, such as \"openssl rand -hex 32\" "
                        "gives");
  }
}

bool is_loopback(const std::string& address) {
  in6_addr v6{};
  if (inet_pton(AF_INET6, address.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return address.substr(0, 4) == "127.";
}

}  // namespace

void read_settings_file(const std::string& path, Settings& settings) {
  const std::string bytes = file_text(path, "settings");
  try {
    read_table(path, "", toml::parse(bytes, path), all_setters(settings));
  } catch (const toml::parse_error& error) {
    throw SettingsError(path + ":" + std::to_string(error.source().begin.line) + ": " +
                        std::string(error.description()));
  }
}

void complete_settings(Settings& settings) {
  std::string& token = settings.access.token;
  const char* in_environment = std::getenv("KINDRED_SERVER_TOKEN");
  if (!settings.token_file.empty()) {
    token = trimmed(file_text(settings.token_file, "the token"));
    check_token(token, settings.token_file);
  } else if (in_environment != nullptr) {
    token = in_environment;
    check_token(token, "KINDRED_SERVER_TOKEN");
  }
  if (settings.database.empty()) {
    throw SettingsError("which database? Set index.database, or give --database");
  }
  if (token.empty() && !is_loopback(settings.http.address)) {
    throw SettingsError("without a token the server listens at a loopback address only, not at " +
                        settings.http.address + ": set access.token_file or KINDRED_SERVER_TOKEN");
  }
}

}  // namespace search_server
