// A server with routes that show how the HTTP face behaves, for http_test.py: probe_server
// [LOG [--no-token]].
// Prints its port, and stops by SIGTERM.

#include <pthread.h>

#include <csignal>
#include <iostream>

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
  Access access({count > 2 ? "" : probe::kToken, {}});
  Router router;
  probe::add_routes(router);
  add_metrics_route(router);
  access.add_routes(router, "/base");
  HttpServer server(router, access, probe::settings());
  std::cout << server.port() << std::endl;
  int signal = 0;
  sigwait(&signals, &signal);
  return server.stop(std::chrono::seconds(5)) ? 0 : 1;
}
