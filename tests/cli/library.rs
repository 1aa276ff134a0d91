//! The library as another program uses it: plans from values, events, sums, and nothing printed.

use std::fs;
use std::io;
use std::process::Command;

use relink::{
    ArchiveDocuments, Check, CheckOptions, Error, Event, Excluded, Finding, Format, Interrupt,
    Look, MoveOptions, Outcome, Plan, PlanError, Refs, RelativizeOptions, Severity, Span, Status,
    TreeOptions, Undo, Written, undo,
};

use rewrite::{Limits, Options, references};

use crate::dir::TestDir;
use crate::words::{self, END_IS_MISSING, INVALID_VALUE, TRUNCATED};

/// What a run has sent.
#[derive(Default)]
struct Received {
    messages: Vec<(Severity, String)>,
    /// The path, and true if the document was changed.
    documents: Vec<(String, bool)>,
    output: Vec<u8>,
    n_documents: usize,
    n_summaries: usize,
    /// Output after which [`Event::OutputEnd`] did not come.
    is_open: bool,
}

impl Received {
    fn take(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Message(message) => {
                self.messages.push((message.severity, message.text.to_owned()));
            }
            Event::Document(document) => {
                let name = document.path.file_name().unwrap().to_string_lossy().into_owned();
                self.documents.push((name, document.is_changed));
            }
            Event::Progress(progress) => self.n_documents = progress.n_documents,
            Event::Output(bytes) => {
                self.output.extend_from_slice(bytes);
                self.is_open = true;
            }
            Event::OutputEnd => self.is_open = false,
            Event::Summary(_) => self.n_summaries += 1,
            _ => {}
        }
        Ok(())
    }
}

fn tree(dir: &TestDir) -> TreeOptions {
    TreeOptions::new([dir.path("site")]).base("http://h.example/a/")
}

const FILES: &[(&str, &str)] = &[
    ("site/b.html", "<a href='c.html'>c</a>"),
    ("site/c.html", "<p>none</p>"),
    ("site/d.txt", "text"),
];

/// Converts a tree to another directory, then in place, then moves it; with documents that fail.
#[test]
fn a_tree_is_converted_and_events_are_received() {
    let dir = TestDir::with(FILES);
    let mut received = Received::default();
    let mut events = |event: Event<'_>| received.take(event);
    let plan = Plan::absolutize(tree(&dir)).output(dir.path("out")).diff(Look::Exact);
    let plan = plan.build(&mut events).unwrap();
    assert!(plan.writes_files() && plan.has_output());
    let summary = plan.run(&mut events).unwrap();
    let absolute = "<a href='http://h.example/a/c.html'>c</a>";
    assert_eq!(fs::read_to_string(dir.path("out/b.html")).unwrap(), absolute);
    assert_eq!(fs::read_to_string(dir.path("out/d.txt")).unwrap(), "text");
    assert_eq!(fs::read_to_string(dir.path("site/b.html")).unwrap(), FILES[0].1);
    assert_eq!((summary.n_documents, summary.n_changed, summary.n_others), (2, 1, 1));
    assert_eq!(summary.counts.get(Outcome::Rewritten), 1);
    assert_eq!((summary.written, summary.interrupted), (Written::All, None));
    assert_eq!(summary.status(true, true), Status::Found);
    assert_eq!(received.messages, []);
    assert_eq!(received.documents, [("b.html".to_owned(), true), ("c.html".to_owned(), false)]);
    assert_eq!((received.n_documents, received.n_summaries), (2, 1));
    assert!(!received.is_open);
    let diff = String::from_utf8(received.output).unwrap();
    assert!(diff.starts_with("--- a/b.html\n+++ b/b.html\n"), "{diff}");

    // In place, with a journal that is removed at the end.
    let mut received = Received::default();
    let mut events = |event: Event<'_>| received.take(event);
    let plan = Plan::absolutize(tree(&dir)).in_place().backup(".orig").build(&mut events).unwrap();
    let summary = plan.run(&mut events).unwrap();
    assert_eq!((summary.n_changed, summary.written), (1, Written::Changed));
    assert_eq!(fs::read_to_string(dir.path("site/b.html")).unwrap(), absolute);
    assert_eq!(fs::read_to_string(dir.path("site/b.html.orig")).unwrap(), FILES[0].1);
    assert!(matches!(undo(&reverted(&dir), &mut events), Err(Error::Path(..))));
    assert_eq!((received.messages.len(), received.output.len()), (0, 0));
}

