@_exported import BelayCertificates
@_exported import BelayTLS
@_exported import BelayTrust
