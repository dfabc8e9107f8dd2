use super::*;

fn file(name: &str, text: &str) -> NamedBytes {
    NamedBytes {
        name: name.into(),
        bytes: text.into(),
    }
}

fn no_files(_: Wanted<'_>) -> Result<NamedBytes, String> {
    Err("no such file".into())
}

fn parsed(text: &str) -> Vec<Property> {
    parse(&file("c.xml", text), &mut no_files).unwrap()
}

fn fault(text: &str) -> String {
    let faults = parse(&file("c.xml", text), &mut no_files).unwrap_err();
    faults[0].to_string()
}

fn properties(text: &str) -> Properties {
    let mut all = Properties::new(None);
    all.add(&parsed(text), &mut Vec::new());
    all
}

fn expanded(text: &str, name: &str) -> Result<String, String> {
    let all = properties(text);
    let property = all.raw(name).unwrap();
    all.expand(property).map_err(|problem| problem.to_string())
}

#[test]
fn properties_with_their_places() {
    let found = parsed(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE configuration>\n<configuration>\n  <!-- no -->\n  <property>\n    <name> a.b </name>\n    <value> x &amp; &#65;<!-- not this --><![CDATA[<y>]]> </value>\n    <description>text</description>\n  </property>\n  <property name=\"c\" value=\"d\"/><property><name>e</name><value/><final>true</final></property>\n</configuration>\n",
    );
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].name, "a.b");
    // Blanks of a value are part of it.
    assert_eq!(found[0].value, " x & A<y> ");
    assert_eq!((found[0].origin.line, found[0].origin.column), (5, 3));
    assert_eq!(
        (found[1].name.as_str(), found[1].value.as_str()),
        ("c", "d")
    );
    assert_eq!((found[2].value.as_str(), found[2].is_final), ("", true));
    assert!(is_configuration(&file("c", "<configuration/>")));
    assert!(!is_configuration(&file("c", "<beans/>")));
}

#[test]
fn later_wins_but_not_over_final() {
    let one = |name: &str, value: &str, end: &str| {
        parsed(&format!(
            "<configuration><property><name>{name}</name><value>{value}</value>{end}</property></configuration>"
        ))
    };
    let mut all = Properties::new(None);
    let mut warnings = Vec::new();
    all.add(&one("a", "1", ""), &mut warnings);
    all.add(&one("a", "2", "<final>true</final>"), &mut warnings);
    all.add(&one("a", "2", ""), &mut warnings);
    assert!(warnings.is_empty());
    all.add(&one("a", "3", ""), &mut warnings);
    assert_eq!(all.raw("a").unwrap().value, "2");
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].to_string().contains("it is final at c.xml:1"));
}

#[test]
fn variables() {
    let text = "<configuration>
        <property name='a' value='${b}-${c}'/><property name='b' value='1${d}'/><property name='c' value='2'/><property name='d' value='x'/>
        <property name='open' value='${none} ${c}'/><property name='nested' value='${${key}}'/><property name='key' value='c'/>
        <property name='self' value='${self}'/><property name='p' value='${q}'/><property name='q' value='${p}'/>
        <property name='env' value='${env.HOME}'/><property name='odd' value='${ c} $x ${'/>
        <property name='twice' value='${c}${c}${c}'/>
        </configuration>";
    assert_eq!(expanded(text, "a").unwrap(), "1x-2");
    assert_eq!(expanded(text, "open").unwrap(), "${none} ${c}");
    assert_eq!(expanded(text, "nested").unwrap(), "2");
    assert_eq!(expanded(text, "self").unwrap(), "${self}");
    assert_eq!(expanded(text, "p").unwrap(), "${q}");
    assert_eq!(expanded(text, "odd").unwrap(), "${ c} $x ${");
    assert_eq!(expanded(text, "twice").unwrap(), "222");
    assert!(
        expanded(text, "env")
            .unwrap_err()
            .contains("asks for the environment")
    );

    let values = [
        ("SET".to_owned(), "v".to_owned()),
        ("EMPTY".to_owned(), String::new()),
    ];
    let mut all = Properties::new(Some(values.into()));
    let given = "<configuration><property name='a' value='${env.SET}|${env.NONE:-x}|${env.EMPTY:-y}|${env.EMPTY-z}|${env.NONE-w}'/></configuration>";
    all.add(&parsed(given), &mut Vec::new());
    assert_eq!(all.expand(all.raw("a").unwrap()).unwrap(), "v|x|y||w");

    let chain = |length: usize| {
        let links =
            (0..length).map(|at| format!("<property name='p{at}' value='${{p{}}}'/>", at + 1));
        let links: String = links.collect();
        format!("<configuration>{links}<property name='p{length}' value='end'/></configuration>")
    };
    assert_eq!(expanded(&chain(20), "p0").unwrap(), "end");
    assert!(
        expanded(&chain(21), "p0")
            .unwrap_err()
            .contains("more than 20")
    );
}

