"""Clients that send a byte a second, in a process of their own.

    .venv/bin/python tests/benchmarks/dripping.py --port 8080 --connections 500

Says `dripping` once all are connected, goes on until its input is closed, and then says how many
connections the service still held. Their bytes are spread over the second, as those of clients that
know nothing of each other are.
"""

import argparse
import asyncio
import sys

PATH = "/v1/document/parse"


async def drip(port: int, delay_seconds: float) -> None:
    """Send a request that never gets anywhere, until the service closes the connection."""
    await asyncio.sleep(delay_seconds)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST {PATH} HTTP/1.1\r\nHost: a\r\nX-Padding: {'a' * 1000}\r\n\r\n"
    try:
        for byte in head.encode():
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(1)
            if reader.at_eof():
                return
    except ConnectionError:
        return
    finally:
        writer.close()


async def main() -> None:
    """Drip until nobody listens."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--connections", type=int, default=500)
    arguments = parser.parse_args()
    count = arguments.connections
    tasks = [asyncio.create_task(drip(arguments.port, number / count)) for number in range(count)]
    await asyncio.sleep(2)
    print("dripping", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(sum(not task.done() for task in tasks), flush=True)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


if __name__ == "__main__":
    asyncio.run(main())
