//! The facts about a message of mail that its page and its mailbox show, and the threads of a
//! mailbox.

use std::collections::HashMap;

use super::beginning::beginning;
use super::ids::unbracketed;
use super::parts::{MessagePart, Read};

/// What the header section of a message says of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct MailHeader {
    pub(crate) subject: Option<String>,
    pub(crate) from: Option<String>,
    /// The time in seconds since 1970.
    pub(crate) time: Option<i64>,
    pub(crate) id: Option<String>,
    /// The messages that it answers, the nearest one last.
    pub(crate) answers: Vec<String>,
    /// The URL at which an archive has it.
    pub(crate) archived_at: Option<String>,
    /// The first words of its body.
    pub(crate) beginning: String,
}

/// The maximum number of messages that a message answers.
const MOST_ANSWERED: usize = 100;

impl MailHeader {
    /// Returns the facts about a message, given the part that is shown first.
    pub(crate) fn new(read: Read<'_>, body: Option<&MessagePart>) -> Self {
        let text = |name| read.text(0, name);
        let id = |name| text(name).map(|id| unbracketed(&id).to_owned());
        let mut answers = ids(&text("References").unwrap_or_default());
        if answers.is_empty() {
            answers = ids(&text("In-Reply-To").unwrap_or_default());
        }
        let entity = read.entity(0);
        MailHeader {
            subject: text("Subject"),
            from: text("From"),
            time: entity.field("Date", read.bytes).and_then(|field| field.time(read.bytes)),
            id: id("Message-ID"),
            answers,
            archived_at: id("Archived-At"),
            beginning: body.map_or(String::new(), |body| beginning(read, body)),
        }
    }

    /// Returns the keys of the URLs of the message: by its identifier (RFC 2392; RFC 5538), and in
    /// an archive (RFC 5064).
    pub(crate) fn keys(&self) -> impl Iterator<Item = String> {
        let by_id = self.id.iter().flat_map(|id| [format!("mid:{id}"), format!("news:{id}")]);
        by_id.chain(self.archived_at.iter().cloned()).map(|url| super::keys::key(&url))
    }
}

/// Returns the identifiers in brackets, the last ones if there are too many.
fn ids(text: &str) -> Vec<String> {
    let found = text.split('<').skip(1).filter_map(|rest| rest.split_once('>'));
    let mut ids: Vec<String> = found.map(|(id, _)| id.trim().to_owned()).collect();
    let n_left_out = ids.len().saturating_sub(MOST_ANSWERED);
    ids.drain(..n_left_out);
    ids
}

/// A message in the order of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InThread {
    /// The position of the message.
    pub(crate) idx: usize,
    /// The number of messages above it in its thread.
    pub(crate) depth: usize,
}

/// Returns messages in the order of threads: each after the one that it answers. Threads, and the
/// answers to one message, are in the order of time.
pub(crate) fn threads(headers: &[&MailHeader]) -> Vec<InThread> {
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    for (idx, header) in headers.iter().enumerate() {
        if let Some(id) = &header.id {
            by_id.entry(id).or_insert(idx);
        }
    }
    // A message is the answer to the nearest one that is there, if that is an earlier one: so there
    // is no cycle.
    let order = |idx: usize| (headers[idx].time.unwrap_or(i64::MIN), idx);
    let parent = |idx: usize| {
        let nearest = headers[idx].answers.iter().rev().find_map(|id| by_id.get(id.as_str()));
        nearest.copied().filter(|parent| order(*parent) < order(idx))
    };
    let mut answers: Vec<Vec<usize>> = vec![Vec::new(); headers.len()];
    let mut starts = Vec::new();
    for idx in 0..headers.len() {
        match parent(idx) {
            Some(parent) => answers[parent].push(idx),
            None => starts.push(idx),
        }
    }
    starts.sort_by_key(|idx| std::cmp::Reverse(order(*idx)));
    let mut waiting: Vec<InThread> =
        starts.into_iter().map(|idx| InThread { idx, depth: 0 }).collect();
    let mut threads = Vec::with_capacity(headers.len());
    while let Some(next) = waiting.pop() {
        threads.push(next);
        let mut children = std::mem::take(&mut answers[next.idx]);
        children.sort_by_key(|idx| std::cmp::Reverse(order(*idx)));
        waiting.extend(children.into_iter().map(|idx| InThread { idx, depth: next.depth + 1 }));
    }
    threads
}

/// Returns a time as a date and a time of day in UTC, `2026-11-24 13:05`.
pub(crate) fn date(seconds: i64) -> String {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Counted in cycles of 400 years that begin in March, so that a leap day ends a year.
    let days = days + 719_468;
    let (cycle, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, (month + 2) % 12 + 1);
    let year = year + cycle * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", rest / 3600, rest / 60 % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00"),
            (951_782_399, "2000-02-28 23:59"),
            (951_868_800, "2000-03-01 00:00"),
            (951_782_400, "2000-02-29 00:00"),
            (4_107_542_399, "2100-02-28 23:59"),
            (4_107_542_400, "2100-03-01 00:00"),
            (-1, "1969-12-31 23:59"),
            (1_795_525_500, "2026-11-24 13:05"),
        ] {
            assert_eq!(date(seconds), expected, "{seconds}");
        }
    }

    #[test]
    fn answers_follow_what_they_answer() {
        let header = |id: &str, time: i64, answers: &[&str]| MailHeader {
            id: Some(id.to_owned()),
            time: Some(time),
            answers: answers.iter().map(|id| (*id).to_owned()).collect(),
            ..MailHeader::default()
        };
        let headers = [
            header("late", 9, &["start", "gone"]),
            header("start", 1, &["loop"]),
            header("other", 3, &[]),
            header("early", 5, &["start"]),
            header("deep", 20, &["start", "late"]),
            header("loop", 30, &["loop"]),
        ];
        let all: Vec<&MailHeader> = headers.iter().collect();
        let found: Vec<(usize, usize)> =
            threads(&all).iter().map(|found| (found.idx, found.depth)).collect();
        assert_eq!(found, [(1, 0), (3, 1), (0, 1), (4, 2), (2, 0), (5, 0)]);
    }

    #[test]
    fn identifiers_are_in_brackets() {
        assert_eq!(ids("<a@b> (was: <c@d>)\n <e>"), ["a@b", "c@d", "e"]);
        assert_eq!(ids("a@b"), [""; 0]);
    }
}
