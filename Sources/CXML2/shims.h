// libxml2: the push parser of XML and its SAX2 interface.
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

// The handler of the calling thread for errors, which macros hide.
static inline xmlStructuredErrorFunc belay_xml_error_handler(void) { return xmlStructuredError; }
static inline void *belay_xml_error_context(void) { return xmlStructuredErrorContext; }
