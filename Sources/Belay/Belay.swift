@_exported import BelayCertificates
@_exported import BelaySession
@_exported import BelayTLS
@_exported import BelayTrust
