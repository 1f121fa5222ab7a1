import BelayCertificates
import BelayTLS

/// Certificates by a file's name or a server's URL.
enum CertificateInput {
    /// Why there are none.
    struct Failure: Error {
        /// For people.
        let text: String
        /// For programs; nil for wrong use.
        let report: FailureReport?

        /// Something was not read.
        init(_ error: InputError) {
            text = error.text
            report = FailureReport(error)
        }

        /// A server was not reached.
        init(_ error: TLSError) {
            text = error.description
            report = FailureReport(error)
        }

        /// The options make no sense.
        init(wrongUse text: String) {
            self.text = text
            report = nil
        }
    }

    /// Reads the certificates of a file, or fetches those of a server; at least one.
    static func read(_ name: String, _ options: FetchOptions) async throws(Failure) -> [Certificate] {
        if FetchOptions.isServer(name) { return try await fetch(name, options) }
        do throws(CertificateFileError) {
            return try Certificate.read(contentsOf: StandardInput.path(name))
        } catch {
            guard case .unreadable = error.problem else {
                throw Failure(InputError(message: "\(error)", remedy: "Give a file of certificates in PEM or DER."))
            }
            throw Failure(
                InputError(
                    message: "\(error)", remedy: "For a live server, write a URL: https://\(printable(name)).",
                    isRemedyNews: FetchOptions.couldBeServer(name)))
        }
    }

    /// Fetches the certificates of a server, which must prove that it has the key of the first: nobody should pin, or compare with, what
    /// anybody can send.
    static func fetch(_ name: String, _ options: FetchOptions) async throws(Failure) -> [Certificate] {
        let location: TLSLocation
        do throws(EndpointError) { location = try TLSLocation(name, startTLS: options.startTLS) } catch {
            throw Failure(wrongUse: "\(error)")
        }
        let loop: EventLoop
        do throws(EventLoopError) { loop = try EventLoop() } catch {
            throw Failure(InputError(message: "\(error)", remedy: "Raise the limit on open files or threads."))
        }
        let served: ServedChain
        do throws(TLSError) { served = try await options.fetch(location, with: TLSClient(loop: loop)) } catch {
            throw Failure(error)
        }
        if let ending = served.ending, served.evidence == nil { throw Failure(ending) }
        var certificates: [Certificate] = []
        for certificate in ServedCertificate.list(served.certificates) {
            guard let read = certificate.certificate else {
                let message =
                    "\(location): certificate \(certificate.index) cannot be read: \(certificate.problem ?? "")"
                throw Failure(
                    InputError(message: message, remedy: "Have the server's certificates issued again."))
            }
            certificates.append(read)
        }
        return certificates
    }
}
