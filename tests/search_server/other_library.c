/* What a library is that has kindred_plugin() but not the descriptor that the server knows. */
#include <kindred/kindred.h>

const kindred_descriptor* kindred_plugin(void) {
  static const kindred_descriptor descriptor = {
      .size = OTHER_SIZE, .abi_version = OTHER_ABI, .version = "0.0.1"};
  return &descriptor;
}
