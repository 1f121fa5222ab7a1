// The first type replaces this file.
