use super::*;

fn types() -> BTreeSet<String> {
    ["people", "csv"].map(Into::into).into()
}

fn pattern(name: &str) -> Option<String> {
    match find(name, &types()) {
        Found::Known(def) => Some(def.pattern()),
        _ => None,
    }
}

#[test]
fn names_find_their_patterns() {
    for (name, expected) in [
        ("num.shards", "num.shards"),
        ("people.data.header", "<type>.data.header"),
        ("csv.data.header", "<type>.data.header"),
        (
            "people.A_B.data.field.type.class",
            "<type>.<FIELD>.data.field.type.class",
        ),
        (
            "people.N_*.data.field.type.class",
            "<type>.<FIELD>.data.field.type.class",
        ),
        ("people.data.id.parser.ID.1", "<type>.data.id.parser.*"),
        ("all.handler.classes", "<type|all>.handler.classes"),
        (
            "all.X.data.composite.field.map",
            "<type|all>.<FIELD>.data.composite.field.map",
        ),
        (
            "people.VirtualFieldNormalizer.data.combine.name",
            "<type|all>.data.combine.name",
        ),
        (
            "error.data.default.type.class",
            "<type>.data.default.type.class",
        ),
        ("error.shard.table.name", "error.shard.table.name"),
        (
            "metadata.loaddates.table.loader.priority",
            "<table>.loader.priority",
        ),
        ("edge.table.aggregate", "<table>.table.aggregate"),
        ("partitioner.dedicated.shard", "partitioner.*"),
    ] {
        assert_eq!(pattern(name).as_deref(), Some(expected), "{name}");
    }
    // Not every property has a form for all types.
    assert_eq!(pattern("all.data.header"), None);
    assert_eq!(pattern(""), None);
    assert_eq!(pattern("."), None);
}

#[test]
fn no_property_stands_twice() {
    let mut seen = BTreeSet::new();
    for def in all() {
        assert!(seen.insert(def.pattern()), "{}", def.pattern());
        assert!(!def.meaning.is_empty());
    }
}
