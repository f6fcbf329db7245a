"""What engines take of devices such as GPUs, asked at each scrape. Without any nothing is shown."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from docparser_runtime.engine.base import DeviceUse

_GAUGES: Final = {
    "busy_ratio": ("docparser_gpu_busy_ratio", "Share of the time in which it computes, 0 to 1."),
    "memory_used_bytes": ("docparser_vram_used_bytes", "Memory of the device in use."),
    "memory_peak_bytes": ("docparser_vram_peak_bytes", "Most of it since the engine was loaded."),
    "memory_planned_bytes": (
        "docparser_vram_planned_bytes",
        "Most of it that the engine means to use.",
    ),
}
"""Name and meaning of each gauge, by the attribute of `DeviceUse`."""


class DeviceMetrics(Collector):
    """Gauges of devices; what an engine cannot tell is left out."""

    def __init__(self, devices: Callable[[], Sequence[DeviceUse]]) -> None:
        self._devices = devices

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges without values: a registry may not ask the engine before it is there."""
        yield from map(_gauge, _GAUGES)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges."""
        used = self._devices()
        for attribute in _GAUGES:
            gauge = _gauge(attribute)
            for device in used:
                value = getattr(device, attribute)
                if value is not None:
                    gauge.add_metric((device.device,), value)
            if gauge.samples:
                yield gauge


def _gauge(attribute: str) -> GaugeMetricFamily:
    name, text = _GAUGES[attribute]
    return GaugeMetricFamily(name, text, labels=("device",))
