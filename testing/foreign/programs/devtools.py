"""Chromium's DevTools protocol, as much of it as tests need: evaluate in a page, and take its picture."""

import base64
import itertools
import json
import os
import socket
import struct
import time
import urllib.request

import display


def open_page(port, address, seconds=60):
    """A connection to a new tab."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/json/new?{address}", method="PUT")
    end = time.time() + seconds
    while True:
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return Page(json.load(answer)["webSocketDebuggerUrl"])
        except OSError:
            if time.time() > end:
                raise
            time.sleep(0.5)


class Page:
    """A tab, through a web socket (RFC 6455)."""

    def __init__(self, address):
        host, path = address.removeprefix("ws://").split("/", 1)
        name, port = host.split(":")
        self.socket = socket.create_connection((name, int(port)), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET /{path} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        self.socket.sendall("\r\n".join(lines).encode())
        self.stream = self.socket.makefile("rb")
        assert b"101" in self.stream.readline(), "no web socket"
        while self.stream.readline().strip():
            pass
        self.numbers = itertools.count(1)

    def call(self, method, **parameters):
        """Calls a method and returns its result."""
        number = next(self.numbers)
        self.send(json.dumps({"id": number, "method": method, "params": parameters}).encode())
        while True:
            answer = json.loads(self.receive())
            if answer.get("id") == number:
                assert "result" in answer, answer
                return answer["result"]

    def send(self, data):
        """One text frame; clients mask theirs."""
        mask = os.urandom(4)
        length = len(data)
        size = bytes([0x80 | length]) if length < 126 else struct.pack(">BH", 0x80 | 126, length)
        self.socket.sendall(b"\x81" + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def receive(self):
        """One message, of as many frames as it has."""
        message = b""
        while True:
            first, length = self.stream.read(2)
            if length >= 126:
                length = int.from_bytes(self.stream.read(2 if length == 126 else 8), "big")
            data = self.stream.read(length)
            if first & 0xF in (0, 1):
                message += data
                if first & 0x80:
                    return message

    def evaluate(self, expression):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        return result["result"].get("value")

    def wait_until_loaded(self):
        """Waits for the page and what it loads, half a minute at most."""
        for _ in range(60):
            if self.evaluate("document.readyState") == "complete":
                return
            time.sleep(0.5)

    def picture(self):
        """What the page shows: width, height, and a function of x and y that gives red, green and blue."""
        return display.decode_png(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
