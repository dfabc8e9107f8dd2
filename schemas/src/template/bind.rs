//! Gives the names of a template their meaning and refuses what can never work.

use super::functions::{Arity, Constant, Function};
use super::parse::{Ast, Kind, error_at, parse};
use super::{DateFormat, Fact, Node, Template, TemplateError};

/// How often the value of a template can change while one rule works on one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// It is the same for the whole record.
    Record,
    /// It changes with the field of `for_each`.
    Field,
    /// It changes with the item of the rule's multi-valued function.
    Item,
}

/// The multi-valued function of a rule: one cell for each of its items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multi {
    pub(super) argument: Template,
    pub(super) split: Split,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Split {
    /// At everything outside `[A-Za-z0-9_]`, in lower case.
    Tokens,
    /// At this separator.
    At(Vec<u8>),
}

/// Binds the templates of a design. It keeps the names of the fields that they read; a template knows them by their index.
#[derive(Clone, Debug, Default)]
pub struct Binder {
    /// The fields, each once.
    pub columns: Vec<String>,
    /// Whether the rule at hand has `for_each`.
    pub looped: bool,
    /// The multi-valued function of the rule at hand, once a template has used one.
    pub multi: Option<Multi>,
}

impl Binder {
    /// Begins the next rule.
    pub fn begin_rule(&mut self, looped: bool) {
        self.looped = looped;
        self.multi = None;
    }

    /// The index of a field.
    pub fn column(&mut self, name: &str) -> usize {
        match self.columns.iter().position(|known| known == name) {
            Some(index) => index,
            None => {
                self.columns.push(name.to_owned());
                self.columns.len() - 1
            }
        }
    }

    /// Reads a template of the rule at hand.
    ///
    /// # Errors
    /// Syntax, unknown functions, wrong arguments, bytes where text is needed, a second multi-valued function.
    pub fn bind(&mut self, template: &str) -> Result<Template, TemplateError> {
        let ast = parse(template)?;
        self.template(template, &ast)
    }

    fn template(&mut self, text: &str, ast: &Ast) -> Result<Template, TemplateError> {
        let root = self.node(text, ast)?;
        let mut columns = Vec::new();
        root.collect_columns(&mut columns);
        if root.tier() == Tier::Item
            && let Some(multi) = &self.multi
        {
            columns.extend(&multi.argument.columns);
        }
        columns.sort_unstable();
        columns.dedup();
        Ok(Template {
            tier: root.tier(),
            binary: root.is_binary(),
            columns,
            root,
        })
    }

    fn node(&mut self, text: &str, ast: &Ast) -> Result<Node, TemplateError> {
        Ok(match &ast.kind {
            Kind::Literal(bytes) => Node::Literal(bytes.clone()),
            Kind::Number(_) => {
                let problem = "a number may stand only as an argument; quote it to make it text";
                return Err(error_at(text, ast.at, problem));
            }
            Kind::Name { name, quoted } => match (name.as_str(), self.looped && !quoted) {
                ("field", true) => Node::LoopName,
                ("value", true) => Node::LoopValue,
                _ => Node::Column(self.column(name)),
            },
            Kind::Fact(name) => match Fact::ALL.iter().find(|(known, _)| known == name) {
                Some((_, fact)) => Node::Fact(*fact),
                None => {
                    let known: Vec<String> = Fact::ALL
                        .iter()
                        .map(|(name, _)| format!("@{name}"))
                        .collect();
                    let problem = format!("`@{name}` is unknown; there are {}", known.join(", "));
                    return Err(error_at(text, ast.at, problem));
                }
            },
            Kind::Concat(parts) => Node::Concat(
                parts
                    .iter()
                    .map(|part| self.node(text, part))
                    .collect::<Result<_, _>>()?,
            ),
            Kind::Call {
                function,
                arguments,
            } => self.call(text, ast.at, function, arguments)?,
        })
    }

