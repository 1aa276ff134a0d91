//! The line that begins a message in an mbox: `From `, a sender, a date (RFC 4155, appendix A).
//!
//! Invariant: the result depends on at most [`LOOK`] bytes from the `F` on, so it does not depend
//! on how the file is read.
//!
//! The caller determines whether the line follows an empty line, or is the first of the file. It
//! begins a message by one of these rules:
//!
//! 1. Its words are a sender of up to four words (none, `-`, an address, `user at example.org` of
//!    list archives), then a full date, then nothing but a zone or `remote from HOST` (UUCP). A
//!    full date is month and day in either order, perhaps after a weekday, or `2009-06-01`, with
//!    a time and a year somewhere after; so `asctime` writes it, and RFC 5322 3.3, and RFC 3339.
//! 2. A header field follows in the next line, and the words are an address, `-` or
//!    `MAILER-DAEMON`, alone (`From 1844347792267117879@xxx`) or with words after it that begin
//!    with a weekday or a digit, or contain a time.
//! 3. A header field follows, and the words are any one word, a weekday, and a month or a word that
//!    begins with a digit.
//! 4. A header field follows, and it is the first line of the file: the file was called a mailbox,
//!    and no prose is before it.
//! 5. A header field follows, and there are no words: Thunderbird writes nothing but `From `.
//!
//! After the delimiter that closes the multipart of a message, rules 1 to 5 hold if a header field
//! follows.
//!
//! After any other line that is not empty only a line of certain form begins a message: its words
//! are a sender as in rule 1 and a full date as `asctime` writes it (weekday, month, day, time with
//! seconds, year of four digits, perhaps zones), and a header field follows in the next line.
//!
//! In a mailbox whose first line is `From ` or `From - `, without a date, each such line begins a
//! message if a header field follows, whatever is before it: programs that write such lines quote
//! those of bodies.
//!
//! In an archive of Usenet whose first line is `From ` and a number, perhaps negative, each such
//! line begins a message if a header field follows. After a line that is not empty the number must
//! have [`LONG_NUMBER`] digits, or the field must be one of Google's.
//!
//! So `From what I hear` is not a separator, and neither is `From me@example.org` before a line of
//! prose.

use super::lines::after_line_end;

/// The maximum number of bytes that are examined from the `F` on.
pub(super) const LOOK: usize = 2048;
/// The maximum length of a separator. The longest path has 256 bytes (RFC 5321 4.5.3.1.3);
/// additions of mailing lists make it longer.
const LONGEST: usize = 1000;
/// The maximum length of a field name.
const LONGEST_NAME: usize = 128;
/// The maximum number of words; a line with more is prose.
const MOST_WORDS: usize = 16;
/// The minimum length of a number; a shorter one may be a year, a page, an amount.
const LONG_NUMBER: usize = 10;
/// The maximum number of words of a sender.
const MOST_SENDER_WORDS: usize = 4;

/// The line before a line that may begin a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// Nothing: it is the first line of the file.
    Nothing,
    /// An empty line.
    EmptyLine,
    /// The delimiter that closes the multipart of the message.
    Closing,
    /// Any other line.
    Text,
}

/// Returns the length of the first line of the text, its line end included, if that line begins a
/// message.
pub(super) fn length(text: &[u8], before: Before) -> Option<usize> {
    let (line, after) = first_line(text)?;
    let is_before_field = begins_with_field(after);
    let is_separator = match before {
        Before::Nothing => is_before_field || is_sender_and_date(line, is_before_field),
        Before::EmptyLine if line.is_empty() => is_before_field,
        Before::EmptyLine => is_sender_and_date(line, is_before_field),
        Before::Closing => {
            is_before_field && (line.is_empty() || is_sender_and_date(line, is_before_field))
        }
        Before::Text => is_before_field && is_sender_and_asctime(line),
    };
    is_separator.then_some(text.len().min(LOOK) - after.len())
}

/// Returns the length of the first line of the text, its line end included, if that line is `From `
/// or `From - ` without a date, and a header field follows.
pub(super) fn bare_length(text: &[u8]) -> Option<usize> {
    let (line, after) = first_line(text)?;
    let is_separator = matches!(line.trim_ascii(), b"" | b"-") && begins_with_field(after);
    is_separator.then_some(text.len().min(LOOK) - after.len())
}

