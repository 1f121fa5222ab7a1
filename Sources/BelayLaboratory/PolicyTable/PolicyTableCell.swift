import BelayTLS
import BelayTrust

/// One cell of a measured table: a setting met a situation.
public struct PolicyTableCell: Sendable {
    /// The row.
    public let setting: PolicySetting
    /// The column.
    public let situation: Situation.Letter
    /// Whether the pin set was empty.
    public let hasEmptyPinSet: Bool
    /// Whether the server must be accepted.
    public let expected: Bool
    /// What happened.
    public let outcome: Outcome
    /// How many bytes of application data the server received. After a refusal there must be none.
    public let applicationBytes: Int

    /// What happened in a cell.
    public enum Outcome: Sendable {
        /// The policy contradicts itself or pins nothing: it refuses before anything is sent, and nothing was.
        case refusedBeforeConnecting(Verdict)
        /// The server was judged.
        case judged(Verdict, PeerEvidence)
        /// There was no connection, which is a fault of the run.
        case failed(TLSError)
    }

    /// Whether the server was accepted; nil where there was no connection.
    public var measured: Bool? { verdict?.isTrusted }

    /// The verdict; nil where there was no connection.
    public var verdict: Verdict? {
        switch outcome {
        case .refusedBeforeConnecting(let verdict), .judged(let verdict, _): verdict
        case .failed: nil
        }
    }

    /// What the server showed; nil where nothing was asked of it.
    public var evidence: PeerEvidence? {
        if case .judged(_, let evidence) = outcome { evidence } else { nil }
    }

    /// Why there was no connection; nil where there was one, or none was wanted.
    public var error: TLSError? {
        if case .failed(let error) = outcome { error } else { nil }
    }

    /// Whether the measured answer is the expected one, and nothing was sent to a server that was refused.
    public var isAsExpected: Bool {
        measured == expected && (measured == true ? applicationBytes > 0 : applicationBytes == 0)
    }

    /// The cell's name: `A: publicKey, invalid certificates refused, name checked`.
    public var name: String { "\(situation.rawValue): \(setting)" + (hasEmptyPinSet ? ", empty pin set" : "") }

    /// In what way the cell differs from what was expected; nil where it does not.
    public var difference: String? {
        guard !isAsExpected else { return nil }
        func word(_ accepted: Bool) -> String { accepted ? "accepted" : "refused" }
        if let error { return "\(name): expected \(word(expected)), but there was no connection: \(error)" }
        guard let measured, measured == expected else {
            return "\(name): expected \(word(expected)), measured \(word(!expected))"
        }
        return measured
            ? "\(name): accepted, but the request did not arrive"
            : "\(name): refused, but \(applicationBytes) bytes of application data were sent"
    }
}
