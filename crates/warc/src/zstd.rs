//! zstd frames (RFC 8878) and the dictionary of a `.warc.zst`: the only file that imports ruzstd.
//!
//! Checksums of frames are not verified.

use std::fmt;
use std::io::{self, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, Dictionary, FrameDecoder};

use crate::limits::{MAX_DICTIONARY, MAX_ZSTD_WINDOW, PART};

/// The first bytes of a frame.
pub(crate) const MAGIC: &[u8] = b"\x28\xB5\x2F\xFD";
/// The first bytes of the skippable frame that has the dictionary of the frames after it
/// (iipc.github.io/warc-specifications, WARC Zstandard Compression 1.0, section 4).
pub(crate) const DICTIONARY_MAGIC: &[u8] = b"\x5D\x2A\x4D\x18";
/// The magic number of that frame.
const DICTIONARY: u32 = 0x184D_2A5D;

/// The reason why a frame cannot be decompressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FrameError {
    /// The data are not valid or not complete; the reason.
    Damaged(String),
    /// The file does not have the dictionary with this number.
    NoDictionary(u32),
    /// The dictionary of the file cannot be read; the reason.
    BadDictionary(String),
    /// The dictionary of the file is longer than [`MAX_DICTIONARY`].
    LongDictionary,
    /// The receiver of the text refused it.
    Refused,
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::Damaged(reason) => write!(f, "cannot be decompressed: {reason}"),
            FrameError::NoDictionary(id) => {
                write!(f, "needs dictionary {id}, which the file does not have")
            }
            FrameError::BadDictionary(reason) => {
                write!(f, "has a dictionary that cannot be read: {reason}")
            }
            FrameError::LongDictionary => f.write_str("has a dictionary that is too long"),
            FrameError::Refused => f.write_str("is not read"),
        }
    }
}

/// Decompresses frames, one after another.
pub(crate) struct Frames {
    decoder: FrameDecoder,
    has_begun: bool,
}

impl Frames {
    pub(crate) fn new() -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_ZSTD_WINDOW);
        Frames { decoder, has_begun: false }
    }

    /// Begins the next frame of an input that has not ended.
    ///
    /// # Errors
    ///
    /// [`FrameError`] if it cannot be read.
    pub(crate) fn open(&mut self, input: &mut impl Read) -> Result<bool, FrameError> {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        match self.decoder.init(&mut *input) {
            Ok(()) => Ok(true),
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                magic_number,
                length,
            })) => {
                let mut frame = input.take(length.into());
                match magic_number {
                    DICTIONARY if is_first => self.dictionary(&mut frame)?,
                    _ => drop(io::copy(&mut frame, &mut io::sink()).map_err(damaged)?),
                }
                Ok(false)
            }
            Err(FrameDecoderError::DictNotProvided { dict_id }) => {
                Err(FrameError::NoDictionary(dict_id))
            }
            Err(error) => Err(damaged(error)),
        }
    }

    /// Reads the dictionary in a skippable frame, which may be compressed itself.
    fn dictionary(&mut self, frame: &mut impl Read) -> Result<(), FrameError> {
        let mut bytes = Vec::new();
        let most = MAX_DICTIONARY as u64 + 1;
        frame.take(most).read_to_end(&mut bytes).map_err(damaged)?;
        if bytes.starts_with(MAGIC) {
            let mut text = Vec::new();
            let mut take = |part: &[u8]| {
                text.extend_from_slice(part);
                text.len() <= MAX_DICTIONARY
            };
            decode(&bytes, &mut take).map_err(|error| match error {
                FrameError::Refused => FrameError::LongDictionary,
                error => error,
            })?;
            bytes = text;
        }
        if bytes.len() > MAX_DICTIONARY {
            return Err(FrameError::LongDictionary);
        }
        let dictionary = Dictionary::decode_dict(&bytes)
            .map_err(|error| FrameError::BadDictionary(error.to_string()))?;
        self.decoder.add_dict(dictionary).map_err(damaged)
    }

    /// Decompresses a part of the open frame. Returns true if the frame has ended.
    ///
    /// # Errors
    ///
    /// [`FrameError`] if it cannot be read.
    pub(crate) fn step(
        &mut self,
        input: &mut impl Read,
        out: &mut Vec<u8>,
    ) -> Result<bool, FrameError> {
        if !self.decoder.is_finished() {
            let strategy = BlockDecodingStrategy::UptoBytes(PART);
            self.decoder.decode_blocks(input, strategy).map_err(damaged)?;
        }
        self.decoder.collect_to_writer(out).map_err(damaged)?;
        Ok(self.decoder.is_finished())
    }
}

fn damaged(error: impl fmt::Display) -> FrameError {
    FrameError::Damaged(error.to_string())
}

/// Decompresses all frames of some bytes, and passes the text on in parts until `take` returns
/// false.
///
/// # Errors
///
/// [`FrameError`] if one cannot be read, or if `take` refused.
pub(crate) fn decode(
    mut bytes: &[u8],
    take: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<(), FrameError> {
    let mut frames = Frames::new();
    let mut part = Vec::new();
    while !bytes.is_empty() {
        if !frames.open(&mut bytes)? {
            continue;
        }
        loop {
            part.clear();
            let is_end = frames.step(&mut bytes, &mut part)?;
            if !take(&part) {
                return Err(FrameError::Refused);
            }
            if is_end {
                break;
            }
        }
    }
    Ok(())
}
