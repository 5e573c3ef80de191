/* A host that unloads the library while a thread of it follows the index: that one goes on, and the
 * process ends as it should. Usage: c_api_unload_test LIBRARY EMPTY_FOLDER */
#define _XOPEN_SOURCE 700
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "plugin/kindred.h"

int main(int argc, char** argv) {
  static const char settings[] = "mirror.follow = \"poll\"\nmirror.max_staleness_ms = 10\n";
  static const struct timespec pause = {0, 100 * 1000 * 1000};
  const kindred_descriptor* (*find)(void) = NULL;
  const kindred_descriptor* library = NULL;
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* handle = NULL;
  void* const loaded = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (loaded == NULL) {
    fprintf(stderr, "expected a library and a folder\n");
    return 2;
  }
  *(void**)(&find) = dlsym(loaded, "kindred_plugin");
  library = find();

  options.flags = KINDRED_CREATE;
  options.settings.data = settings;
  options.settings.size = sizeof settings - 1;
  if (library->open(argv[2], strlen(argv[2]), &options, &handle) != KINDRED_OK) {
    fprintf(stderr, "%s\n", library->last_error());
    return 1;
  }
  dlclose(loaded);
  nanosleep(&pause, NULL);
  return strcmp(library->last_error(), "") != 0;
}