/// The run over `site`.
fn reverted(dir: &TestDir) -> Undo {
    Undo { paths: vec![dir.path("site")], ..Undo::default() }
}

#[test]
fn the_other_conversions_and_lists() {
    let dir = TestDir::with(&[("site/b.html", "<a href='http://h.example/a/c.html'>c</a>")]);
    let mut received = Received::default();
    let mut events = |event: Event<'_>| received.take(event);
    let plan = Plan::relativize(tree(&dir), RelativizeOptions::new()).output(dir.path("out"));
    plan.build(&mut events).unwrap().run(&mut events).unwrap();
    assert_eq!(fs::read_to_string(dir.path("out/b.html")).unwrap(), "<a href='c.html'>c</a>");

    let moves = MoveOptions::new().pair("http://h.example/a/", "https://n.example/");
    let plan = Plan::relocate(TreeOptions::new([dir.path("site/b.html")]), moves).output("-");
    let plan = plan.build(&mut events).unwrap();
    assert!(!plan.writes_files() && plan.has_output());
    plan.run(&mut events).unwrap();

    let refs = Refs::new(tree(&dir), Format::Json, &mut events).unwrap();
    let summary = refs.run(&mut events).unwrap();
    assert_eq!((summary.n_documents, summary.n_unresolved), (1, 0));
    let check = Check::new(tree(&dir), &CheckOptions::new(), &mut events).unwrap();
    let summary = check.run(&mut events).unwrap();
    assert_eq!((summary.n_broken, summary.status(false)), (1, Status::Found));

    let output = String::from_utf8(received.output).unwrap();
    assert!(output.starts_with("<a href='https://n.example/c.html'>c</a>{\"root\":0,"), "{output}");
    assert!(!received.is_open);
    let (severity, note) = &received.messages[0];
    assert!(note.contains("read as the document at http://h.example/a/b.html"), "{note}");
    assert_eq!(*severity, Severity::Note);
    let (severity, report) = received.messages.last().unwrap();
    assert_eq!(*report, words::checked(1, 1, &[(1, "no-file")]));
    assert_eq!(*severity, Severity::Report);
}

#[test]
fn references_are_events_of_lists_checks_and_conversions() {
    let dir = TestDir::with(&FILES[..1]);
    let mut found = Vec::new();
    let mut events = |event: Event<'_>| -> io::Result<()> {
        if let Event::Reference(place, reference) = event {
            let finding = match &reference.finding {
                Finding::Problem { problem, .. } => problem.kind().name,
                Finding::Converted { outcome, .. } => outcome.name(),
                _ => "listed",
            };
            let (path, target) = (place.path.clone(), reference.target.clone());
            found.push((finding, path, reference.span, target.unwrap_or_default()));
        }
        Ok(())
    };
    let refs = Refs::new(tree(&dir), Format::Text, &mut events).unwrap().list_details();
    refs.run(&mut events).unwrap();
    let options = CheckOptions::new().list_details();
    Check::new(tree(&dir), &options, &mut events).unwrap().run(&mut events).unwrap();
    let plan = Plan::absolutize(tree(&dir)).dry_run().list_details().build(&mut events).unwrap();
    plan.run(&mut events).unwrap();
    let expected = ["listed", "no-file", "rewritten"].map(|finding| {
        (finding, "b.html".to_owned(), Span::new(9, 15), "http://h.example/a/c.html".to_owned())
    });
    assert_eq!(found, expected);
}

