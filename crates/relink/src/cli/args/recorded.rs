//! Runs that are stored and read again are the same.

use std::ffi::OsString;
use std::path::PathBuf;

use proptest::prelude::*;
use urlcore::Dialect;

use super::{Command, MoveArgs, RelativizeArgs, UnpackArgs};
use crate::os::command_line::{CommandLine, OptionValues, options_of};
use crate::os::paths::os_str;
use crate::plan::options::{
    ConvertOptions, MoveOptions, RelativizeOptions, TreeOptions, UnpackOptions,
};
use crate::urls::layout::Layout;
use crate::urls::renames::RenameOptions;

/// The password of secret URLs.
const SECRET: &str = "pass-word";

/// Bytes of a path, of which many are not UTF-8.
fn path() -> impl Strategy<Value = PathBuf> {
    let byte = prop_oneof![Just(b'a'), Just(b'-'), Just(b' '), Just(b'"'), 0x80..=0xFFu8];
    let valid = "[a-é,=\\t/]{1,8}".prop_map(PathBuf::from);
    let any = prop::collection::vec(byte, 1..6)
        .prop_map(|bytes| os_str(&bytes).map_or_else(|| PathBuf::from("a"), PathBuf::from));
    prop_oneof![valid, any]
}

fn url() -> impl Strategy<Value = String> {
    prop_oneof![
        "http://h/[a-z,=]{0,4}/".prop_map(String::from),
        Just(format!("http://me:{SECRET}@h/")),
    ]
}

prop_compose! {
    fn tree()(
        paths in prop::collection::vec(path(), 1..4),
        files in prop::option::of(prop::collection::vec(path(), 1..3)),
        base in prop::option::of(url()),
        is_base_secret: bool,
        texts in prop::collection::vec(".{0,4}", 0..3),
        layout in 0..5usize,
        dialect in 0..Dialect::ALL.len(),
        jobs in prop::option::of(1..9u16),
        switches: [bool; 4],
    ) -> TreeOptions {
        let layouts = [Layout::Plain, Layout::Wget, Layout::Httrack, Layout::Wayback];
        let mut tree = TreeOptions::new(paths);
        tree = layouts.get(layout).into_iter().fold(tree, |tree, layout| tree.layout(*layout));
        tree = tree.map("a b", "http://h/,=/");
        (tree.files, tree.base, tree.is_base_secret, tree.jobs) = (files, base, is_base_secret, jobs);
        (tree.include, tree.also, tree.types) = (texts.clone(), texts.clone(), texts);
        tree.dialect = Dialect::ALL[dialect];
        [tree.hidden_vcs, tree.no_hints, tree.strict, tree.quiet] = switches;
        tree
    }
}

prop_compose! {
    fn convert()(
        tree in tree(),
        output in prop::option::of(path()),
        backup in prop::option::of(path()),
        switches: [bool; 4],
        verify in prop_oneof![Just("none"), Just("fast"), Just("full")],
    ) -> ConvertOptions {
        let backup = backup.map(OsString::from);
        let verify = verify.parse().unwrap();
        let mut convert = ConvertOptions { tree, output, backup, verify, ..Default::default() };
        [convert.in_place, convert.durable, convert.force, convert.mail.keep_dkim] = switches;
        convert
    }
}

prop_compose! {
    fn moves()(
        from in prop::collection::vec(url(), 0..3),
        pairs in prop::collection::vec((path(), path()), 0..3),
        style in prop_oneof![Just("keep"), Just("absolute"), Just("relative")],
        switches: [bool; 4],
    ) -> MoveOptions {
        let renames = RenameOptions {
            pairs,
            are_pairs_done: switches[0],
            rename_files: switches[1],
            ..RenameOptions::default()
        };
        let (to, same_as) = (from.clone(), from.clone());
        let [.., again, fix] = switches;
        let style = style.parse().unwrap();
        MoveOptions { from, to, same_as, style, again, fix, renames, ..Default::default() }
    }
}

/// Returns the options of a command.
fn values(command: &Command) -> (OptionValues, &TreeOptions) {
    let (mut values, convert) = match command {
        Command::Absolutize(convert) => (OptionValues::default(), convert),
        Command::Relativize(args) => (options_of(&args.options), &args.convert),
        Command::Move(args) => (options_of(&args.options), &args.convert),
        Command::Unpack(args) => {
            let mut values = options_of(&args.options);
            values.extend(options_of(&args.tree));
            return (values, &args.tree);
        }
        _ => unreachable!("not a command that writes"),
    };
    values.extend(options_of(convert));
    (values, &convert.tree)
}

fn is_read_again(command: &Command) {
    let (values, tree) = values(command);
    let mut line = tree.recorded(command.name());
    for (name, value) in &values {
        let is_hidden = name == "base" && line.options.contains_key("base_hash");
        if !is_hidden {
            line.options.insert(name.clone(), value.clone());
        }
    }
    let stored = serde_json::to_string(&line).unwrap();
    let is_secret =
        tree.is_base_secret || tree.base.as_ref().is_some_and(|url| url.contains(SECRET));
    assert_eq!(line.options.contains_key("base"), tree.base.is_some() && !is_secret, "{stored}");
    let read = serde_json::from_str::<CommandLine>(&stored).unwrap();
    assert_eq!(read, line);
    let again = Command::of(&read).unwrap_or_else(|| panic!("not known: {stored}"));
    let (mut again, expected) = (self::values(&again).0, values);
    if is_secret && tree.base.is_some() {
        assert!(again.remove("base_hash").is_some(), "{stored}");
        let base = expected.get("base").cloned().unwrap();
        again.insert("base".to_owned(), base);
    }
    assert_eq!(again, expected);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn runs_are_read_as_they_were_stored(convert in convert(), moves in moves(), output in path()) {
        let tree = convert.tree.clone();
        let relativize = RelativizeOptions::new().same_as("http://h/,a").for_static_host();
        is_read_again(&Command::Absolutize(convert.clone()));
        let own = convert.clone();
        is_read_again(&Command::Relativize(RelativizeArgs { options: relativize, convert: own }));
        is_read_again(&Command::Move(MoveArgs { options: moves, convert }));
        let options = UnpackOptions::new(output).raw().at("2021");
        is_read_again(&Command::Unpack(UnpackArgs { options, tree }));
    }

    #[test]
    fn other_options_are_not_known(name in "[a-z]{3,9}-x") {
        let mut line = TreeOptions::new(["a"]).recorded("absolutize");
        prop_assert!(Command::of(&line).is_some());
        line.options.insert(name, true.into());
        prop_assert!(Command::of(&line).is_none());
    }
}
