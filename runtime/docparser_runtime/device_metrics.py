"""What engines take of devices such as GPUs, asked at each scrape. Without any nothing is shown."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from docparser_runtime.engine.base import DeviceUse

_GAUGES: Final = {
    "busy_ratio": "Share of the time in which the device computes, 0 to 1.",
    "memory_used_bytes": "Memory of the device in use.",
    "memory_peak_bytes": "Most of it since the engine was loaded.",
    "memory_planned_bytes": "Most of it that the engine means to use.",
}


class DeviceMetrics(Collector):
    """Gauges of devices; what an engine cannot tell is left out."""

    def __init__(self, devices: Callable[[], Sequence[DeviceUse]]) -> None:
        self._devices = devices

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges without values: a registry may not ask the engine before it is there."""
        yield from (_gauge(name) for name in _GAUGES)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges."""
        used = self._devices()
        for name in _GAUGES:
            gauge = _gauge(name)
            for device in used:
                value = getattr(device, name)
                if value is not None:
                    gauge.add_metric((device.device,), value)
            if gauge.samples:
                yield gauge


def _gauge(name: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"docparser_device_{name}", _GAUGES[name], labels=("device",))
