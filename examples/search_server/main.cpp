// kindred-server: serves the search of a Xapian database with Kindred. Status 0: it was stopped by
// a signal, and nothing is lost; 1: it failed; 2: its settings are wrong.

#include <fcntl.h>
#include <kindred/analyzer/text/utf8.h>
#include <kindred/config/error.h>
#include <kindred/config/guarded_file.h>
#include <kindred/config/regular_file.h>
#include <kindred/config/shown.h>
#include <kindred/config/toml.h>
#include <malloc.h>
#include <pthread.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <future>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "api/app.h"
#include "http/access.h"
#include "http/log.h"
#include "http/server.h"

namespace search_server {
namespace {

/// What the operator wants; kindred-server.toml says what each setting is for.
struct Settings {
  AppOptions app;  ///< [index], [[values]], [limits]
  HttpSettings http;
  AccessSettings access;
  std::string token_file;
  std::chrono::seconds stop{30};  ///< so long requests in flight have to end
  std::string log_file;
  std::string log_level = "info";
};

/// A setting that cannot be: names the file, line and key, or the flag, and what was expected.
class SettingsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

constexpr std::size_t kLeastTokenBytes = 16, kMostTokenBytes = 4096;
constexpr std::size_t kMostSettingsBytes = std::size_t{1} << 20;
constexpr const char* kFooter = R"(Examples:
  kindred-server --database wiki.db
  kindred-server --settings /etc/kindred/kindred-server.toml --check
The token that writing needs comes from a file (access.token_file) or from the environment
(KINDRED_SERVER_TOKEN). SIGTERM ends the requests in flight and stops; SIGHUP loads the plugin anew.)";

/// The type name of an option that is a path.
constexpr const char* kPath = "PATH";

/// What a file holds, as far as it is a regular one. `what` it is, for messages.
std::string file_text(const std::string& path, const std::string& what, std::size_t most_bytes) {
  try {
    return kindred::read_regular_file(path, what, most_bytes).bytes;
  } catch (const kindred::Error& error) {
    throw SettingsError(error.what());
  }
}

/// What is wrong at a place of a file.
SettingsError fault_at(const toml::source_region& where, const std::string& fault) {
  return SettingsError(*where.path + ":" + std::to_string(where.begin.line) + ": " + fault);
}

/// A value as on the command line; a path of the file is relative to its folder.
std::string text_of(const CLI::Option& option, const toml::node& node) {
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  const auto text = node.value_exact<std::string>();
  if (!text) throw CLI::ValidationError("expected a text, a whole number, true or false");
  if (option.get_type_name() != kPath || text->empty()) return *text;
  return (std::filesystem::path(*node.source().path).parent_path() / *text)
      .lexically_normal()
      .string();
}

/// The values of a file, as the question "search" of the library has them.
Json values_of(const toml::node& given) {
  const std::string text = kindred::toml_print(toml::json_formatter{given});
  const kindred::Shape& shape = kindred::find_question("search").request.key("values");
  try {
    return kindred::understood(shape, Json::parse(text), "values");
  } catch (const kindred::Error& error) {
    throw fault_at(given.source(), error.what());
  }
}

/// That a file has a setting which is none.
std::string unknown_setting(const CLI::App& program, const std::string& key) {
  std::vector<std::string> known;
  for (const CLI::Option* option : program.get_options())
    for (const std::string& name : option->get_lnames())
      if (name.find('.') != name.npos) known.push_back(name);

  std::string text = "there is no setting " + key;
  for (const std::string& name : kindred::nearest_of(key, known, 1))
    text += "; did you mean " + name + "?";
  return text + "; kindred-server.toml has all of them";
}

/// What is wrong with words that are neither options nor their values.
std::string unknown_words(const CLI::App& program, const std::vector<std::string>& words) {
  const auto unknown = std::ranges::find_if(words, [](const std::string& word) {
    return word.starts_with('-');
  });
  if (unknown == words.end())
    return "expected options only, found '" + kindred::shown(words.front()) + "'";
  const std::string name = unknown->substr(0, unknown->find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : program.get_options())
    for (const std::string& each : option->get_lnames()) known.push_back("--" + each);

  std::string text = "there is no option '" + kindred::shown(name) + "'";
  const std::string meant = kindred::likely_of(name, known);
  if (!meant.empty()) text += "; did you mean '" + meant + "'?";
  return text;
}

/// Hands the settings of a table to the options of the same names, "--http.port" for http.port.
void read_table(CLI::App& program, const std::string& before, const toml::table& table) {
  for (const auto& [name, node] : table) {
    const std::string key = before + std::string(name.str());
    if (node.is_table() && before.empty()) {
      read_table(program, key + ".", *node.as_table());
      continue;
    }
    CLI::Option* const option = program.get_option_no_throw("--" + key);
    if (option == nullptr) throw fault_at(name.source(), unknown_setting(program, key));
    if (option->count() > 0) continue;  // the flag overrides it
    try {
      if (const toml::array* list = node.as_array()) {
        for (const toml::node& element : *list) option->add_result(text_of(*option, element));
      } else {
        option->add_result(text_of(*option, node));
      }
      if (option->count() > 0) option->run_callback();
    } catch (const CLI::Error& error) {
      throw fault_at(node.source(), key + ": " + error.what());
    }
  }
}

void read_file(CLI::App& program, const std::string& file, Json& values) {
  const std::string text = file_text(file, "the settings file", kMostSettingsBytes);
  try {
    kindred::check_toml_text(text, file);
    toml::table table = toml::parse(text, file);
    if (const toml::node* given = table.get("values")) values = values_of(*given);
    table.erase("values");
    read_table(program, "", table);
  } catch (const kindred::Error& error) {
    throw SettingsError(error.what());
  } catch (const toml::parse_error& error) {
    throw fault_at(error.source(), std::string(error.description()));
  }
}

void add_options(CLI::App& program, Settings& s) {
  const auto add = [&](const char* names, auto& to, const char* help = "") {
    CLI::Option* option = program.add_option(names, to, help)->type_name("VALUE");
    return *help == '\0' ? option->group("") : option;  // hidden: it is for files
  };
  const auto seconds = [&](const char* name, std::chrono::seconds& to) {
    const auto set = [&to](const std::int64_t& given) {
      to = std::chrono::seconds(given);
    };
    program.add_option_function<std::int64_t>(name, set)->check(CLI::Range(1, 3600))->group("");
  };
  const CLI::IsMember levels({"debug", "info", "warning", "error", "off"});
  const CLI::IsMember flag({"true", "false"});
  HttpSettings& http = s.http;
  add("--database,--index.database", s.app.database, "Xapian database to serve")->type_name(kPath);
  add("--library,--index.library", s.app.library, "libkindred.so to load");
  add("--index.kindred_settings", s.app.kindred_settings)->type_name(kPath);
  add("--name,--index.name", s.app.name, "name of the collection, for the page");
  add("--index.create", s.app.create)->check(flag);
  add("--index.auto_tune", s.app.auto_tune)->check(flag);
  add("--address,--http.address", http.address, "address to listen at (127.0.0.1)");
  add("--port,--http.port", http.port, "port to listen at (8080); 0: any that is free")
      ->check(CLI::Range(0, 65535));
  add("--http.base_path", http.base_path);
  add("--http.hosts", s.access.hosts);
  add("--http.user_header", s.app.user_header)->transform([](const std::string& name) {
    return kindred::lower_ascii(name);
  });
  add("--http.connections", http.connections)->check(CLI::Range(1, 10'000));
  add("--http.connections_per_address", http.connections_per_address);
  add("--limits.document_bytes", s.app.document_limit)->check(CLI::Range(1024, 1 << 30));
  add("--limits.ingest_bytes", s.app.ingest_limit)->check(CLI::Range(1024, 1 << 30));
  seconds("--limits.idle_seconds", http.idle);
  seconds("--limits.request_seconds", http.request);
  seconds("--limits.stop_seconds", s.stop);
  add("--token-file,--access.token_file", s.token_file, "file that holds the token for writing")
      ->type_name(kPath);
  add("--log.file", s.log_file)->type_name(kPath);
  add("--log-level,--log.level", s.log_level, "debug, info, warning, error or off")->check(levels);
}

void read_token(Settings& settings) {
  std::string& token = settings.access.token;
  std::string source = settings.token_file;
  if (!source.empty()) {
    token = file_text(source, "the token", kMostTokenBytes);
    while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.pop_back();
  } else if (const char* given = std::getenv("KINDRED_SERVER_TOKEN")) {
    source = "KINDRED_SERVER_TOKEN";
    token = given;
  } else {
    return;
  }
  const auto printable = [](char c) {
    return c > ' ' && c < 127;
  };
  if (token.size() < kLeastTokenBytes || !std::all_of(token.begin(), token.end(), printable))
    throw SettingsError("the token of " + source + " must be at least " +
                        std::to_string(kLeastTokenBytes) +
                        " printable characters without spaces, such as \"openssl rand -hex 32\" "
                        "gives");
}

/// Reads the file that --settings names, then the flags, which override it, and takes the token
/// from its file or from the environment (KINDRED_SERVER_TOKEN). Relative paths of a file are
/// relative to its folder. False if nothing is to be done: help or the version was wanted, and is
/// printed. `check_only`: only --check was.
/// @throws SettingsError
bool read_settings(int count, const char* const* arguments, Settings& settings, bool& check_only) {
  std::string file;
  CLI::App program("Serves the search of a Xapian database with Kindred, as JSON and as a page.",
                   "kindred-server");
  program.set_version_flag("--version", "kindred-server " KINDRED_VERSION);
  program.add_option("--settings", file, "TOML file with settings")->type_name("FILE");
  add_options(program, settings);
  program.add_flag("--check", check_only,
                   "check the settings, open the index as serving would, and end");
  program.footer(kFooter);
  program.allow_extras();  // so that the first that is unknown can be named
  try {
    program.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    if (program.exit(error) == 0) return false;
    throw SettingsError("see kindred-server --help");
  }
  if (const auto unknown = program.remaining(); !unknown.empty())
    throw SettingsError(unknown_words(program, unknown) + "; see kindred-server --help");
  if (!file.empty()) read_file(program, file, settings.app.values);
  read_token(settings);
  if (settings.app.database.empty())
    throw SettingsError("which database? Set index.database, or give --database");
  const std::string& base = settings.http.base_path;
  if (!base.empty() && (!base.starts_with('/') || base.ends_with('/')))
    throw SettingsError("http.base_path must begin with \"/\" and not end with it: " + base);
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("/-._~", c) != nullptr;
  };
  if (!std::ranges::all_of(base, fits) || base.find("//") != base.npos)
    throw SettingsError("http.base_path: expected letters, digits, - . _ ~ and single slashes: " +
                        base);
  return true;
}

/// Waits for a signal to stop. Until then each SIGHUP has the plugin swapped, and memory that was
/// freed goes back to the system once a minute: the allocator keeps an arena for each thread, and
/// of its own accord returns only what lies at the end of one. What a tuning or much ingest took
/// would stay with the process.
void wait_for_stop(const sigset_t& signals, App& app) {
  constexpr timespec kMinute = {60, 0};
  std::future<void> swap;
  int signal = 0;
  while (signal != SIGTERM && signal != SIGINT) {
    signal = sigtimedwait(&signals, nullptr, &kMinute);
    if (signal == SIGHUP)  // after the one before
      swap = std::async(std::launch::async, [&app] {
        app.swap_plugin();
      });
    if (signal < 0) malloc_trim(0);
  }
  log_event(LogLevel::kInfo, "stopping", {{"signal", signal}});
}

/// Ends the process if it has not ended after `time`, for instance as a question to the library
/// does not let itself be cancelled. Nothing that was acknowledged is lost by that, as all of it is
/// on disk.
void end_in_time(std::chrono::seconds time) {
  std::thread([time] {
    std::this_thread::sleep_for(time);
    log_event(LogLevel::kWarning, "cut-off", {{"stop_seconds", time.count()}});
    std::_Exit(0);
  }).detach();
}

/// What to open as the log: the file itself, which no link at its path can exchange. It stays open
/// as long as the process.
std::string path_of_log(const std::string& file) {
  if (file.empty() || file == "/dev/stderr" || file == "/dev/stdout") return file;
  const kindred::GuardedFile guarded(file, kindred::owners_of_named_file(file));
  return "/proc/self/fd/" + std::to_string(guarded.open(O_WRONLY | O_APPEND | O_CREAT));
}

void serve(const Settings& settings) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, each);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  AccessSettings known = settings.access;
  known.is_local = is_loopback(settings.http.address);
  Access access(known);
  App app(settings.app);
  Router router;
  add_routes(router, app, settings.http.base_path);
  add_metrics_route(router, [&app] {
    return gauges_of(app);
  });
  access.add_routes(router, settings.http.base_path);
  add_pages(router, app.options.name);
  HttpServer server(router, access, settings.http);
  const std::string& host = settings.http.address;
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  const std::string address = "http://" + name + ":" + std::to_string(server.port()) + "/";
  std::cout << address << std::endl;
  log_event(LogLevel::kInfo, "listening", {{"address", address}});
  wait_for_stop(signals, app);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);  // a second signal ends the process at once
  end_in_time(settings.stop);
  app.cancel_jobs();
  const bool all_ended = server.stop(settings.stop);
  app.stop();
  log_event(all_ended ? LogLevel::kInfo : LogLevel::kWarning, "stopped",
            {{"all_requests_ended", all_ended}});
}

}  // namespace
}  // namespace search_server

int main(int count, char** arguments) {
  using namespace search_server;
  try {
    Settings settings;
    bool check_only = false;
    if (!read_settings(count, arguments, settings, check_only)) return 0;
    if (check_only) {
      check_index(settings.app);
      return 0;
    }
    open_log(path_of_log(settings.log_file), settings.log_level);
    serve(settings);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "kindred-server: " << error.what() << "\n";
    return dynamic_cast<const SettingsError*>(&error) != nullptr ? 2 : 1;
  }
}
