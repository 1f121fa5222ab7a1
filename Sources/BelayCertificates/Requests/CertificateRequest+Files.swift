extension CertificateRequest {
    /// Reads the one request of a file, by content: PEM, DER, or the base64 of DER alone.
    ///
    /// - Throws: ``CertificateRequestFileError``, which names the file.
    public static func read(contentsOf path: String) throws(CertificateRequestFileError) -> CertificateRequest {
        do throws(CertificateRequestError) {
            let bytes: [UInt8]
            do throws(FileReadingError) { bytes = try FileReading.bytes(ofFile: path) } catch {
                throw .unreadable(error)
            }
            return try CertificateRequest(bytes: bytes)
        } catch {
            throw CertificateRequestFileError(file: path, problem: error)
        }
    }

    /// Reads a request from the bytes of a file, by content: PEM, DER, or the base64 of DER alone.
    ///
    /// - Throws: ``CertificateRequestError``.
    public init(bytes: [UInt8]) throws(CertificateRequestError) {
        let content: FileContent
        do throws(PEMError) { content = try FileContent(bytes) } catch { throw .damagedText(error) }
        switch content {
        case .binary(.request, let der), .binary(.unknownDER, let der):
            if let expected = der.missingLength { throw .truncated(bytes: der.count, expected: expected) }
            try self.init(der: der)
        case .text(let blocks):
            let requests = blocks.filter { PEMKind($0.label) == .request }
            guard let request = requests.first else { throw .notARequest(found: content.description) }
            guard requests.count == 1 else { throw .notARequest(found: "\(requests.count) requests, expected one") }
            try self.init(der: request.der)
        default:
            throw .notARequest(found: content.description)
        }
    }
}

/// A request's file and what is wrong with it.
public typealias CertificateRequestFileError = FileFailure<CertificateRequestError>

/// Why a certificate signing request cannot be used.
public enum CertificateRequestError: Error, Sendable, Hashable {
    /// The file could not be read.
    case unreadable(FileReadingError)
    /// The text in PEM is damaged.
    case damagedText(PEMError)
    /// It is no request; what was found instead.
    case notARequest(found: String)
    /// The end is missing, with the bytes there are and those there should be.
    case truncated(bytes: Int, expected: Int)
    /// It is not well formed.
    case malformed(DERError)
    /// Its key is of a kind that proves nothing here.
    case unusableKey(String)
    /// It is signed in a way that is not known here.
    case unknownAlgorithm(String)
    /// The signature is not that of its key: whoever asks has not shown that the key is theirs.
    case wrongSignature
}

extension CertificateRequestError: CustomStringConvertible {
    /// What is wrong, what was expected and found, and what to do.
    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .damagedText(let error): "the text is damaged: \(error). Copy the file again, whole"
        case .notARequest(let found): "expected a certificate signing request (PKCS#10) in PEM or DER, found \(found)"
        case .truncated(let bytes, let expected):
            "is cut off: it has \(bytes) bytes, the request is \(expected). Copy the file again, whole"
        case .malformed(let error): "holds a malformed request: \(error). Make it again"
        case .unusableKey(let key):
            "the request is for \(key), which cannot be checked here. Make it for an RSA, ECDSA or EdDSA key"
        case .unknownAlgorithm(let algorithm):
            "the request is signed with \(algorithm), which is not known here. Make it again with SHA-256"
        case .wrongSignature:
            "the request's signature is not that of the key in it: it was changed, or somebody asks with a key that is "
                + "not theirs. Make it again"
        }
    }
}
