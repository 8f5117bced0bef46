"""A local HTTP server for the tests of downloads; `server` is its pytest fixture."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Server:
    """Serves `files` by path and records the Range header of every request. `ranges` False ignores that header; `cut`
    names a path whose answer breaks off in the middle."""

    def __init__(self):
        self.files, self.requests, self.ranges, self.cut = {}, [], True, None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def answer(self, request):
        wanted = request.headers.get("Range")
        self.requests.append((request.path, wanted))
        body = self.files.get(request.path)
        start = int(re.match(r"bytes=(\d+)-", wanted).group(1)) if wanted and self.ranges else 0
        if body is None or (start and start >= len(body)):
            return request.send_error(404 if body is None else 416)
        request.send_response(206 if start else 200)
        if start:
            request.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        request.send_header("Content-Length", str(len(body) - start))
        request.end_headers()
        request.wfile.write(body[start : len(body) // 2] if self.cut == request.path else body[start:])


@pytest.fixture
def server():
    one = Server()
    yield one
    one.http.shutdown()
    one.http.server_close()
