//! The part of Spring's vocabulary that edge files use.

use super::super::problem::{ConfigProblem, NamedBytes, Origin, ProblemKind};
use super::super::xml::{self, Element};
use std::collections::BTreeMap;

/// Beans that lead to beans through `parent` or `ref`: more levels than this are a circle.
const MAX_LEVELS: usize = 16;

/// A bean with the properties that it inherits.
#[derive(Clone, Debug)]
pub(super) struct Bean {
    /// Class without its package; empty for `util:` collections.
    pub(super) class: String,
    /// It is there to be inherited only.
    pub(super) is_abstract: bool,
    pub(super) properties: BTreeMap<String, (Value, Origin)>,
    /// What a `util:` collection holds.
    pub(super) content: Option<Value>,
    pub(super) origin: Origin,
}

/// The value of a property.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    List(Vec<(Value, Origin)>),
    Map(Vec<(String, Value)>),
    Bean(Box<Bean>),
}

impl Bean {
    pub(super) fn problem(&self, message: impl Into<String>) -> ConfigProblem {
        ConfigProblem::new(ProblemKind::Invalid, self.origin.clone(), message)
    }
}

/// Reads a file's beans by their ids.
pub(super) fn parse(file: &NamedBytes) -> Result<BTreeMap<String, Bean>, Vec<ConfigProblem>> {
    let root = xml::parse(file).map_err(|problem| vec![problem])?;
    if root.name != "beans" {
        let message = format!(
            "a Spring file starts with <beans>, this with <{}>",
            root.name
        );
        return Err(vec![root.malformed(message)]);
    }
    let mut elements = BTreeMap::new();
    let mut problems = Vec::new();
    for element in &root.children {
        let known = ["bean", "list", "set", "map", "description"];
        if !known.contains(&element.name.as_str()) {
            problems.push(element.malformed(format!("<{}> is not known in <beans>", element.name)));
            continue;
        }
        let Some(id) = element
            .attribute("id")
            .or_else(|| element.attribute("name"))
        else {
            if element.name != "description" {
                problems.push(element.malformed("an id is needed: nothing can name it"));
            }
            continue;
        };
        if elements.insert(id.to_owned(), element).is_some() {
            problems.push(element.malformed(format!("a second bean {id:?}")));
        }
    }
    let reader = Reader { elements };
    let mut beans = BTreeMap::new();
    for (id, element) in &reader.elements {
        match reader.named(element, 0) {
            Ok(bean) => {
                beans.insert(id.clone(), bean);
            }
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() {
        Ok(beans)
    } else {
        Err(problems)
    }
}

struct Reader<'a> {
    elements: BTreeMap<String, &'a Element>,
}

impl Reader<'_> {
    /// A bean, or a collection that stands where a bean could.
    fn named(&self, element: &Element, level: usize) -> Result<Bean, ConfigProblem> {
        if element.name == "bean" {
            return self.bean(element, level);
        }
        Ok(Bean {
            class: String::new(),
            is_abstract: false,
            properties: BTreeMap::new(),
            content: Some(self.value(element, level)?),
            origin: element.origin.clone(),
        })
    }

    fn bean(&self, element: &Element, level: usize) -> Result<Bean, ConfigProblem> {
        if level > MAX_LEVELS {
            return Err(element.malformed("beans lead to each other in a circle"));
        }
        let known = [
            "id",
            "name",
            "class",
            "parent",
            "abstract",
            "scope",
            "lazy-init",
        ];
        let strange = element
            .attributes
            .iter()
            .find(|(key, _)| !known.contains(&key.as_str()));
        if let Some((key, _)) = strange {
            return Err(element.malformed(format!("{key}= is not known of a <bean>")));
        }
        let mut properties = BTreeMap::new();
        let mut class = String::new();
        if let Some(parent) = element.attribute("parent") {
            let inherited = self.lookup(element, parent, level)?;
            properties = inherited.properties;
            class = inherited.class;
        }
        if let Some(own) = element.attribute("class") {
            class = own.rsplit('.').next().unwrap_or(own).to_owned();
        }
        if class.is_empty() {
            return Err(element.malformed("a class is needed"));
        }
        for child in &element.children {
            match child.name.as_str() {
                "property" => {
                    let (name, value) = self.property(child, level)?;
                    properties.insert(name, (value, child.origin.clone()));
                }
                "description" => {}
                other => {
                    return Err(child.malformed(format!("<{other}> is not known in a <bean>")));
                }
            }
        }
        Ok(Bean {
            class,
            is_abstract: element.attribute("abstract") == Some("true"),
            properties,
            content: None,
            origin: element.origin.clone(),
        })
    }

    fn lookup(&self, from: &Element, id: &str, level: usize) -> Result<Bean, ConfigProblem> {
        let found = self.elements.get(id);
        let element = found.ok_or_else(|| from.malformed(format!("there is no bean {id:?}")))?;
        self.named(element, level + 1)
    }

    fn property(&self, element: &Element, level: usize) -> Result<(String, Value), ConfigProblem> {
        let name = element.attribute("name");
        let name = name.ok_or_else(|| element.malformed("a <property> needs a name"))?;
        let value = match (element.attribute("value"), element.attribute("ref")) {
            (Some(text), None) => Value::Text(text.to_owned()),
            (None, Some(id)) => self.reference(element, id, level)?,
            (None, None) => match element.children.as_slice() {
                [only] => self.value(only, level)?,
                _ => return Err(element.malformed(format!("property {name}: one value is needed"))),
            },
            (Some(_), Some(_)) => {
                return Err(
                    element.malformed(format!("property {name}: a value or a ref, not both"))
                );
            }
        };
        Ok((name.to_owned(), value))
    }

    fn reference(&self, from: &Element, id: &str, level: usize) -> Result<Value, ConfigProblem> {
        let bean = self.lookup(from, id, level)?;
        Ok(match bean.content {
            Some(content) => content,
            None => Value::Bean(Box::new(bean)),
        })
    }

    fn value(&self, element: &Element, level: usize) -> Result<Value, ConfigProblem> {
        match element.name.as_str() {
            "value" => Ok(Value::Text(element.text.clone())),
            "bean" => Ok(Value::Bean(Box::new(self.bean(element, level + 1)?))),
            "list" | "set" => {
                let members = element.children.iter();
                let members =
                    members.map(|child| Ok((self.value(child, level)?, child.origin.clone())));
                Ok(Value::List(members.collect::<Result<_, ConfigProblem>>()?))
            }
            "map" => {
                let entries = element
                    .children
                    .iter()
                    .map(|child| self.entry(child, level));
                Ok(Value::Map(entries.collect::<Result<_, _>>()?))
            }
            "ref" => {
                let id = element.attribute("bean");
                let id = id.ok_or_else(|| element.malformed("a <ref> needs a bean"))?;
                self.reference(element, id, level)
            }
            other => Err(element.malformed(format!("<{other}> is not known as a value"))),
        }
    }

    fn entry(&self, element: &Element, level: usize) -> Result<(String, Value), ConfigProblem> {
        if element.name != "entry" {
            let message = format!("<{}> is not known in a <map>", element.name);
            return Err(element.malformed(message));
        }
        let in_child = element.child("key").map(|key| {
            let value = key.child("value");
            value.map_or(key.text.trim(), |value| value.text.as_str())
        });
        let key = element.attribute("key").or(in_child);
        let key = key.ok_or_else(|| element.malformed("an <entry> needs a key"))?;
        let mut values = element.children.iter().filter(|child| child.name != "key");
        let value = match (element.attribute("value"), values.next()) {
            (Some(text), None) => Value::Text(text.to_owned()),
            (None, Some(child)) => self.value(child, level)?,
            _ => return Err(element.malformed(format!("entry {key:?}: one value is needed"))),
        };
        Ok((key.to_owned(), value))
    }
}