#[test]
fn includes() {
    let main = file(
        "conf/main.xml",
        "<configuration xmlns:xi='http://www.w3.org/2001/XInclude'><property name='a' value='1'/><xi:include href='more.xml'/><xi:include href='gone.xml'><xi:fallback><property name='f' value='3'/></xi:fallback></xi:include></configuration>",
    );
    let mut asked = Vec::new();
    let mut include = |wanted: Wanted<'_>| {
        asked.push(format!("{} {}", wanted.named_by, wanted.path));
        match wanted.path {
            "more.xml" => Ok(file(
                "conf/more.xml",
                "<configuration><property name='b' value='2'/></configuration>",
            )),
            "loop.xml" => Ok(file(
                "loop.xml",
                "<configuration><include href='loop.xml'/></configuration>",
            )),
            _ => Err("no such file".to_owned()),
        }
    };
    let found = parse(&main, &mut include).unwrap();
    let names: Vec<_> = found
        .iter()
        .map(|p| (p.name.as_str(), p.origin.file.as_str()))
        .collect();
    assert_eq!(
        names,
        [
            ("a", "conf/main.xml"),
            ("b", "conf/more.xml"),
            ("f", "conf/main.xml")
        ]
    );
    let circle = file(
        "m.xml",
        "<configuration><include href='loop.xml'/></configuration>",
    );
    let faults = parse(&circle, &mut include).unwrap_err();
    assert!(faults[0].to_string().contains("in a circle"));
    assert_eq!(asked[0], "conf/main.xml more.xml");
    let missing = fault("<configuration>\n<include href='x.xml'/></configuration>");
    assert_eq!(missing, "c.xml:2:1: cannot include \"x.xml\": no such file");
}

#[test]
fn what_is_no_configuration() {
    for (text, place, part) in [
        ("", "c.xml:1:1", "no XML"),
        ("num_shards = 3\n", "c.xml:1:1", "no XML"),
        (
            "<configuration>\n <property>\n</configuration>",
            "c.xml:3:1",
            "no well-formed XML",
        ),
        (
            "<configuration>\n<property>",
            "c.xml:2:1",
            "<property> is not closed",
        ),
        ("<beans/>", "c.xml:1:1", "starts with <configuration>"),
        (
            "<configuration>\n  <propertey/></configuration>",
            "c.xml:2:3",
            "<propertey> is not known",
        ),
        (
            "<configuration><property><value>1</value></property></configuration>",
            "c.xml:1:16",
            "needs a <name>",
        ),
        (
            "<configuration>\n<property><name>n</name></property></configuration>",
            "c.xml:2:1",
            "n: it has no <value>",
        ),
        (
            "<configuration>&nbsp;</configuration>",
            "c.xml:1:16",
            "unknown entity &nbsp;",
        ),
        (
            "<configuration/><configuration/>",
            "c.xml:1:17",
            "second root",
        ),
        (
            "<configuration a='1' a='2'/>",
            "c.xml:1:1",
            "no well-formed XML",
        ),
    ] {
        let message = fault(text);
        assert!(message.starts_with(place), "{text}: {message}");
        assert!(message.contains(part), "{text}: {message}");
    }
    let bad = NamedBytes {
        name: "c.xml".into(),
        bytes: b"<configuration>\n\xff</configuration>".to_vec(),
    };
    let faults = parse(&bad, &mut no_files).unwrap_err();
    assert_eq!(faults[0].to_string(), "c.xml:2:1: not UTF-8");
    assert!(fault(&"<a>".repeat(5000)).contains("too deeply"));
}

/// Every prefix of a file is a fault or a file, never a crash.
#[test]
fn truncated_files() {
    let text = "<?xml version=\"1.0\"?><!-- c --><configuration><property><name>a&amp;</name><value><![CDATA[x]]>é</value></property></configuration>";
    for end in 0..text.len() {
        let cut = NamedBytes {
            name: "c".into(),
            bytes: text.as_bytes()[..end].to_vec(),
        };
        assert!(parse(&cut, &mut no_files).is_err(), "{end}");
    }
}
