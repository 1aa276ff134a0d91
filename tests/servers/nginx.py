"""Starts nginx with ports that nobody else can take: python3 nginx.py NGINX DIRECTORY COUNT

COUNT sockets are bound to free ports of this machine, which are printed on one line. The
configuration, which is made of them, is read from standard input until its end. nginx then replaces
this process, with the sockets still open: each keeps its port from everybody but a program of the
same user that shares it, as nginx does with `listen PORT reuseport`. They do not listen, so that all
who connect reach nginx.

That nginx inherits sockets that listen (its variable NGINX) would be simpler, but nginx 1.22 crashes
then unless it has a process for its workers, which is left behind when the first one is killed.
"""

import os
import socket
import sys


def main():
    nginx, directory, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    sockets = [socket.socket() for _ in range(count)]
    for keeper in sockets:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        keeper.bind(("127.0.0.1", 0))
        keeper.set_inheritable(True)
    print(*(keeper.getsockname()[1] for keeper in sockets), flush=True)
    path = os.path.join(directory, "nginx.conf")
    with open(path, "wb") as file:
        file.write(sys.stdin.buffer.read())
    os.execvp(nginx, [nginx, "-e", os.path.join(directory, "error.log"), "-p", directory, "-c", path])


if __name__ == "__main__":
    main()
