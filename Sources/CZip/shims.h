// libzip: reading archives (.ipa) member by member.
#include <zip.h>
