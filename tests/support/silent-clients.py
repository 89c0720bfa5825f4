"""Starts clients that send a request and read nothing: silent-clients.py <port> <count> <file with the request>.

The clients' connections have the buffers of a slow network. With larger buffers, the system would store megabytes for
each loopback connection. The program prints a line when all requests are sent, and exits when its standard input ends.
"""

import socket
import sys
import time

port, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
with open(path, "rb") as file:
    request = file.read()
clients = []
for _ in range(count):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    client.connect(("127.0.0.1", port))
    client.sendall(request)
    clients.append(client)
    # The system lets only a few connections wait to be accepted.
    time.sleep(0.01)
print("sent", flush=True)
sys.stdin.read()
