/* A C program outside the tree that links the C ABI, and knows nothing of Xapian. */
#include <kindred/kindred.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char* argv[]) {
  static const char note[] = "{\"id\": \"1\", \"text\": \"bake the bread\"}";
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_answer* answer = NULL;
  kindred_handle* handle = NULL;
  options.flags = KINDRED_CREATE;
  if (argc != 2 || kindred_open(argv[1], strlen(argv[1]), &options, &handle) != KINDRED_OK ||
      kindred_ingest(handle, note, strlen(note), NULL) != KINDRED_OK ||
      kindred_commit(handle, NULL) != KINDRED_OK ||
      kindred_ask(handle, "status", 6, NULL, 0, NULL, NULL, &answer) != KINDRED_OK) {
    fprintf(stderr, "%s\n", kindred_last_error());
    return 1;
  }
  kindred_close(handle);
  const int good = strstr(answer->json.data, "\"documents\":1,") != NULL;
  printf("%s: %s\n", kindred_plugin()->version, answer->json.data);
  kindred_answer_free(answer);
  return good ? 0 : 1;
}
