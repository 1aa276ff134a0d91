//! Each limit has its row, and its values have units.

use super::*;

#[test]
fn each_limit_has_its_row() {
    for (idx, row) in ROWS.iter().enumerate() {
        assert_eq!(row.limit as usize, idx, "{}", row.name);
        assert!(row.most.is_none_or(|most| row.default <= most));
        assert_eq!(row.measure.parse(&row.limit.default_value()), Some(row.default));
    }
}

#[test]
fn values_have_units() {
    let mut limits = Limits::default();
    for (name, text, value) in [
        ("document-size", "0", 0),
        ("document-size", "3K", 3072),
        ("document-size", "5M", 5 << 20),
        ("document-size", "2G", 2 << 30),
        ("time", "7ms", 7),
        ("time", "7s", 7000),
        ("parts", "7", 7),
        ("parts", "none", u64::MAX),
        ("embedded-depth", "64", 64),
    ] {
        assert_eq!(limits.set(name, text), Ok(()), "{name}={text}");
        let row = ROWS.iter().find(|row| row.name == name).unwrap();
        assert_eq!(limits.set[row.limit as usize], value);
        assert_eq!(row.measure.typed(value), text);
    }
    for (name, text) in [
        ("x", "1"),
        ("parts", ""),
        ("parts", "1K"),
        ("parts", "-1"),
        ("parts", "1.5"),
        ("time", "7"),
        ("document-size", "1T"),
        ("document-size", "99999999999G"),
        ("document-size", "99999999999999999999"),
        ("embedded-depth", "65"),
        ("part-depth", "none"),
    ] {
        assert!(limits.set(name, text).is_err(), "{name}={text}");
    }
}
