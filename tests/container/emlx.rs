//! What the piece of an emlx is.

use super::{check, pieces};
use relink::container::{Emlx, Fault};

const LIST: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"\" \"\">\n<plist version=\"1.0\">\n<dict/>\n</plist>\n";
const MESSAGE: &str = "A: 1\n\n<?xml version=\"1.0\"?>\n<p>\n";

#[test]
fn a_right_length_counts() {
    for (line, digits) in [("33\n", "33"), ("33        \n", "33        "), ("  33\n", "  33")] {
        for list in
            [LIST, "", "\n", &LIST.replace("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", "")]
        {
            let file = format!("{line}{MESSAGE}\n{list}");
            check(&Emlx, &file, &[&format!("{MESSAGE}\n")], &[]);
            let piece = &pieces(&Emlx, file.as_bytes())[0];
            assert_eq!(file[piece.length.clone().unwrap()], *digits);
            assert_eq!(piece.bytes, file.as_bytes());
        }
    }
    let message = MESSAGE.replace('\n', "\r\n");
    check(&Emlx, &format!("{}\r\n{message}\r\n{LIST}", message.len()), &[&message], &[]);
}

#[test]
fn a_wrong_length_does_not_count() {
    for number in [0, 1, 6, 30, 35, 1000, usize::MAX] {
        check(
            &Emlx,
            &format!("{number}\n{MESSAGE}\n{LIST}"),
            &[&format!("{MESSAGE}\n")],
            &[Fault::WrongLength],
        );
        check(
            &Emlx,
            &format!("{number}\n{MESSAGE}\nx"),
            &[&format!("{MESSAGE}\nx")],
            &[Fault::WrongLength],
        );
    }
    check(
        &Emlx,
        &format!("99999999999999999999999\n{MESSAGE}{LIST}"),
        &[&format!("99999999999999999999999\n{MESSAGE}")],
        &[Fault::NoLength],
    );
}

#[test]
fn no_length() {
    check(&Emlx, &format!("{MESSAGE}{LIST}"), &[MESSAGE], &[Fault::NoLength]);
    check(&Emlx, MESSAGE, &[MESSAGE], &[Fault::NoLength]);
    check(&Emlx, "\n", &["\n"], &[Fault::NoLength]);
    check(&Emlx, "12", &[""], &[Fault::WrongLength]);
    check(&Emlx, "0", &[""], &[]);
    check(&Emlx, "", &[], &[]);
}
