//! Web archives of any bytes: records lie in the file, are the same however the file is read, and
//! can be read alone; a decoded body keeps to its limits, and is not decoded again.

use std::io::{self, Read};

use warc::{DecodeLimits, Error, HttpResponse, Reader, StoredRecord};

/// The limits of a block and of a decoded body.
const MOST: usize = 1 << 20;
const LIMITS: DecodeLimits = DecodeLimits { most: MOST, ratio: 100 };

/// A file that gives a few bytes at a time.
struct Slow<'f>(&'f [u8], usize);

impl Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = self.1.min(out.len());
        self.0.read(&mut out[..most])
    }
}

pub(crate) fn check(bytes: &[u8]) {
    let read = |size: usize| Reader::new(Slow(bytes, size)).records(MOST);
    let all: Vec<Result<StoredRecord, Error>> = read(usize::MAX).collect();
    // Each record and each error takes bytes of the file or of what it is decompressed to.
    let mut end = 0;
    for record in &all {
        match record {
            Ok(record) => sound(bytes, record, &mut end),
            Err(error) => assert!(error.offset <= bytes.len() as u64, "{error}"),
        }
    }
    // Words of errors count too, but not what is peeked to recognize a damaged file.
    let words = |all: &[Result<StoredRecord, Error>]| -> Vec<Result<StoredRecord, String>> {
        let word = |one: &Result<StoredRecord, Error>| match one {
            Ok(record) => Ok(record.clone()),
            Err(error) => Err(error.to_string()),
        };
        all.iter().map(word).collect()
    };
    let slowly: Vec<_> = read(1 + bytes.len() % 7).collect();
    assert_eq!(words(&all), words(&slowly));
    response(bytes);
}

/// A record lies in the file after the one before it, and is read the same alone.
fn sound(bytes: &[u8], record: &StoredRecord, end: &mut u64) {
    let StoredRecord { header, block, extent } = record;
    assert_eq!(header.content_length, block.len() as u64);
    assert_eq!(header.offset, extent.offset);
    let (Some(length), true) = (extent.length, header.is_seekable) else {
        assert!(extent.offset <= bytes.len() as u64);
        return response(block);
    };
    assert!(extent.offset >= *end && extent.offset + length <= bytes.len() as u64);
    *end = extent.offset + length;
    // What follows the record decides whether its end is sound.
    let from = usize::try_from(extent.offset).expect("an offset in memory");
    let mut alone = Reader::new(&bytes[from..]).records(MOST);
    let again = alone.next().expect("a record").expect("the record");
    assert_eq!((&again.block, &again.header.fields), (block, &header.fields));
    assert_eq!(again.extent.length, extent.length);
    response(block);
}

/// A response is split into its parts, and its decoded body keeps to the limits.
fn response(block: &[u8]) {
    let Ok(response) = HttpResponse::read(block) else { return };
    let message = response.message();
    assert_eq!([response.header_section(), response.body()].concat(), message);
    for field in response.fields() {
        assert!(field.name.end <= field.value.start && field.value.end <= block.len());
    }
    let _ = (response.media_type(), response.charset(), response.location());
    let _ = response.payload(&LIMITS);
    let Ok(decoded) = response.decoded_message(&LIMITS) else { return };
    assert!(decoded.len() <= response.header_section().len() + MOST);
    let again = HttpResponse::read(&decoded).expect("the response");
    // A decoded body may look like the response after an interim one.
    if response.status() < 200 {
        return;
    }
    assert_eq!(again.status(), response.status());
    assert_eq!(&*again.decoded_body(&LIMITS).expect("no coding"), again.body());
}