#[test]
fn invalid_options_are_errors_that_name_the_methods_that_set_them() {
    let dir = TestDir::with(FILES);
    let mut events = |_: Event<'_>| Ok(());
    let error =
        |plan: relink::PlanBuilder, events: &mut dyn relink::Events| match plan.build(events) {
            Ok(_) => panic!("the plan is valid"),
            Err(error) => error,
        };
    let plan = || Plan::absolutize(tree(&dir));
    assert!(matches!(error(plan(), &mut events), PlanError::NoOutput));
    assert!(matches!(error(plan().backup("~"), &mut events), PlanError::BackupNotInPlace));
    let both = plan().in_place().output(dir.path("out"));
    assert!(matches!(
        error(both, &mut events),
        PlanError::Excluded(Excluded("in_place", "output"))
    ));
    let wrong = Plan::absolutize(TreeOptions::new([dir.path("site")]).base("h.example"));
    let wrong = error(wrong.dry_run(), &mut events);
    assert!(matches!(wrong, PlanError::Mapping(_)));
    let words = wrong.to_string();
    assert!(words.starts_with(&format!("{INVALID_VALUE} 'h.example' for `base`; ")), "{words}");
    let typed = format!("{wrong:#}");
    assert_eq!(typed, words.replace("`base`", "--base"));
    let wrong = Error::from(wrong);
    assert_eq!(wrong.to_string(), format!("error: {words}"));
    assert_eq!(format!("{wrong:#}"), format!("error: {typed}"));
    let inside = error(plan().output(dir.path("site/out")), &mut events);
    let path = dir.path("site/out").display().to_string();
    assert!(Error::from(inside).to_string().starts_with(&path));
}

#[test]
fn an_interrupted_run_is_continued_by_the_same_plan_and_reverted() {
    let files = [("site/a.html", "<a href=x>"), ("site/b.html", "<a href=x>")];
    let dir = TestDir::with(&files);
    let text = |name: &str| fs::read_to_string(dir.path(name)).unwrap();
    let interrupt = Interrupt::default();
    let stop = interrupt.clone();
    // The receiver stops the run with its first document.
    let mut events = |event: Event<'_>| {
        if let Event::Document(_) = event {
            stop.stop();
        }
        Ok(())
    };
    let tree = || tree(&dir).jobs(1);
    let plan = |events: &mut dyn relink::Events| {
        Plan::absolutize(tree()).in_place().build(events).unwrap()
    };
    // Stopped before its start, a run changes nothing and leaves no journal.
    let stopped = Interrupt::default();
    stopped.stop();
    let summary = plan(&mut events).interrupt(stopped).run(&mut events).unwrap();
    assert_eq!((summary.n_changed, summary.interrupted), (0, Some(2)));
    assert_eq!(summary.status(false, false), Status::Interrupted(2));
    assert_eq!(text("site/a.html"), files[0].1);

    let summary = plan(&mut events).interrupt(interrupt).run(&mut events).unwrap();
    assert_eq!(summary.interrupted, Some(2));
    // Another plan is refused, the same one continues.
    let mut quiet = |_: Event<'_>| Ok(());
    let other = Plan::absolutize(tree().exclude("b.html")).in_place().build(&mut quiet).unwrap();
    assert!(matches!(other.run(&mut quiet), Err(Error::Path(..))));
    let mut received = Received::default();
    let mut events = |event: Event<'_>| received.take(event);
    let undone = undo(&reverted(&dir), &mut events).unwrap();
    assert!(undone.n_restored > 0 && undone.n_failed == 0);
    assert_eq!([text("site/a.html"), text("site/b.html")], [files[0].1, files[1].1]);
    let summary = plan(&mut quiet).run(&mut quiet).unwrap();
    assert_eq!(summary.n_changed, 2);
}

