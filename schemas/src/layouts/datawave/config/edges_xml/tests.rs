use super::*;

fn read(beans: &str) -> Result<EdgeFile, Vec<ConfigProblem>> {
    let text = format!("<beans xmlns:util='u'>\n{beans}\n</beans>");
    parse(&NamedBytes {
        name: "e.xml".into(),
        bytes: text.into(),
    })
}

fn fault(beans: &str) -> String {
    read(beans).unwrap_err()[0].to_string()
}

const NODE: &str = "<bean class='EdgeNode'><property name='selector' value='A'/><property name='relationship' value='R'/><property name='collection' value='C'/></bean>";
const LISTS: &str = "<util:set id='protobufedge.table.relationships'><value>R</value></util:set>
<bean id='protobufedge.table.collections' class='o.SetFactoryBean'><property name='sourceSet'><set><value>C</value></set></property></bean>";

/// A type with one definition of these properties.
fn one(properties: &str) -> String {
    let pair = format!("<property name='AllPairs'><list>{NODE}{NODE}</list></property>");
    definition(&format!(
        "<property name='edgeType' value='E'/>{properties}{pair}"
    ))
}

fn definition(properties: &str) -> String {
    format!(
        "<bean id='t' class='x.EdgeDefinitionConfigurationHelper'>
<property name='edgeAttribute2' value='X'/><property name='edgeAttribute3' value='Y'/><property name='activityDateField' value='Z'/>
<property name='edges'><list><bean class='x.EdgeDefinition'>{properties}</bean></list></property></bean>\n{LISTS}"
    )
}

#[test]
fn the_vocabulary() {
    let edges = read(&one("")).unwrap();
    assert_eq!(edges.types["t"].definitions.len(), 1);
    assert!(edges.types["t"].definitions[0].group_aware);
    let direct = definition(
        "<property name='edgeType' value='E'/><property name='sourceFieldName' value='A'/><property name='sinkFieldName' value='B'/><property name='isGroupAware'><value>false</value></property>",
    );
    let edges = read(&direct).unwrap();
    let edge = &edges.types["t"].definitions[0];
    assert_eq!(
        (edge.source.field.as_str(), edge.sink.field.as_str()),
        ("A", "B")
    );
    assert!(!edge.group_aware && edges.warnings.is_empty());

    let shared = format!(
        "<util:list id='nodes'>{NODE}{NODE}{NODE}</util:list>{}",
        definition("<property name='edgeType' value='E'/><property name='AllPairs' ref='nodes'/>")
    );
    assert_eq!(read(&shared).unwrap().types["t"].definitions.len(), 3);
}

#[test]
fn beans_inherit() {
    let beans = format!(
        "{}<bean id='u' parent='t'><property name='edgeAttribute2' value='Q'/></bean>",
        one("")
    );
    let edges = read(&beans).unwrap();
    assert_eq!(edges.types["u"].attribute2, "Q");
    assert_eq!(edges.types["u"].definitions, edges.types["t"].definitions);
    assert_eq!(edges.of_type("none", "u").unwrap().attribute2, "Q");
    let circle = "<bean id='a' parent='b'/><bean id='b' parent='a'/>";
    assert!(fault(circle).contains("circle"));
    assert!(fault("<bean id='a' parent='z'/>").contains("no bean \"z\""));
    let hidden = one("").replace("<bean id='t'", "<bean id='t' abstract='true'");
    assert!(read(&hidden).unwrap().types.is_empty());
}

#[test]
fn disallow_lists() {
    let list = |id: &str| format!("<util:set id='{id}'><value>v</value></util:set>");
    let beans = one("") + &list("default.protobufedge.table.disallowlist.values");
    assert_eq!(read(&beans).unwrap().types["t"].disallowed_values, ["v"]);
    let beans = one("") + &list("t.protobufedge.table.disallowlist.fields");
    assert_eq!(read(&beans).unwrap().types["t"].disallowed_fields, ["v"]);
}

#[test]
fn pairs_that_are_not_listed_are_left_out() {
    let edges = read(&one("").replace("<value>R</value>", "<value>other</value>")).unwrap();
    assert!(edges.types["t"].definitions.is_empty());
    let warning = edges.warnings[0].to_string();
    assert!(warning.starts_with("e.xml:4:"), "{warning}");
    assert!(warning.contains("\"R\" is not in protobufedge.table.relationships"));
}

#[test]
fn faults_have_a_line() {
    for (beans, line, part) in [
        (
            "<import resource='x'/>".to_owned(),
            2,
            "<import> is not known",
        ),
        (
            "<bean id='a' class='x.Other'/>".to_owned(),
            2,
            "\"Other\" is not known",
        ),
        (
            "<bean id='a' factory-bean='x'/>".to_owned(),
            2,
            "factory-bean= is not known",
        ),
        ("<bean class='x'/>".to_owned(), 2, "an id is needed"),
        (
            one("<property name='direction' value='up'/>"),
            4,
            "direction is uni or bi",
        ),
        (
            one("<property name='colour' value='red'/>"),
            4,
            "\"colour\" is not known of EdgeDefinition",
        ),
        (
            one("<property name='upTime' value='U'/>"),
            4,
            "a duration is",
        ),
        (
            one("<property name='enrichmentField' value='K'/>"),
            2,
            "needs enrichmentTypeMappings",
        ),
        (
            one("<property name='jexlPrecondition' value='A =='/>"),
            4,
            "jexlPrecondition: character 5",
        ),
        (
            definition("<property name='edgeType' value='E'/>"),
            4,
            "AllPairs, groupPairs",
        ),
        (
            one("").replace("edgeAttribute3", "edgeAttribute9"),
            2,
            "needs the property \"edgeAttribute3\"",
        ),
        (
            one("").replace("<value>C</value>", "<bean class='x'/>"),
            6,
            "a text is needed",
        ),
        (one("<property name='realm'/>"), 4, "one value is needed"),
    ] {
        let message = fault(&beans);
        assert!(message.starts_with(&format!("e.xml:{line}:")), "{message}");
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn another_root() {
    let other = parse(&NamedBytes {
        name: "e".into(),
        bytes: b"<configuration/>".to_vec(),
    });
    assert!(
        other.unwrap_err()[0]
            .to_string()
            .contains("starts with <beans>")
    );
}
