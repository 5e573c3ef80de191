/* A library that is no Kindred. */
int kindred_is_elsewhere(void);
int kindred_is_elsewhere(void) { return 1; }
