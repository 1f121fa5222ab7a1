import BelayCertificates
import FoundationEssentials

/// What came of a triage, in the order in which JSON has it.
struct TriageReport: Encodable {
    let files: [File]
    let connections: [Connection]

    /// A file and what it is good for.
    struct File: Encodable {
        let file: String
        let format: String?
        let use: String
        let problem: String?
        let pieces: [Piece]
    }

    /// One thing in a file.
    struct Piece: Encodable {
        let role: String
        let subject: String?
        let notAfter: String?
        let daysLeft: Int?
        let pin: String?
        let issuedBy: String?
        let sameAs: String?
        let keyOf: String?
    }

    /// A kind of connection and what it needs.
    struct Connection: Encodable {
        /// `one-way` or `mutual`.
        let kind: String
        let anchors: [String]
        let identity: String?
        let command: String
    }

    init(_ triage: FileTriage, at moment: Date) {
        files = triage.files.map { file in
            File(
                file: file.name, format: file.format?.description, use: file.use.rawValue, problem: file.problem,
                pieces: file.pieces.map { Piece($0, at: moment) })
        }
        let anchors = triage.anchors
        let options = anchors.map { " --anchor \(ShellText.quoted($0))" }.joined()
        var connections: [Connection] = []
        if !anchors.isEmpty {
            connections.append(
                Connection(
                    kind: "one-way", anchors: anchors, identity: nil, command: "belay check https://HOST\(options)"))
        }
        connections += triage.identities.map { identity in
            Connection(
                kind: "mutual", anchors: anchors, identity: identity,
                command: "belay check https://HOST\(options) --identity \(ShellText.quoted(identity))")
        }
        self.connections = connections
    }
}

extension TriageReport.Piece {
    fileprivate init(_ piece: FileTriage.Piece, at moment: Date) {
        role = piece.role.rawValue
        subject = piece.subject
        notAfter = piece.certificate.map { CivilTime.text($0.validity.notAfterSeconds) }
        daysLeft = piece.certificate.map { Days.left(of: $0, at: moment) }
        pin = piece.certificate.map { "sha256/\($0.pin)" }
        issuedBy = piece.issuedBy
        sameAs = piece.sameAs
        keyOf = piece.keyOf
    }
}
