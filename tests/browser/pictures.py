"""Pictures: PNGs of one colour are made, and those of the browser are compared pixel by pixel."""

import struct
import zlib

# Two pixels are the same if no channel differs by more of its 256 levels: more than is seen, and
# less than between any two colours of the pages.
TOLERANCE = 2


def picture(width, height, colour):
    """A PNG of one colour."""

    def chunk(name, octets):
        return struct.pack(">I", len(octets)) + name + octets + struct.pack(">I", zlib.crc32(name + octets))

    rows = (b"\0" + bytes(colour) * width) * height
    heading = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", heading) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def pixels(png):
    """The width of a PNG, the number of its channels, and its rows: bytes, one for each channel."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n"), "a PNG"
    at, data = 8, b""
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        content = png[at + 8 : at + 8 + length]
        if name == b"IHDR":
            width, _, depth, kind, _, _, interlace = struct.unpack(">IIBBBBB", content)
        elif name == b"IDAT":
            data += content
        at += 12 + length
    n_channels = {0: 1, 2: 3, 4: 2, 6: 4}[kind]
    assert depth == 8 and interlace == 0, "a PNG as Chromium writes it"
    data = zlib.decompress(data)
    rows, above, length = [], bytes(width * n_channels), 1 + width * n_channels
    for start in range(0, len(data), length):
        above = unfiltered(data[start], bytearray(data[start + 1 : start + length]), above, n_channels)
        rows.append(above)
    return width, n_channels, rows


def unfiltered(method, row, above, n):
    """A row without its filter (PNG, section 9): each byte is the difference from what is left of
    it, above it, or both."""
    for at in range(len(row)) if method else ():
        left = row[at - n] if at >= n else 0
        if method == 1:
            guess = left
        elif method == 2:
            guess = above[at]
        elif method == 3:
            guess = (left + above[at]) // 2
        else:
            corner = above[at - n] if at >= n else 0
            all_of = (left, above[at], corner)
            guess = min(all_of, key=lambda value: abs(left + above[at] - corner - value))
        row[at] = (row[at] + guess) & 255
    return bytes(row)


def difference(one, other):
    """What is different between two PNGs: None, or a text with the number of pixels and the first
    one."""
    if one == other:
        return None
    (width, n, rows), (other_width, other_n, other_rows) = pixels(one), pixels(other)
    sizes = [(width, len(rows), n), (other_width, len(other_rows), other_n)]
    if sizes[0] != sizes[1]:
        return f"width, height and channels: {sizes[0]} and {sizes[1]}"
    found = []
    for y, (row, other_row) in enumerate(zip(rows, other_rows)):
        if row != other_row:
            for x in range(width):
                pair = row[x * n : x * n + n], other_row[x * n : x * n + n]
                if any(abs(a - b) > TOLERANCE for a, b in zip(*pair)):
                    found.append((x, y, list(pair[0]), list(pair[1])))
    if not found:
        return None
    x, y, was, now = found[0]
    return f"{len(found)} pixels, the first at ({x}, {y}): {was} and {now}"
