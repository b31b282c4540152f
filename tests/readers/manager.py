#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# manager.py SOCKET FILE: hears what a service says (sd_notify(3)), as a line each
import socket, sys
heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
heard.bind(sys.argv[1])
with open(sys.argv[2], "w", buffering=1) as out:
    while True:
        print(heard.recv(4096).decode().replace("\n", " "), file=out)
