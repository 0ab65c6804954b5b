/// Setting that changes a property of the domain's settings; its default is the property's default.
struct DomainSetting<Root: Sendable>: Sendable {
    let definition: SettingDefinition
    /// Reads the setting into the property.
    let apply: @Sendable (inout SettingsReader, inout Root) -> Void

    static func decimal(
        _ key: String, _ path: any WritableKeyPath<Root, Double> & Sendable, of standard: Root,
        _ range: ClosedRange<Double>, unit: String, programs: Set<Program>, help: String
    ) -> DomainSetting {
        let definition = SettingDefinition(
            key, .decimal(range, unit: unit),
            default: .value(SettingDefinition.Kind.text(standard[keyPath: path])),
            programs: programs, help: help)
        return DomainSetting(definition: definition) { reader, root in
            root[keyPath: path] = reader.decimal(definition)
        }
    }

    static func integer<Value: FixedWidthInteger & SendableMetatype>(
        _ key: String, _ path: any WritableKeyPath<Root, Value> & Sendable, of standard: Root,
        _ range: ClosedRange<Int>, unit: String, programs: Set<Program>, help: String
    ) -> DomainSetting {
        let definition = SettingDefinition(
            key, .integer(range, unit: unit), default: .value(String(standard[keyPath: path])),
            programs: programs, help: help)
        return DomainSetting(definition: definition) { reader, root in
            root[keyPath: path] = Value(reader.integer(definition))
        }
    }

    static func flag(
        _ key: String, _ path: any WritableKeyPath<Root, Bool> & Sendable, of standard: Root, programs: Set<Program>,
        help: String
    ) -> DomainSetting {
        let definition = SettingDefinition(
            key, .flag, default: .value(standard[keyPath: path] ? "true" : "false"), programs: programs, help: help)
        return DomainSetting(definition: definition) { reader, root in
            root[keyPath: path] = reader.flag(definition)
        }
    }
}
