import BelayTransportSecurity

/// A correction, and the bytes that it changes.
struct Correction {
    /// What is told of it.
    var told: LintCorrection
    let edits: [XMLEdit]
    /// A key that it makes, and the dictionary where: two of one name would be a new fault.
    var made: Key?
    /// The entries that it is in or makes, as they are called afterwards: what they say about their hosts is wanted.
    var entries: Set<Entry> = []

    struct Key: Hashable {
        let dictionary: Int?
        let key: String
    }

    /// An entry of NSExceptionDomains or NSPinnedDomains.
    struct Entry: Hashable {
        let isPinned: Bool
        let key: String
    }

    /// Whether it makes something count that the file says. What is deleted says nothing, and so must ease nothing.
    var isWord = true

    /// Where it begins in the file.
    var start: Int { edits.map(\.range.lowerBound).min() ?? 0 }

    init(_ finding: LintFinding, _ change: String, _ edits: [XMLEdit], made: Key? = nil) {
        told = LintCorrection(finding: finding, change: change)
        self.edits = edits
        self.made = made
    }
}
