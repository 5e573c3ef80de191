/* A C program outside the tree that links the C ABI, and knows nothing of Xapian. */
#include <kindred/kindred.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char* argv[]) {
  static const char note[] = "{\"id\": \"1\", \"text\": \"bake the bread\"}";
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_status status = KINDRED_STATUS_INIT;
  kindred_handle* handle = NULL;
  options.flags = KINDRED_CREATE;
  if (argc != 2 || kindred_open(argv[1], strlen(argv[1]), &options, &handle) != KINDRED_OK ||
      kindred_ingest(handle, note, strlen(note), NULL) != KINDRED_OK ||
      kindred_commit(handle, NULL) != KINDRED_OK ||
      kindred_get_status(handle, &status) != KINDRED_OK) {
    fprintf(stderr, "%s\n", kindred_last_error());
    return 1;
  }
  kindred_close(handle);
  printf("%s: %u document\n", kindred_plugin()->version, (unsigned)status.documents);
  return status.documents == 1 ? 0 : 1;
}