/// Returns the length of the first line of the text, its line end included, if that line is `From `
/// and a number, and a header field follows.
pub(super) fn numbered_length(text: &[u8], before: Before) -> Option<usize> {
    let (line, after) = first_line(text)?;
    let line = line.trim_ascii();
    let digits = line.strip_prefix(b"-").unwrap_or(line);
    let is_certain = || digits.len() >= LONG_NUMBER || after.starts_with(b"X-Google-");
    let is_separator = is_digits(digits, 1..=LONGEST)
        && begins_with_field(after)
        && (before != Before::Text || is_certain());
    is_separator.then_some(text.len().min(LOOK) - after.len())
}

/// Returns the text after `From ` in the first line of the text, and the text after that line
/// within [`LOOK`] bytes.
fn first_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = &text[..text.len().min(LOOK)];
    let rest = text.strip_prefix(b"From ")?;
    match memchr::memchr2(b'\n', b'\r', &rest[..rest.len().min(LONGEST)]) {
        Some(length) => Some((&rest[..length], &rest[after_line_end(rest, length)?..])),
        None if rest.len() < LONGEST => Some((rest, &[])),
        None => None,
    }
}

/// Returns the words of a line; `None` if there are too many.
fn words<'r, 'l>(line: &'l [u8], room: &'r mut [&'l [u8]; MOST_WORDS]) -> Option<&'r [&'l [u8]]> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut n_words = 0;
    for word in line.split(is_blank).filter(|word| !word.is_empty()) {
        *room.get_mut(n_words)? = word;
        n_words += 1;
    }
    Some(&room[..n_words])
}

/// Returns true if rule 1, 2 or 3 holds for what follows `From `.
fn is_sender_and_date(line: &[u8], is_before_field: bool) -> bool {
    let mut room = [&b""[..]; MOST_WORDS];
    let Some(words) = words(line, &mut room) else { return false };
    let n_senders = MOST_SENDER_WORDS.min(words.len());
    if (0..=n_senders).any(|n_senders| is_full_date(&words[n_senders..])) {
        return true;
    }
    let Some((sender, after)) = words.split_first() else { return false };
    if !is_before_field {
        return false;
    }
    let is_dated = match after {
        [] => true,
        [first, ..] => {
            is_weekday(first) || first[0].is_ascii_digit() || after.iter().any(|word| is_time(word))
        }
    };
    let is_weekday_and_day = matches!(after, [weekday, day, ..]
        if is_weekday(weekday) && (is_month(day) || day[0].is_ascii_digit()));
    (is_address(sender) && is_dated) || is_weekday_and_day
}

/// Returns true if what follows `From ` is a sender and a date as `asctime` writes it.
fn is_sender_and_asctime(line: &[u8]) -> bool {
    let mut room = [&b""[..]; MOST_WORDS];
    let Some(words) = words(line, &mut room) else { return false };
    let n_senders = MOST_SENDER_WORDS.min(words.len());
    (0..=n_senders).any(|n_senders| is_asctime(&words[n_senders..]))
}

/// Returns true for `Thu Aug 23 09:10:23 2018`, perhaps with zones before and after the year.
fn is_asctime(words: &[&[u8]]) -> bool {
    let [weekday, month, day, time, after @ ..] = words else { return false };
    let has_seconds = time.split(|byte| *byte == b':').count() >= 3;
    let has_year = after.iter().any(|word| is_digits(word, 4..=4));
    is_weekday(weekday)
        && !weekday.ends_with(b",")
        && is_month(month)
        && is_digits(day, 1..=2)
        && is_time(time)
        && has_seconds
        && has_year
        && is_time_and_zone(&words[3..], false)
}

/// Returns true if words are a date with a time and a year, and nothing but that.
fn is_full_date(words: &[&[u8]]) -> bool {
    let after = match words {
        [weekday, month, day, after @ ..]
            if is_weekday(weekday) && is_month_and_day(month, day) =>
        {
            after
        }
        [month, day, after @ ..] if is_month_and_day(month, day) => after,
        [date, after @ ..] if is_date(date) => return is_time_and_zone(after, true),
        [instant, after @ ..] => {
            let Some(at) = memchr::memchr2(b'T', b't', instant) else { return false };
            let (date, time) = (&instant[..at], &instant[at + 1..]);
            return is_date(date) && is_time(time) && after.iter().all(|word| is_zone(word));
        }
        [] => return false,
    };
    is_time_and_zone(after, false)
}

/// Returns true if a time, a year if none was before, and zones make up the words.
fn is_time_and_zone(words: &[&[u8]], had_year: bool) -> bool {
    let (mut has_time, mut has_year) = (false, had_year);
    for (idx, word) in words.iter().enumerate() {
        if !has_time && is_time(word) {
            has_time = true;
        } else if !has_year && is_year(word) {
            has_year = true;
        } else if has_time && *word == b"remote" {
            return has_year && words[idx + 1..].first() == Some(&&b"from"[..]);
        } else if !is_zone(word) {
            return false;
        }
    }
    has_time && has_year
}

/// Returns true for `me@example.org`, `???@???`, `<>`, `-`, `MAILER-DAEMON`.
fn is_address(word: &[u8]) -> bool {
    if matches!(word, b"-" | b"MAILER-DAEMON" | b"<>") {
        return true;
    }
    let Some(at) = memchr::memrchr(b'@', word) else { return false };
    at > 0 && at + 1 < word.len() && !matches!(word.last(), Some(b':' | b',' | b';' | b'.' | b'!'))
}

/// Returns true for `Thu`, `Thu,`.
fn is_weekday(word: &[u8]) -> bool {
    is_one_of(word.strip_suffix(b",").unwrap_or(word), b"SunMonTueWedThuFriSat")
}

/// Returns true for `Aug`.
fn is_month(word: &[u8]) -> bool {
    is_one_of(word, b"JanFebMarAprMayJunJulAugSepOctNovDec")
}

fn is_one_of(word: &[u8], names: &[u8]) -> bool {
    names.chunks(3).any(|name| name.eq_ignore_ascii_case(word))
}

/// Returns true for `Aug 23`, `23 Aug`, `Aug 23,`.
fn is_month_and_day(one: &[u8], other: &[u8]) -> bool {
    let is_day = |word: &[u8]| is_digits(word.strip_suffix(b",").unwrap_or(word), 1..=2);
    (is_month(one) && is_day(other)) || (is_day(one) && is_month(other))
}

/// Returns true for `9:10`, `09:10:23`, `09:10:23.5`, `09:10:23Z`, `09:10:23+00:00`.
fn is_time(word: &[u8]) -> bool {
    let n_hours = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let Some((b":", minutes)) = word[n_hours..].split_at_checked(1) else { return false };
    let is_clock = |byte: &u8| byte.is_ascii_digit() || b":.+-Zz".contains(byte);
    matches!(n_hours, 1 | 2)
        && minutes.len() >= 2
        && minutes[..2].iter().all(u8::is_ascii_digit)
        && minutes.iter().all(is_clock)
}

/// Returns true for `2009-06-01`, `2009/06/01`.
fn is_date(word: &[u8]) -> bool {
    let mut parts = word.split(|byte| matches!(byte, b'-' | b'/'));
    let mut is_next = |n_digits| parts.next().is_some_and(|part| is_digits(part, n_digits));
    is_next(4..=4) && is_next(1..=2) && is_next(1..=2) && parts.next().is_none()
}

/// Returns true for `2009`, and for `98` as RFC 822 wrote it.
fn is_year(word: &[u8]) -> bool {
    is_digits(word, 2..=2) || is_digits(word, 4..=5)
}

fn is_digits(word: &[u8], n_digits: std::ops::RangeInclusive<usize>) -> bool {
    n_digits.contains(&word.len()) && word.iter().all(u8::is_ascii_digit)
}

/// Returns true for `+0000`, `PDT`, `(PDT)`.
fn is_zone(word: &[u8]) -> bool {
    let is_offset =
        |digits: &[u8]| digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b':');
    match word {
        [b'+' | b'-', digits @ ..] => !digits.is_empty() && is_offset(digits),
        [b'(', .., b')'] => true,
        name => name.len() <= 5 && name.iter().all(u8::is_ascii_uppercase),
    }
}

/// Returns true if the text begins with a header field (RFC 5322 2.2), or with a separator that
/// another mailer has quoted, as UUCP put them above header sections.
pub(super) fn begins_with_field(text: &[u8]) -> bool {
    let is_name = |byte: &&u8| byte.is_ascii_graphic() && **byte != b':';
    let n_name = text.iter().take(LONGEST_NAME).take_while(is_name).count();
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let n_blanks = text[n_name..].iter().take(LONGEST_NAME).take_while(is_blank).count();
    // A URL is not a header field.
    let is_value = |value: &[u8]| !value.starts_with(b"//");
    let is_field = n_name > 0 && text[n_name + n_blanks..].strip_prefix(b":").is_some_and(is_value);
    is_field || text.starts_with(b">From ")
}
