// kindred-server: serves the search of a Xapian database with Kindred. Status 0: it was stopped by
// a signal, and nothing is lost; 1: it failed; 2: its settings are wrong.

#include <malloc.h>
#include <pthread.h>

#include <csignal>
#include <exception>
#include <future>
#include <iostream>
#include <nlohmann/json.hpp>

#include "api/routes.h"
#include "http/log.h"
#include "http/server.h"
#include "settings.h"

namespace search_server {
namespace {

sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, each);
  return signals;
}

std::string address_of(const Settings& settings, std::uint16_t port) {
  const std::string& host = settings.http.address;
  const bool is_v6 = host.find(':') != std::string::npos;
  return "http://" + (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port) + "/";
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
      swap = std::async(std::launch::async, [&app] { app.swap_plugin(); });
    if (signal < 0) malloc_trim(0);
  }
  log_event(LogLevel::kInfo, "stopping", {{"signal", signal}});
}

void serve(const Settings& settings) {
  const sigset_t signals = watched_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  Access access(settings.access);
  App app(settings.app);
  Router router;
  add_routes(router, app, settings.http.base_path);
  add_metrics_route(router);
  access.add_routes(router, settings.http.base_path);
  add_pages(router);
  HttpServer server(router, access, settings.http);
  const std::string address = address_of(settings, server.port());
  std::cout << address << std::endl;
  log_event(LogLevel::kInfo, "listening", {{"address", address}});
  wait_for_stop(signals, app);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);  // a second signal ends the process at once
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
    if (!read_settings(count, arguments, settings)) return 0;
    open_log(settings.log_file, settings.log_level);
    serve(settings);
    return 0;
  } catch (const SettingsError& error) {
    std::cerr << "kindred-server: " << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "kindred-server: " << error.what() << "\n";
    return 1;
  }
}
