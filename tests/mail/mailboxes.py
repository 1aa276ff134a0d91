"""The messages of mailboxes, as Python's mailbox module reads them.

    python3 tests/mail/mailboxes.py read PATH ...
    python3 tests/mail/mailboxes.py write PATH MESSAGES

`read` prints a JSON array for each file: its messages, without the separators, in Latin-1. `write`
makes a mailbox of the messages in a file that such an array is in; the module quotes the lines that
begin with `From `.
"""

import json
import mailbox
import sys


def read(path):
    """The messages of a mailbox, each without the line that begins it."""
    box = mailbox.mbox(path, create=False)
    try:
        return [box.get_bytes(key).decode("latin-1") for key in box.keys()]
    finally:
        box.close()


def write(path, messages):
    """Makes a mailbox of messages."""
    box = mailbox.mbox(path)
    for message in messages:
        box.add(message.encode("latin-1"))
    box.close()


def main(args):
    if args[0] == "write":
        with open(args[2], encoding="utf-8") as file:
            write(args[1], json.load(file))
        return
    for path in args[1:]:
        print(json.dumps(read(path)))


if __name__ == "__main__":
    main(sys.argv[1:])
