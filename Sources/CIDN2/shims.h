// libidn2: internationalised host names.
#include <idn2.h>
