#include "settings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>

#include "config/toml.h"

namespace search_server {
namespace {

constexpr std::size_t kLeastTokenBytes = 16;
constexpr const char* kFooter = R"(Examples:
  kindred-server --database wiki.db
  kindred-server --settings /etc/kindred/kindred-server.toml --check
The token that writing needs comes from a file (access.token_file) or from the environment
(KINDRED_SERVER_TOKEN). SIGTERM ends the requests in flight and stops; SIGHUP loads the plugin anew.)";

/// A value that was given, and where: in a file, or by a flag.
struct Given {
  std::string file;  ///< "": by a flag
  std::string key;   ///< or the flag
  const toml::node& node;

  [[noreturn]] void refuse(const std::string& expected) const {
    const std::string line = std::to_string(node.source().begin.line);
    throw SettingsError((file.empty() ? "" : file + ":" + line + ": ") + key + " must be " +
                        expected);
  }

  std::string text() const {
    const auto text = node.value_exact<std::string>();
    if (!text) refuse("a text");
    return *text;
  }

  std::int64_t number(std::int64_t least, std::int64_t most) const {
    auto number = node.value_exact<std::int64_t>();
    if (file.empty()) {  // flags are texts
      const std::string flag = text();
      std::int64_t parsed = 0;
      const auto [end, error] = std::from_chars(flag.data(), flag.data() + flag.size(), parsed);
      if (error == std::errc() && end == flag.data() + flag.size()) number = parsed;
    }
    if (!number || *number < least || *number > most) {
      refuse("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return *number;
  }
};

using Take = std::function<void(const Given&)>;

struct Setting {
  Take take;
  std::string flag{};  ///< "": it is in files only
  std::string help{};
};
using Table = std::map<std::string, Setting>;  ///< by key, such as "http.port"

Take text(std::string& to) {
  return [&to](const Given& given) { to = given.text(); };
}

/// A path; a relative one in a file is relative to its folder.
Take path(std::string& to) {
  return [&to](const Given& given) {
    to = given.text();
    if (to.empty()) return;
    to = (std::filesystem::path(given.file).parent_path() / to).lexically_normal().string();
  };
}

Take flag(bool& to) {
  return [&to](const Given& given) {
    const auto value = given.node.value_exact<bool>();
    if (!value) given.refuse("true or false");
    to = *value;
  };
}

template <class Number>
Take number(Number& to, std::int64_t least, std::int64_t most) {
  return [&to, least, most](const Given& given) {
    to = static_cast<Number>(given.number(least, most));
  };
}

Take seconds(std::chrono::seconds& to) {
  return [&to](const Given& given) { to = std::chrono::seconds(given.number(1, 3600)); };
}

Take level(LogLevel& to) {
  return [&to](const Given& given) {
    const std::map<std::string, LogLevel> levels = {{"debug", LogLevel::kDebug},
                                                    {"info", LogLevel::kInfo},
                                                    {"warning", LogLevel::kWarning},
                                                    {"error", LogLevel::kError},
                                                    {"off", LogLevel::kOff}};
    const auto found = levels.find(given.text());
    if (found == levels.end()) given.refuse("debug, info, warning, error or off");
    to = found->second;
  };
}

/// A list, each element of which `add` takes.
Take list(Take add) {
  return [add = std::move(add)](const Given& given) {
    const toml::array* elements = given.node.as_array();
    if (elements == nullptr) given.refuse("a list");
    for (const toml::node& element : *elements) add({given.file, given.key, element});
  };
}

/// `before`: of the keys of `table`, such as "http.".
void read_table(const std::string& file, const std::string& before, const toml::table& table,
                const Table& settings) {
  for (const auto& [name, node] : table) {
    const std::string key = before + std::string(name.str());
    const auto setting = settings.find(key);
    if (setting != settings.end()) {
      setting->second.take({file, key, node});
    } else if (node.is_table() && settings.lower_bound(key + ".") !=
                                      settings.lower_bound(key + "/")) {  // it has settings
      read_table(file, key + ".", *node.as_table(), settings);
    } else {
      std::string known;
      for (const auto& [each, unused] : settings) {
        if (each.starts_with(before)) known += (known.empty() ? "" : ", ") + each;
      }
      throw SettingsError(file + ":" + std::to_string(name.source().begin.line) +
                          ": there is no setting " + key + "; known here: " + known);
    }
  }
}

void add_value(const Given& given, std::vector<ValueSetting>& values) {
  ValueSetting value;
  if (!given.node.is_table()) given.refuse("a table");
  read_table(given.file, "values.", *given.node.as_table(),
             {{"values.name", {text(value.name)}},
              {"values.slot", {number(value.slot, 0, std::numeric_limits<std::int32_t>::max())}},
              {"values.number", {flag(value.number)}}});
  if (value.name.empty()) given.refuse("given a name");
  values.push_back(std::move(value));
}

Table all_settings(Settings& s) {
  HttpSettings& http = s.http;
  return {
      {"index.database", {path(s.database), "--database", "Xapian database to serve"}},
      {"index.library", {text(s.library), "--library", "libkindred.so to load"}},
      {"index.kindred_settings", {path(s.kindred_settings)}},
      {"index.name", {text(s.name), "--name", "name of the collection, for the page"}},
      {"index.create", {flag(s.create)}},
      {"index.auto_tune", {flag(s.auto_tune)}},
      {"values", {list([&s](const Given& given) { add_value(given, s.values); })}},
      {"http.address", {text(http.address), "--address", "address to listen at (127.0.0.1)"}},
      {"http.port",
       {number(http.port, 0, 65535), "--port", "port to listen at (8080); 0: any that is free"}},
      {"http.base_path", {text(http.base_path)}},
      {"http.hosts", {list([&s](const Given& given) { s.access.hosts.push_back(given.text()); })}},
      {"http.connections", {number(http.connections, 1, 10'000)}},
      {"http.connections_per_address", {number(http.connections_per_address, 0, 10'000)}},
      {"limits.document_bytes", {number(s.document_bytes, 1024, 1 << 30)}},
      {"limits.ingest_bytes", {number(s.ingest_bytes, 1024, 1 << 30)}},
      {"limits.idle_seconds", {seconds(http.idle)}},
      {"limits.request_seconds", {seconds(http.request)}},
      {"limits.stop_seconds", {seconds(s.stop)}},
      {"access.token_file",
       {path(s.token_file), "--token-file", "file that holds the token for writing"}},
      {"log.file", {path(s.log_file)}},
      {"log.level", {level(s.log_level), "--log-level", "debug, info, warning, error or off"}}};
}

std::string file_text(const std::string& path, const std::string& what) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    throw SettingsError("the file of " + what + " cannot be read: " + path);
  }
  return bytes;
}

void read_file(const std::string& path, const Table& settings) {
  const std::string bytes = file_text(path, "settings");
  try {
    read_table(path, "", toml::parse(bytes, path), settings);
  } catch (const toml::parse_error& error) {
    throw SettingsError(path + ":" + std::to_string(error.source().begin.line) + ": " +
                        std::string(error.description()));
  }
}

void read_token(Settings& settings) {
  std::string& token = settings.access.token;
  std::string source = settings.token_file;
  if (!source.empty()) {
    token = file_text(source, "the token");
    while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.pop_back();
  } else if (const char* given = std::getenv("KINDRED_SERVER_TOKEN")) {
    source = "KINDRED_SERVER_TOKEN";
    token = given;
  } else {
    return;
  }
  const auto printable = [](char c) { return c > ' ' && c < 127; };
  if (token.size() < kLeastTokenBytes || !std::all_of(token.begin(), token.end(), printable)) {
    throw SettingsError("the token of " + source + " must be at least " +
                        std::to_string(kLeastTokenBytes) +
                        " printable characters without spaces, such as \"openssl rand -hex 32\" "
                        "gives");
  }
}

void check(const Settings& settings) {
  if (settings.database.empty()) {
    throw SettingsError("which database? Set index.database, or give --database");
  }
  const std::string& base = settings.http.base_path;
  if (!base.empty() && (!base.starts_with('/') || base.ends_with('/'))) {
    throw SettingsError("http.base_path must begin with \"/\" and not end with it: " + base);
  }
}

}  // namespace

Start read_settings(int count, const char* const* arguments, Settings& settings) {
  const Table table = all_settings(settings);
  std::map<std::string, std::string> flags;  // by flag
  std::string file;
  bool check_only = false;
  CLI::App program("Serves the search of a Xapian database with Kindred, as JSON and as a page.",
                   "kindred-server");
  program.set_version_flag("--version", "kindred-server " KINDRED_VERSION);
  program.add_option("--settings", file, "TOML file with settings")->type_name("FILE");
  for (const auto& [key, setting] : table) {
    if (setting.flag.empty()) continue;
    program.add_option(setting.flag, flags[setting.flag], setting.help)->type_name("VALUE");
  }
  program.add_flag("--check", check_only, "check the settings and end");
  program.footer(kFooter);
  try {
    program.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    if (program.exit(error) == 0) return Start::kNothing;
    throw SettingsError("see kindred-server --help");
  }
  if (!file.empty()) read_file(file, table);
  for (const auto& [key, setting] : table) {
    if (setting.flag.empty() || program.count(setting.flag) == 0) continue;
    const toml::value<std::string> given(flags[setting.flag]);
    setting.take({"", setting.flag, given});
  }
  read_token(settings);
  check(settings);
  return check_only ? Start::kCheckOnly : Start::kServe;
}

}  // namespace search_server
