"""Makes the API server reachable from the host: loopback outside, the cluster's network inside.

Started as `python3 -m localcluster.forwarder NAMESPACE_HANDLE PORT ADDRESS:PORT`.
"""

import asyncio
import contextlib
import socket
import sys
from pathlib import Path

from localcluster.netns import enter

CHUNK_BYTES = 1 << 16


async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """Copy until the source ends, then pass the end on; the other direction may go on."""
    with contextlib.suppress(OSError):
        while chunk := await source.read(CHUNK_BYTES):
            sink.write(chunk)
            await sink.drain()
        if sink.can_write_eof():
            sink.write_eof()


async def forward(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: tuple[str, int]
) -> None:
    """Serve one connection to its end."""
    with contextlib.ExitStack() as closing:
        closing.callback(writer.close)
        try:
            far_reader, far_writer = await asyncio.open_connection(*target)
        except OSError:
            return
        closing.callback(far_writer.close)
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))


async def serve(listener: socket.socket, target: tuple[str, int]) -> None:
    """Forward every connection until the process is ended."""

    async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await forward(reader, writer, target)

    async with await asyncio.start_server(accepted, sock=listener) as server:
        await server.serve_forever()


def main(handle: str, port: str, target: str) -> None:
    """Listen on the host's loopback first, then move into the cluster's network."""
    listener = socket.create_server(("127.0.0.1", int(port)), backlog=1024)
    # A socket stays in the namespace that it was made in; those made from now on are inside.
    enter(Path(handle))
    address, _, target_port = target.rpartition(":")
    asyncio.run(serve(listener, (address, int(target_port))))


if __name__ == "__main__":
    main(*sys.argv[1:])
