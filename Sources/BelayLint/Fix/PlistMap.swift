import BelayTransportSecurity

/// Finds what stands at a place of a property list, and what is around it.
struct PlistMap {
    /// Something that stands in a file.
    struct Place {
        /// The key and value; nil for elements of lists and for the root.
        let member: PlistMember?
        /// The value.
        let node: PlistNode
        /// What the value is in; nil for the root.
        let parent: PlistNode?
        /// The keys from the root on; elements of lists by their number.
        let path: [String]

        /// The keys beside it, its own left out.
        func hasSibling(_ key: String) -> Bool {
            parent?.members?.contains { $0.key == key && $0.keyPosition != member?.keyPosition } ?? false
        }

        /// The member of a key beside it.
        func sibling(_ key: String) -> PlistMember? {
            parent?.members?.last { $0.key == key && $0.keyPosition != member?.keyPosition }
        }
    }

    private var places: [Int: Place] = [:]

    init(_ root: PlistNode) {
        add(Place(member: nil, node: root, parent: nil, path: []))
    }

    /// What has its key, or its value, at a position.
    func place(at position: PlistPosition) -> Place? { position.offset.flatMap { places[$0] } }

    private mutating func add(_ place: Place) {
        if let offset = place.member?.keyPosition.offset { places[offset] = place }
        if let offset = place.node.position.offset { places[offset] = place }
        switch place.node.value {
        case .dictionary(let members):
            for member in members {
                add(Place(member: member, node: member.node, parent: place.node, path: place.path + [member.key]))
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                add(Place(member: nil, node: element, parent: place.node, path: place.path + ["\(index)"]))
            }
        default: break
        }
    }
}
