"""A longer wire between a browser and a server on this machine: a proxy that holds every byte for a while.

A Binder, a hub or Colab are 50 to 200 ms away, there and back.
"""

import asyncio
import threading
from types import TracebackType


class Wire:
    """Listens at a port of its own and passes everything on to another, both ways, late.

    Parameters
    ----------
    port : int
        Where the server listens, on 127.0.0.1.
    round_trip : float
        Seconds that a byte and its answer are held together: half of it each way.
    """

    def __init__(self, port: int, round_trip: float) -> None:
        self.port, self.delay = port, round_trip / 2
        self.loop = asyncio.new_event_loop()
        self.tasks: set[asyncio.Task[None]] = set()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self) -> "Wire":
        self.thread.start()
        start = asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self.server = asyncio.run_coroutine_threadsafe(start, self.loop).result()
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def _close(self) -> None:
        self.server.close()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.port)
        for source, target in [(reader, far_writer), (far_reader, writer)]:
            task = self.loop.create_task(self._one_way(source, target))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def _one_way(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        """Pass on what comes, each piece `delay` after it came; then close."""
        held: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        reading = self.loop.create_task(self._read(source, held))
        try:
            while True:
                due, piece = await held.get()
                await asyncio.sleep(max(0, due - self.loop.time()))
                if not piece:
                    return
                target.write(piece)
                await target.drain()
        except ConnectionError:
            pass  # the other side has gone
        finally:
            reading.cancel()
            target.close()

    async def _read(self, source: asyncio.StreamReader, held: "asyncio.Queue[tuple[float, bytes]]") -> None:
        piece = b"-"
        while piece:
            try:
                piece = await source.read(65536)
            except ConnectionError:
                piece = b""
            held.put_nowait((self.loop.time() + self.delay, piece))
