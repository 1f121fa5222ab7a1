#if compiler(>=6.2)
/// What the metatypes of commands and values need to be handed between tasks. Up to Swift 6.1 every metatype may be.
public typealias SharableMetatype = SendableMetatype
#else
/// What the metatypes of commands and values need to be handed between tasks: nothing in this version of Swift.
public typealias SharableMetatype = Any
#endif
