import CPSL

/// The public suffix list as the machine's libpsl has it: which names are registries, under which strangers live side by
/// side.
public struct PublicSuffixList: Sendable {
    /// Uses the list that libpsl was built with.
    public init() {}

    /// Whether a name in its normal form is a public suffix, private registries such as `s3.amazonaws.com` included.
    ///
    /// A single label that the list does not know is one too: the list's own default rule is `*`.
    public func isPublicSuffix(_ name: String) -> Bool {
        // libpsl would read a name up to a NUL, and take what is before it for the whole.
        guard !name.utf8.contains(0) else { return false }
        guard let list = psl_builtin() else {
            // Without a list nothing can be known of longer names; a single label is nobody's in any case.
            return !name.contains(".")
        }
        return psl_is_public_suffix(list, name) == 1
    }
}
