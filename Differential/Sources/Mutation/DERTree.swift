import BelayCertificates

/// An element of DER as a tree that can be changed and written again, also into something that is no DER any more.
///
/// The contents of an OCTET STRING are taken apart too where they are an element themselves, as those of extensions are.
public struct DERTree: Sendable, Hashable {
    /// The octet of the tag.
    public var tag: UInt8
    /// What is inside.
    public var contents: Contents
    /// Whether the length is written longer than it need be, which DER forbids.
    public var hasLongLength = false

    /// What an element holds.
    public enum Contents: Sendable, Hashable {
        /// Octets.
        case octets([UInt8])
        /// Elements.
        case elements([DERTree])
    }

    /// An element of octets.
    public init(_ tag: DERTag, octets: [UInt8]) {
        self.tag = tag.rawValue
        contents = .octets(octets)
    }

    /// An element of elements.
    public init(_ tag: DERTag, _ elements: [DERTree]) {
        self.tag = tag.rawValue
        contents = .elements(elements)
    }

    /// Reads one element that fills the bytes; nil where they are none.
    public init?(_ der: [UInt8], depth: Int = 0) {
        var reader = DERReader(der)
        guard depth < 24, let element = try? reader.readAny(), reader.isAtEnd else { return nil }
        let inner = Array(der[element.contents])
        tag = element.tag.rawValue
        contents = .octets(inner)
        if element.tag.isConstructed || element.tag == .octetString {
            if let elements = Self.list(inner, depth: depth + 1), element.tag.isConstructed || elements.count == 1 {
                contents = .elements(elements)
            }
        }
    }

    private static func list(_ bytes: [UInt8], depth: Int) -> [DERTree]? {
        var reader = DERReader(bytes)
        var elements: [DERTree] = []
        while !reader.isAtEnd {
            guard let element = try? reader.readAny(), let tree = DERTree(Array(bytes[element.element]), depth: depth)
            else { return nil }
            elements.append(tree)
        }
        return elements
    }

    /// The elements inside; none where there are only octets.
    public var elements: [DERTree] {
        get { if case .elements(let elements) = contents { elements } else { [] } }
        set { contents = .elements(newValue) }
    }

    /// The octets inside, of elements too.
    public var octets: [UInt8] {
        switch contents {
        case .octets(let octets): octets
        case .elements(let elements): elements.flatMap(\.der)
        }
    }

    /// The element's bytes.
    public var der: [UInt8] {
        let inner = octets
        guard hasLongLength else { return DERWriter.element(DERTag(rawValue: tag), inner) }
        return [tag, 0x83] + [16, 8, 0].map { UInt8(truncatingIfNeeded: inner.count >> $0) } + inner
    }

    /// How many elements there are, this one included.
    public var count: Int { elements.reduce(1) { $0 + $1.count } }

    /// Changes the elements at a place of the tree, counted in the order of the bytes; 0 is this element.
    ///
    /// - Parameter change: gets the list in which the element stands, and its index.
    public mutating func change(at place: Int, _ change: (inout [DERTree], Int) -> Void) {
        var list = [self]
        var rest = place
        Self.descend(&list, &rest, change)
        if let first = list.first { self = first }
    }

    private static func descend(_ list: inout [DERTree], _ rest: inout Int, _ change: (inout [DERTree], Int) -> Void) {
        for index in list.indices {
            if rest == 0 {
                rest = -1
                change(&list, index)
                return
            }
            rest -= 1
            if case .elements(var inner) = list[index].contents {
                descend(&inner, &rest, change)
                if rest < 0 {
                    list[index].elements = inner
                    return
                }
            }
        }
    }
}
