"""Writes an mbox of HTML newsletters, the same one for the same size: python3
benches/figures/newsletters.py BYTES > FILE

Some hundred messages are made with care, and written again and again with other numbers in them
until the size is reached. 95 % of the bytes are quoted-printable HTML of 76 columns, which encodes
every `=` of a query and cuts long URLs; the rest are headings, plain text and pictures. Most
references are absolute and lead through a counter of clicks; in every third message some are
relative, and a field or a <base> says from where. What it wrote is reported on standard error.
"""

import base64
import binascii
import datetime
import random
import re
import sys

SEED = 1808
N_DISTINCT = 320
# The number that each copy of a message has of its own. As wide as the numbers that replace it,
# so that no line grows.
NUMBER = b"7195204836"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
WORDS = (
    "harbour light letter garden morning reader winter village station market bread river season paper window music kitchen table "
    "street council summer story weather ferry island school teacher library night concert bridge coast author novel recipe train "
    "more less the a of to and in for with on from this that every new"
).split()
OTHER_WORDS = "café crème naïve jalapeño Zürich Århus „quoted“ 20 % = – &amp;".split()


class Letter:
    """One newsletter: what it says, where it comes from, how it is written."""

    def __init__(self, idx):
        self.random = random.Random(SEED * 100_000 + idx)
        self.idx = idx
        self.host = self.random.choice(["harbour-light", "north-shore", "paperboat", "daily-crumb"]) + ".example"
        self.charset = "iso-8859-1" if idx % 10 == 3 else "utf-8"
        self.is_relative = idx % 3 == 0
        self.place = f"https://www.{self.host}/letters/2026/{idx:03}/"
        # Where the base is reported: each of these in turn.
        self.told_by = ["part-base", "part-location", "outer-base", "element", "outer-location"][idx // 3 % 5] if self.is_relative else None
        self.has_pictures = idx % 6 == 1
        self.pictures = [f"{name}.{idx}@{self.host}" for name in ("logo", "banner")] if self.has_pictures else []

    def token(self, size):
        return "".join(self.random.choices(LETTERS, k=size))

    def words(self, least, most, words=WORDS + OTHER_WORDS):
        return " ".join(self.random.choices(words, k=self.random.randint(least, most)))

    def tracked(self):
        """The counter of clicks, as mailing services write it; half of the sizes of a token
        make for cuts anywhere in it."""
        number = NUMBER.decode()
        return (
            f"https://click.{self.host}/ls/click?upn={self.token(self.random.randint(40, 140))}&amp;m={number}"
            f"&amp;c={self.random.randint(1, 9999)}&amp;utm_source=newsletter&amp;utm_medium=email&amp;utm_campaign=letter-{self.idx:03}"
        )

    def plain(self):
        kind = self.random.randrange(4)
        if kind == 0:
            return f"../{self.random.randint(1, 300):03}/story-{self.random.randint(1, 99)}.html?a={self.token(4)}&amp;c={self.token(6)}#top"
        if kind == 1:
            return f"/topics/{self.random.randint(1, 99)}/?page={self.random.randint(1, 9)}&amp;sort=new"
        if kind == 2:
            return f"story-{self.random.randint(1, 99)}.html"
        return f"//static.{self.host}/p/{self.token(8)}.html"

    def link(self):
        return self.plain() if self.is_relative and self.random.random() < 0.6 else self.tracked()

    def picture(self):
        name = f"{self.token(10)}-600x400.jpg?w={self.random.randint(100, 1200)}&amp;fit=crop&amp;auto=format"
        if self.pictures and self.random.random() < 0.1:
            return "cid:" + self.random.choice(self.pictures)
        if self.is_relative and self.random.random() < 0.6:
            return "img/" + name
        return f"https://images.{self.host}/{name}"

    def article(self):
        font = "font-family:Georgia, 'Times New Roman', serif;font-size:16px;line-height:24px;color:#333333;"
        paragraphs = "".join(f'<p style="margin:0 0 12px 0;{font}">{self.words(25, 80)}</p>\n' for _ in range(self.random.randint(1, 3)))
        return f"""
<table role="presentation" width="100%" border="0" cellpadding="0" cellspacing="0" style="border-collapse:collapse;mso-table-lspace:0pt;">
  <tr>
    <td align="left" valign="top" width="200" style="padding:12px 24px 12px 24px;">
      <a href="{self.link()}" target="_blank" style="text-decoration:none;"><img src="{self.picture()}" width="200" height="133" alt="{self.words(2, 5)}" border="0" style="display:block;max-width:100%;"></a>
    </td>
    <td align="left" valign="top" style="padding:12px 24px 12px 0;background-color:#ffffff;">
      <h2 style="margin:0 0 8px 0;{font}font-weight:bold;"><a href="{self.link()}" target="_blank" style="color:#1a4e8a;">{self.words(4, 9)}</a></h2>
{paragraphs}      <a href="{self.link()}" target="_blank" style="color:#ffffff;background:#1a4e8a url({self.picture()}) no-repeat;padding:8px 16px;">{self.words(1, 3)}</a>
    </td>
  </tr>
</table>
<!--[if mso]><table width="600"><tr><td background="{self.picture()}"><![endif]-->
"""

    def html(self):
        element = f'<base href="{self.place}">' if self.told_by == "element" else ""
        articles = "".join(self.article() for _ in range(self.random.randint(20, 50)))
        footer = " | ".join(f'<a href="{self.tracked()}" style="color:#999999;">{self.words(1, 2)}</a>' for _ in range(5))
        return f"""<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en">
<head>
<meta http-equiv="Content-Type" content="text/html; charset={self.charset}">
<meta name="viewport" content="width=device-width, initial-scale=1">{element}
<title>{self.words(4, 9)}</title>
<style type="text/css">
body, table, td, a {{ -webkit-text-size-adjust: 100%; -ms-text-size-adjust: 100%; }}
.hero {{ background-image: url('{self.picture()}'); }}
@media only screen and (max-width: 620px) {{ .wide {{ width: 100% !important; }} .gone {{ display: none !important; }} }}
</style>
</head>
<body bgcolor="#f4f4f4" background="{self.picture()}" style="margin:0;padding:0;">
<div style="display:none;max-height:0;overflow:hidden;">{self.words(10, 20)}&nbsp;&zwnj;&nbsp;&zwnj;</div>
<center><table width="640" class="wide"><tr><td>
<p>
From the editors: {self.words(20, 40)}</p>
{articles}
<p style="font-size:11px;color:#999999;">{footer}</p>
<img src="https://open.{self.host}/o.gif?u={self.token(60)}&amp;m={NUMBER.decode()}" width="1" height="1" alt="">
</td></tr></table></center>
</body>
</html>
"""

    def part(self, fields, body):
        return "".join(field + "\n" for field in fields).encode() + b"\n" + body

    def multipart(self, subtype, fields, parts):
        """A heading and its parts."""
        boundary = f"=_{subtype}_{self.token(24)}"
        delimiter = b"--" + boundary.encode()
        heading = "".join(field + "\n" for field in fields) + f'Content-Type: multipart/{subtype};\n\tboundary="{boundary}"\n'
        lines = [heading.encode(), *(delimiter + b"\n" + part for part in parts), delimiter + b"--\n"]
        return b"\n".join(lines)

    def place_fields(self, by):
        """The field that says the base, if it is in this heading."""
        if self.told_by == by + "-base":
            return [f"Content-Base: {self.place}"]
        if self.told_by == by + "-location":
            return [f"Content-Location: {self.place}index.html"]
        return []

    def heading(self):
        moment = datetime.datetime(2026, 3, self.random.randint(1, 28), self.random.randrange(24), self.random.randrange(60), 7)
        date = moment.strftime("%a, %d %b %Y %H:%M:%S +0000")
        number = NUMBER.decode()
        signature = "\n\t ".join(self.token(64) for _ in range(5)) + "=="
        hops = "".join(
            f"Received: from {hop}.{self.host} ({hop}.{self.host} [192.0.2.{self.random.randint(1, 254)}])\n"
            f"\tby {self.token(6).lower()}.post.example (Postfix) with ESMTPS id {self.token(11)}\n"
            f"\tfor <reader@post.example>; {date}\n"
            for hop in ("out-3", "queue", "app-17")
        )
        separator = f"From bounce+{number}@{self.host} {moment.ctime()}\n"
        fields = f"""Return-Path: <bounce+{number}@{self.host}>
Delivered-To: reader@post.example
{hops}DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d={self.host};
\ts=k2026; t=17{number[:8]}; bh={self.token(43)}=;
\th=From:Subject:Date:To:MIME-Version:Content-Type:List-Unsubscribe;
\tb={signature}
From: The Editors <letter@{self.host}>
To: A Reader <reader@post.example>
Subject: =?utf-8?q?Letter_{self.idx}_from_the_caf=C3=A9?=
Date: {date}
Message-ID: <{number}.{self.token(20)}@{self.host}>
List-Id: <letters.{self.host}>
List-Unsubscribe: <https://click.{self.host}/unsubscribe?u={self.token(24)}&m={number}>,
\t<mailto:leave@{self.host}?subject=leave%20{number}>
List-Unsubscribe-Post: List-Unsubscribe=One-Click
Feedback-ID: {self.idx}:{number}:letters
MIME-Version: 1.0
"""
        return separator, fields

    def text(self):
        lines = "\n".join(self.words(8, 11, WORDS) for _ in range(self.random.randint(6, 14)))
        return f"""From our desk to yours

{lines}

Read it in a browser: https://www.{self.host}/letters/2026/{self.idx:03}/?m={NUMBER.decode()}

From now on, leave here: https://click.{self.host}/unsubscribe?m={NUMBER.decode()}
"""

    def message(self):
        """The message as it is in an mbox, and how much of it is encoded HTML."""
        html = binascii.b2a_qp(self.html().encode(self.charset, "xmlcharrefreplace"), istext=True)
        fields = [f"Content-Type: text/html; charset={self.charset}", "Content-Transfer-Encoding: quoted-printable", *self.place_fields("part")]
        text = self.part(["Content-Type: text/plain; charset=us-ascii", "Content-Transfer-Encoding: 7bit"], self.text().encode())
        whole = self.part(fields, html)
        separator, heading = self.heading()
        inner = [text, whole]
        outer = [heading.rstrip("\n"), *self.place_fields("outer")]
        if self.has_pictures:
            pictures = [self.inline(name) for name in self.pictures]
            body = self.multipart("related", outer, [self.multipart("alternative", [], inner), *pictures])
        else:
            body = self.multipart("alternative", outer, inner)
        quoted = re.sub(rb"(?m)^(>*From )", rb">\1", body)
        return separator.encode() + quoted + b"\n", len(html)

    def inline(self, name):
        """A picture; what it shows is noise."""
        octets = b"\x89PNG\r\n\x1a\n" + self.random.randbytes(self.random.randint(2_000, 8_000))
        fields = ["Content-Type: image/png", "Content-Transfer-Encoding: base64", f"Content-ID: <{name}>", "Content-Disposition: inline"]
        return self.part(fields, base64.encodebytes(octets))


def main():
    wanted = int(sys.argv[1])
    messages = [Letter(idx).message() for idx in range(min(N_DISTINCT, max(16, wanted // 50_000)))]
    templates = [(message.split(NUMBER), len(message), n_html) for message, n_html in messages]
    out = sys.stdout.buffer
    n_bytes = n_html = n_messages = 0
    while n_bytes < wanted:
        pieces, n_message, n_of_html = templates[n_messages % len(templates)]
        out.write((b"%010d" % n_messages).join(pieces))
        n_messages += 1
        n_bytes += n_message
        n_html += n_of_html
    print(f"{n_messages} messages, {n_bytes} bytes, {100 * n_html / n_bytes:.1f} % quoted-printable HTML", file=sys.stderr)


if __name__ == "__main__":
    main()
