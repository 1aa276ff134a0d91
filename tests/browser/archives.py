"""Archives of sites, by other programs than relink: MHTML by Python's `email`, WARC byte by byte."""

import email.encoders
import email.mime.multipart
import email.mime.nonmultipart
import uuid

from site_server import type_of


def mhtml(files, page, root):
    """A message with a page of a site, and all other files of it."""
    message = email.mime.multipart.MIMEMultipart("related", type="text/html")
    message["Subject"] = "t"
    for name in [page, *(name for name in files if name != page)]:
        part = email.mime.nonmultipart.MIMENonMultipart(*type_of(name).split("/"))
        part["Content-Location"] = root + name
        part.set_payload(as_bytes(files[name]))
        email.encoders.encode_base64(part)
        message.attach(part)
    return message.as_bytes()


def warc(files, root):
    """The records of the responses for the files of a site."""
    return b"".join(record(root + name, type_of(name), as_bytes(content)) for name, content in files.items())


def record(url, media_type, body):
    block = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    fields = {
        "WARC-Type": "response",
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>",
        "WARC-Date": "2020-01-01T00:00:00Z",
        "WARC-Target-URI": url,
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": len(block),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"WARC/1.0\r\n{head}\r\n".encode() + block + b"\r\n\r\n"


def as_bytes(content):
    return content if isinstance(content, bytes) else content.encode()
