// A server with routes that show how the HTTP face behaves, for http_test.py: probe_server
// [LOG [--no-token | --open]]. It is known as Search.Example, and with --open listens for other
// machines, too. Prints its port, and stops by SIGTERM.

#include <pthread.h>

#include <csignal>
#include <iostream>
#include <string>

#include "http/access.h"
#include "http/log.h"
#include "http/server.h"
#include "probe_routes.h"

int main(int count, char** arguments) {
  using namespace search_server;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  open_log(count > 1 ? arguments[1] : "", "info");
  const std::string option = count > 2 ? arguments[2] : "";
  const bool is_open = option == "--open";
  Access access({.token = option == "--no-token" ? "" : probe::kToken,
                 .hosts = {"Search.Example"},
                 .is_local = !is_open});
  Router router;
  probe::add_routes(router);
  add_metrics_route(router);
  access.add_routes(router, "/base");
  HttpSettings settings = probe::settings();
  if (is_open) settings.address = "0.0.0.0";
  HttpServer server(router, access, settings);
  std::cout << server.port() << std::endl;
  int signal = 0;
  sigwait(&signals, &signal);
  return server.stop(std::chrono::seconds(2)) ? 0 : 1;
}
