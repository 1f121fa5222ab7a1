// libxml2: the push parser of XML and its SAX2 interface.
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
