/// The JSON of a command that made nothing: the keys of its answer, all null but `error`.
struct Unmade<Key: CodingKey & CaseIterable>: Encodable {
    let error: FailureReport

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for key in Key.allCases {
            if key.stringValue == "error" {
                try container.encode(error, forKey: key)
            } else {
                try container.encodeNil(forKey: key)
            }
        }
    }
}
