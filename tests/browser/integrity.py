"""Sites whose elements have digests of what they load, for `loads.py`: right ones of files that a
command edits and of files that it does not, and others; and sites with a policy that has hashes of
the styles in them."""

import base64
import hashlib
import re

from sites import Maker

ALGORITHMS = ("sha256", "sha384", "sha512")

# Pieces of a page: DIGESTS are those of the file that is referred to before.
PIECES = [
    '<link rel=stylesheet href="css@" integrity="DIGESTS" crossorigin>',
    '<link rel=stylesheet href="css@" integrity="DIGESTS">',
    '<link rel=preload as=style href="css@" integrity="DIGESTS"><link rel=stylesheet href="css@">',
    '<link rel=stylesheet href="css@" crossorigin=anonymous>',
    '<script src="js@" integrity="DIGESTS" crossorigin></script>',
    '<script src="js@" integrity="DIGESTS"></script>',
    '<script type=module src="module@" integrity="DIGESTS"></script>',
    '<svg><script href="js@" integrity="DIGESTS"></script></svg>',
    '<svg><script xlink:href="js@" integrity="DIGESTS" crossorigin></script></svg>',
]
PIECE = re.compile(r"(\w+)@|DIGESTS")


class Signed(Maker):
    """Writes a site with digests, in which half of the style sheets are edited."""

    EDITED = ("", "css/")

    def base(self):
        # The digests are those of the files without one.
        return ""

    def head(self):
        return self.with_policy() + [self.signed(self.random.choice(PIECES)) for _ in range(6)]

    def body(self):
        return ["".join(self.allowed_body), *super().body()]

    def with_policy(self):
        """A policy that allows some styles by their hashes, and these but for those in the body."""
        self.allowed_body = []
        if self.random.randrange(2) == 0:
            return []
        style = self.fill('#hash{background-image:url("png@")}')
        frame = self.fill("p{background-image:url(png@)}")
        # No other style gets the same text, which would allow it.
        attribute = self.fill("background-image:url('png@');top:0")
        if self.random.randrange(4) == 0:
            # This one is blocked before and after.
            style, allowed = style + " ", style
        else:
            allowed = style
        sources = [f"'{self.digest(text.encode(), self.random.choice(ALGORITHMS))}'" for text in (allowed, frame, attribute)]
        self.random.shuffle(sources)
        body = [f'<p id=hash>x</p><p style="{attribute}">x</p>', f'<iframe srcdoc="<style>{frame}</style><p>x</p>"></iframe>']
        self.allowed_body = body
        policy = f"style-src * 'unsafe-hashes' {' '.join(sources)}"
        return [f'<meta http-equiv=Content-Security-Policy content="{policy}">', f"<style>{style}</style>"]

    def signed(self, piece):
        name = None

        def one(match):
            nonlocal name
            if match.group() == "DIGESTS":
                return self.digests(name)
            reference = self.reference(match)
            name = next(path for path in sorted(self.files, key=len, reverse=True) if reference.endswith("/" + path) or reference == path)
            return reference

        return PIECE.sub(one, piece)

    def digests(self, name):
        content = self.files[name]
        content = content if isinstance(content, bytes) else content.encode()
        algorithms = [self.random.choice(ALGORITHMS) for _ in range(self.random.randrange(1, 3))]
        tokens = [self.digest(content, algorithm) for algorithm in algorithms]
        if self.random.randrange(3) == 0:
            # One of the strongest is right: a page on the disk has none, and nothing is blocked
            # there.
            others = [self.digest(b"other", algorithms[0]), "md5-x", "unknown"]
            tokens.insert(self.random.randrange(len(tokens) + 1), self.random.choice(others))
        return " ".join(tokens)

    def digest(self, content, algorithm):
        return f"{algorithm}-{base64.b64encode(hashlib.new(algorithm, content).digest()).decode()}"
