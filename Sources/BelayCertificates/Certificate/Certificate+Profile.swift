// What profiles of X.509 ask about the form of a certificate, beyond what path validation needs.

extension Certificate {
    /// Whether an extension is marked as critical; nil where the certificate does not have it.
    package func isCritical(_ kind: ExtensionKind) -> Bool? {
        layout.slot(kind)?.isCritical
    }

    /// Whether the algorithm is written the same, byte for byte, inside and outside of the signed part.
    package var writesAlgorithmTwiceAlike: Bool { layout.algorithmsAreIdentical }

    /// Whether years through 2049 are written as UTCTime and later ones as GeneralizedTime.
    package var writesTimesByProfile: Bool { layout.timesAreInProfile }

    /// Whether the certificate has an issuerUniqueID or subjectUniqueID.
    package var hasUniqueIdentifiers: Bool { layout.hasUniqueIdentifiers }
}
