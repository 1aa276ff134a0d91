//! Streams of HLS and MPEG-DASH that ffmpeg wrote, converted by the program, and played by ffprobe:
//! each must have as many packets as before. So that a reference to another place is found, the
//! segments are only where the references must lead.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const RELINK: &str = env!("CARGO_BIN_EXE_relink");

/// The playlists, each with the arguments of ffmpeg that write it.
const STREAMS: &[(&str, &[&str])] = &[
    ("ts.m3u8", &["-f", "hls", "-hls_segment_filename", "media/ts%d.ts"]),
    (
        "fmp4.m3u8",
        &[
            "-f",
            "hls",
            "-hls_segment_type",
            "fmp4",
            "-hls_fmp4_init_filename",
            "media/init.mp4",
            "-hls_segment_filename",
            "media/part%d.m4s",
        ],
    ),
    (
        "key.m3u8",
        &["-f", "hls", "-hls_key_info_file", "key.txt", "-hls_segment_filename", "media/key%d.ts"],
    ),
    (
        "list.mpd",
        &[
            "-f",
            "dash",
            "-use_template",
            "0",
            "-use_timeline",
            "0",
            "-init_seg_name",
            "media/list-$RepresentationID$.mp4",
            "-media_seg_name",
            "media/list-$RepresentationID$-$Number$.m4s",
        ],
    ),
    (
        "template.mpd",
        &[
            "-f",
            "dash",
            "-use_timeline",
            "0",
            "-init_seg_name",
            "media/$RepresentationID$.mp4",
            "-media_seg_name",
            "media/$RepresentationID$-$Number%03d$.m4s",
        ],
    ),
];

#[track_caller]
fn succeeds(command: &mut Command) -> Output {
    let output = command.output().expect("it starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}", &told[told.len().saturating_sub(2000)..]);
    output
}

/// Writes all streams into a directory.
fn write_streams(root: &Path) {
    fs::create_dir_all(root.join("media")).unwrap();
    fs::write(root.join("media/key.bin"), [7; 16]).unwrap();
    fs::write(root.join("key.txt"), "media/key.bin\nmedia/key.bin\n").unwrap();
    for (name, args) in STREAMS {
        let mut ffmpeg = Command::new("ffmpeg");
        ffmpeg.current_dir(root).args(["-nostdin", "-loglevel", "error"]);
        ffmpeg.args(["-f", "lavfi", "-i", "testsrc=size=64x64:rate=10"]);
        ffmpeg.args(["-f", "lavfi", "-i", "sine", "-t", "3"]);
        ffmpeg.args(["-c:v", "mpeg4", "-g", "10", "-c:a", "aac"]);
        if name.ends_with("m3u8") {
            ffmpeg.args(["-hls_time", "1", "-hls_list_size", "0", "-hls_base_url", "media/"])
        } else {
            ffmpeg.args(["-seg_duration", "1"])
        };
        succeeds(ffmpeg.args(*args).arg(name));
    }
    // Programs that write a playlist of variants do so without a muxer; so does this.
    let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=100000\nts.m3u8\n";
    fs::write(root.join("master.m3u8"), master).unwrap();
}

/// Returns the number of packets of each stream of a playlist.
#[track_caller]
fn play(playlist: &Path) -> String {
    let mut ffprobe = Command::new("ffprobe");
    ffprobe.args(["-loglevel", "error", "-protocol_whitelist", "file,crypto,data"]);
    if playlist.extension().is_some_and(|extension| extension == "m3u8") {
        ffprobe.args(["-allowed_extensions", "ALL"]);
    }
    ffprobe.args(["-count_packets", "-show_entries", "stream=codec_name,nb_read_packets"]);
    let output = succeeds(ffprobe.args(["-of", "csv=p=0"]).arg(playlist));
    String::from_utf8(output.stdout).unwrap()
}

fn url(path: &Path) -> String {
    format!("file://{}/", path.display())
}

#[track_caller]
fn relink(args: &[&str]) {
    let output = succeeds(Command::new(RELINK).args(args).arg("-v"));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!told.contains("cannot be written") && !told.contains("ambiguous"), "{told}");
}

/// Moves the playlists of a directory to another, without their segments.
fn move_playlists(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for name in names() {
        fs::rename(from.join(name), to.join(name)).unwrap();
    }
    fs::remove_dir_all(from).unwrap();
}

fn names() -> impl Iterator<Item = &'static str> {
    STREAMS.iter().map(|(name, _)| *name).chain(["master.m3u8"])
}

#[test]
fn streams_play_after_every_command() {
    let runs = |program| crate::tools::has(program, &["-version"]);
    if !runs("ffmpeg") || !runs("ffprobe") {
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let scratch = scratch.path().canonicalize().unwrap();
    let dir = |name: &str| scratch.join(name);
    let text = |name: &str| dir(name).to_str().unwrap().to_owned();
    write_streams(&dir("site"));
    let packets: Vec<String> = names().map(|name| play(&dir("site").join(name))).collect();
    // 30 pictures; ffprobe leaves out the last segment of a list.
    for (name, packets) in names().zip(&packets) {
        let is_whole = ["mpeg4,30", "mpeg4,20"].iter().any(|all| packets.contains(all));
        assert!(is_whole && packets.contains("aac,"), "{name}: {packets}");
    }
    let play_all = |place: &str| {
        for (name, packets) in names().zip(&packets) {
            assert_eq!(play(&dir(place).join(name)), *packets, "{place}/{name}");
        }
    };

    // Absolute: the playlists alone are elsewhere.
    let base = url(&dir("site"));
    relink(&["absolutize", &text("site"), "--base", &base, "-o", &text("absolute")]);
    move_playlists(&dir("absolute"), &dir("elsewhere"));
    play_all("elsewhere");

    // Moved: the segments too.
    let to = url(&dir("moved/media/"));
    let to = to.trim_end_matches('/').to_owned() + "/";
    let from = format!("{base}media/");
    let args = ["--base", &base, "--from", &from, "--to", &to, "-o", &text("references")];
    relink(&[&["move", &text("elsewhere")], &args[..]].concat());
    fs::create_dir(dir("moved")).unwrap();
    fs::rename(dir("site/media"), dir("moved/media")).unwrap();
    for name in names().filter(|name| *name != "master.m3u8") {
        assert_eq!(play(&dir("references").join(name)), packets[index(name)], "moved: {name}");
    }

    // Relative again, and then everything at another place.
    for name in names() {
        fs::copy(dir("references").join(name), dir("moved").join(name)).unwrap();
    }
    let base = url(&dir("moved"));
    relink(&["relativize", &text("moved"), "--base", &base, "-o", &text("relative")]);
    fs::remove_dir_all(dir("moved")).unwrap();
    fs::rename(dir("relative"), dir("last")).unwrap();
    for name in names().filter(|name| *name != "master.m3u8") {
        assert_eq!(play(&dir("last").join(name)), packets[index(name)], "relative: {name}");
    }
    for name in names() {
        let playlist = fs::read_to_string(dir("last").join(name)).unwrap();
        assert!(name == "master.m3u8" || !playlist.contains("file:///"), "{name}: {playlist}");
    }
    println!("{} playlists, played in four places", packets.len());
}

fn index(name: &str) -> usize {
    names().position(|other| other == name).unwrap()
}
