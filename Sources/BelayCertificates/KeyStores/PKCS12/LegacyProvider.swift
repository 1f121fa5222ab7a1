import COpenSSL

/// OpenSSL's legacy provider, which has RC2, RC4 and single DES, in a library context of its own: whatever else this
/// process does with OpenSSL does not see these ciphers.
///
/// It lives as long as this object.
final class LegacyProvider {
    /// The library context, with the default and the legacy provider.
    let context: OpaquePointer
    private let providers: [OpaquePointer]

    /// Loads the provider.
    ///
    /// - Parameter folder: where the modules are; nil for OpenSSL's own folder.
    /// - Returns: Nil where it is not installed or does not load.
    init?(modulesIn folder: String? = nil) {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let context = OSSL_LIB_CTX_new() else { return nil }
        if let folder { OSSL_PROVIDER_set_default_search_path(context, folder) }
        let providers = ["default", "legacy"].compactMap { (name: String) in OSSL_PROVIDER_load(context, name) }
        guard providers.count == 2 else {
            for provider in providers { OSSL_PROVIDER_unload(provider) }
            OSSL_LIB_CTX_free(context)
            return nil
        }
        self.context = context
        self.providers = providers
    }

    deinit {
        for provider in providers { OSSL_PROVIDER_unload(provider) }
        OSSL_LIB_CTX_free(context)
    }
}
