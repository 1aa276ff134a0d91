"""A server for ftp that gives the files of a directory to anybody: python3 ftpd.py FOLDER

Its port is one that is free, and is reported on standard output when it listens there; it ends when
standard input does.
"""

import logging
import os
import sys
import threading

from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer


def main():
    logging.basicConfig(level=logging.ERROR)
    authorizer = DummyAuthorizer()
    authorizer.add_anonymous(os.path.realpath(sys.argv[1]))
    FTPHandler.authorizer = authorizer
    # No client is so slow; the default is half a minute.
    FTPHandler.passive_dtp.timeout = 300
    server = FTPServer(("127.0.0.1", 0), FTPHandler)
    server.max_cons = 64
    print(server.address[1], flush=True)

    def wait():
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
    server.serve_forever(handle_exit=False)


if __name__ == "__main__":
    main()
