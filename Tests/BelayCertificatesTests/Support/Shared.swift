// Nearly every test here runs a tool or writes a file.
@_exported import TestSupport