#[test]
fn an_error_of_the_receiver_ends_a_run() {
    let dir = TestDir::with(&[("site/b.html", "<a href='c.html'>c</a>")]);
    let mut events = |event: Event<'_>| match event {
        Event::Output(_) => Err(io::Error::other("enough")),
        _ => Ok(()),
    };
    let plan = Plan::absolutize(tree(&dir)).diff(Look::Exact).build(&mut events).unwrap();
    assert!(matches!(plan.run(&mut events), Err(Error::Stream(_))));
    // Errors of messages do not.
    let mut events = |_: Event<'_>| Err(io::Error::other("nobody listens"));
    let plan = Plan::absolutize(tree(&dir)).diff(Look::Exact).output(dir.path("out"));
    let plan = plan.build(&mut events).unwrap();
    assert!(matches!(plan.run(&mut events), Err(Error::Unfinished { .. })));
    assert!(!dir.path("out").exists());
    let mut events = |event: Event<'_>| match event {
        Event::OutputEnd => Ok(()),
        _ => Err(io::Error::other("nobody listens")),
    };
    let plan = Plan::absolutize(tree(&dir)).output(dir.path("out2")).build(&mut events).unwrap();
    assert_eq!(plan.run(&mut events).unwrap().n_changed, 1);
}

/// A caller gets what there is of an incomplete record, and why it is not all.
#[test]
fn documents_of_incomplete_records_have_a_defect() {
    let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=b><p>cut off here";
    let record = |fields: &str| {
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/a/\r\n{fields}\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n\
             {http}\r\n\r\n",
            http.len()
        )
    };
    let (whole, truncated) = (record(""), record("WARC-Truncated: length\r\n"));
    for (file, expected) in [
        (&*whole, None),
        (&truncated, Some(TRUNCATED)),
        (&whole[..whole.len() - 15], Some(END_IS_MISSING)),
    ] {
        let documents: Vec<_> = ArchiveDocuments::new(file.as_bytes(), Limits::default()).collect();
        let [Ok(Ok(document))] = &*documents else { panic!("{documents:?}") };
        assert_eq!(document.defect(), expected);
        let mut targets = Vec::new();
        document.with_unit(|unit| {
            references(unit, &Options::default(), |site| targets.extend(site.target()))
        });
        assert_eq!(targets, ["http://h/a/b"]);
    }
}

/// In a process of its own: another test could print.
#[test]
fn nothing_is_printed() {
    const CHILD: &str = "RELINK_LIBRARY_CHILD";
    if std::env::var_os(CHILD).is_some() {
        run_with_messages();
        return;
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "library::nothing_is_printed", "--nocapture", "--test-threads=1"]);
    let out = child.env(CHILD, "1").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&out.stderr), "");
    let stdout = String::from_utf8_lossy(&out.stdout);
    let lines: Vec<&str> = stdout.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 3, "{stdout}");
    assert_eq!(lines[0], "running 1 test");
    assert_eq!(lines[1], "test library::nothing_is_printed ... ok");
    assert!(lines[2].starts_with("test result: ok. 1 passed"), "{stdout}");
}

/// Runs that have messages of each severity, lists and diffs.
fn run_with_messages() {
    let dir = TestDir::with(&[
        ("site/a.html", "<base href='http://['><a href=x>x</a>"),
        ("site/b.xml", "<a href='x'><b></a>"),
        ("site/c.html", "<a href='mailto:x'>"),
    ]);
    let mut received = Received::default();
    let mut events = |event: Event<'_>| received.take(event);
    let moves = MoveOptions::new().pair("http://h.example/a", "http://u:p@n.example/");
    let tree = || TreeOptions::new([dir.path("site")]).verbose(true);
    let plan = Plan::relocate(tree(), moves).in_place().diff(Look::Exact);
    plan.build(&mut events).unwrap().run(&mut events).unwrap();
    let plan = Plan::absolutize(tree().include("*.none")).dry_run();
    plan.build(&mut events).unwrap().run(&mut events).unwrap();
    Refs::new(tree(), Format::Text, &mut events).unwrap().run(&mut events).unwrap();
    let options = CheckOptions::new().fragments();
    Check::new(tree(), &options, &mut events).unwrap().run(&mut events).unwrap();
    for severity in
        [Severity::Error, Severity::Warning, Severity::Note, Severity::Hint, Severity::Report]
    {
        let has = received.messages.iter().any(|(other, _)| *other == severity);
        assert!(has, "{severity:?}: {:?}", received.messages);
    }
    assert!(!received.output.is_empty());
}