    fn call(
        &mut self,
        text: &str,
        at: usize,
        name: &str,
        arguments: &[Ast],
    ) -> Result<Node, TemplateError> {
        if matches!(name, "tokens" | "each") {
            return self.multi_valued(text, at, name, arguments);
        }
        let (function, arguments) = match Function::constant(name) {
            Some(constant) => {
                let [value, setting] = arguments else {
                    let problem = format!("`{name}` takes a value and a constant");
                    return Err(error_at(text, at, problem));
                };
                let function = constant_function(text, name, constant, setting)?;
                (function, std::slice::from_ref(value))
            }
            None => {
                let function = Function::plain(name)
                    .ok_or_else(|| error_at(text, at, format!("there is no function `{name}`")))?;
                (function, arguments)
            }
        };
        let fits = match function.arity() {
            Arity::Exactly(count) => arguments.len() == count,
            Arity::AtLeast(count) => arguments.len() >= count,
        };
        if !fits {
            let problem = match function.arity() {
                Arity::Exactly(count) => format!("`{name}` takes {count} argument(s)"),
                Arity::AtLeast(count) => format!("`{name}` takes at least {count} argument(s)"),
            };
            return Err(error_at(text, at, problem));
        }
        let mut nodes = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let node = self.node(text, argument)?;
            if function.needs_text() && node.is_binary() {
                let problem = format!("`{name}` works on text, and this gives other bytes");
                return Err(error_at(text, argument.at, problem));
            }
            nodes.push(node);
        }
        Ok(Node::Apply(function, nodes))
    }

    fn multi_valued(
        &mut self,
        text: &str,
        at: usize,
        name: &str,
        arguments: &[Ast],
    ) -> Result<Node, TemplateError> {
        let (argument, split) = match (name, arguments) {
            ("tokens", [argument]) => (argument, Split::Tokens),
            ("each", [argument, separator]) => match &separator.kind {
                Kind::Literal(bytes) if !bytes.is_empty() => (argument, Split::At(bytes.clone())),
                _ => {
                    let problem = "the separator is a 'text' that is not empty";
                    return Err(error_at(text, separator.at, problem));
                }
            },
            _ => {
                let problem = "`tokens(a)` and `each(a,';')` are the forms";
                return Err(error_at(text, at, problem));
            }
        };
        let template = self.template(text, argument)?;
        if template.tier == Tier::Item || template.binary {
            let problem = format!("`{name}` works on one text");
            return Err(error_at(text, argument.at, problem));
        }
        let multi = Multi {
            argument: template,
            split,
        };
        if self.multi.as_ref().is_some_and(|other| *other != multi) {
            let problem = "this rule has another multi-valued function already; make two rules";
            return Err(error_at(text, at, problem));
        }
        self.multi = Some(multi);
        Ok(Node::Item)
    }
}

fn constant_function(
    text: &str,
    name: &str,
    constant: Constant,
    setting: &Ast,
) -> Result<Function, TemplateError> {
    let made = match (constant, &setting.kind) {
        (Constant::Count, Kind::Number(count)) => Function::bucketing(name, *count),
        (Constant::Count, _) => Err("a whole number is needed".to_owned()),
        (Constant::Pattern, Kind::Literal(pattern)) => {
            DateFormat::new(&String::from_utf8_lossy(pattern)).map(Function::FormatDate)
        }
        (Constant::Pattern, _) => Err("a pattern such as 'yyyyMM' is needed".to_owned()),
    };
    made.map_err(|problem| error_at(text, setting.at, problem))
}

impl Node {
    fn children(&self) -> &[Node] {
        match self {
            Node::Concat(parts) | Node::Apply(_, parts) => parts,
            _ => &[],
        }
    }

    fn tier(&self) -> Tier {
        let own = match self {
            Node::LoopName | Node::LoopValue => Tier::Field,
            Node::Item => Tier::Item,
            _ => Tier::Record,
        };
        let inner = self.children().iter().map(Node::tier).max();
        inner.map_or(own, |inner| inner.max(own))
    }

    fn is_binary(&self) -> bool {
        let inner = self.children().iter().any(Node::is_binary);
        match self {
            Node::Literal(bytes) => std::str::from_utf8(bytes).is_err(),
            Node::Apply(function, _) => function.gives_bytes(inner),
            _ => inner,
        }
    }

    fn collect_columns(&self, columns: &mut Vec<usize>) {
        if let Node::Column(column) = self {
            columns.push(*column);
        }
        for child in self.children() {
            child.collect_columns(columns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(template: &str) -> (usize, String) {
        let mut binder = Binder::default();
        binder.begin_rule(true);
        let error = binder.bind(template).unwrap_err();
        (error.position, error.problem)
    }

    #[test]
    fn what_cannot_work_is_refused_with_its_place() {
        for (template, position, word) in [
            ("a|longish(b)", 3, "no function"),
            ("lower(a,b)", 1, "1 argument"),
            ("pair(a)", 1, "2 argument"),
            ("list()", 1, "at least 1"),
            ("lower(long(a))", 7, "text"),
            ("format_date(a,'yy')", 15, "yyyy"),
            ("format_date(a,b)", 15, "pattern"),
            ("hash(a,'4')", 8, "whole number"),
            ("hash(a,0)", 8, "at least 1"),
            ("hash(a)", 1, "constant"),
            ("a|7", 3, "argument"),
            ("@nowhere", 1, "@now"),
            ("each(a,'')", 8, "separator"),
            ("tokens(tokens(a))", 8, "one text"),
            ("tokens(a)|each(a,';')", 11, "two rules"),
        ] {
            let (at, text) = problem(template);
            assert_eq!(at, position, "{template}: {text}");
            assert!(text.contains(word), "{template}: {text}");
        }
    }

    #[test]
    fn tiers_and_columns_follow_what_is_read() {
        let mut binder = Binder::default();
        binder.begin_rule(true);
        let mut bind = |template: &str| binder.bind(template).unwrap();
        assert_eq!(bind("id|'x'").tier(), Tier::Record);
        assert_eq!(bind("id|lower(value)").tier(), Tier::Field);
        assert_eq!(bind("`value`").tier(), Tier::Record);
        let item = bind("field|tokens(id|other)");
        assert_eq!((item.tier(), item.columns()), (Tier::Item, &[0, 2][..]));
        assert!(!bind("string(id)").is_binary() && bind("pair(id,id)").is_binary());
        assert_eq!(bind("").constant(), Some(&b""[..]));
        assert_eq!(binder.columns, ["id", "value", "other"]);
    }
}
