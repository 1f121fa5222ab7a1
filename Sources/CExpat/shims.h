// Expat: a parser of XML that tells what it meets.
#include <expat.h>
