/* Refreshing through the C ABI: documents that a writer names, a saved mirror, wrong requests. */
#include "tests/c_api/c_api_fixture.h"

static kindred_handle* kindred;

static const char note[] =
    "{\"id\":\"b9\",\"title\":\"Rolls\",\"labels\":[\"kitchen\"],"
    "\"text\":\"Shape the dough into rolls and bake them in a hot oven.\"}";

/* Another handle writes; this one is told. */
static void documents_that_a_writer_names_are_seen(void) {
  kindred_handle* writer = NULL;
  const double before = documents_of(kindred);
  const char* const path = path_to("notes.db");
  const uint32_t docids[] = {(uint32_t)before + 1, 1};
  int changed = -1;
  CHECK_OK(kindred_open(path, strlen(path), NULL, &writer));
  CHECK_OK(ingest(writer, note));
  CHECK_OK(kindred_end_ingest(writer, NULL));
  kindred_close(writer);
  CHECK_OK(kindred_documents_changed(kindred, docids, 2, &changed));
  CHECK(changed == 1 && documents_of(kindred) == before + 1);
  CHECK_OK(kindred_documents_changed(kindred, NULL, 0, &changed));
  CHECK(changed == 0);
  CHECK_OK(kindred_documents_changed(kindred, docids, 2, NULL));
}

static void wrong_documents_are_refused(void) {
  const uint32_t docids[] = {1, 0};
  CHECK_FAILS(kindred_documents_changed(kindred, docids, 2, NULL), KINDRED_INVALID_ARGUMENT,
              "docids");
  CHECK_FAILS(kindred_documents_changed(kindred, NULL, 2, NULL), KINDRED_INVALID_ARGUMENT,
              "docids");
  CHECK_FAILS(kindred_documents_changed(NULL, docids, 1, NULL), KINDRED_INVALID_ARGUMENT, "handle");
}

static void a_mirror_is_saved_beside_the_database(void) {
  const char* const file = path_to("notes.db/kindred.mirror");
  CHECK(access(file, F_OK) != 0);
  CHECK_SAYS(ask(kindred, "save_mirror", ""), "kindred.mirror");
  CHECK(access(file, F_OK) == 0);
}

int main(void) {
  make_directory();
  kindred = create_notes(path_to("notes.db"));
  REQUIRE(kindred_end_ingest(kindred, NULL) == KINDRED_OK);
  documents_that_a_writer_names_are_seen();
  wrong_documents_are_refused();
  a_mirror_is_saved_beside_the_database();
  kindred_close(kindred);
  remove_tree(directory);
  return failures != 0;
}
