// Every test here runs the program.
@_exported import TestSupport
