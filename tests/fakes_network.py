"""A server that only notes who asks it: for what must ask nobody."""

from __future__ import annotations

import socket
import threading


class Listener:
    """A socket on the loopback that notes what it is asked."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(2.0)
                try:
                    self.requests.append(connection.recv(4096).decode("latin-1").partition("\r\n")[0])
                    connection.sendall(b"HTTP/1.0 404 Not Found\r\n\r\n")
                except OSError:
                    self.requests.append("a connection without a request")
