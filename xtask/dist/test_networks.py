"""The lists that block all private networks but one are the same list."""

import ipaddress
from pathlib import Path

import check

ROOT = Path(__file__).resolve().parents[2]
PRIVATE = ["0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.0.1", "169.254.169.254", "172.31.0.1"]
PRIVATE += ["192.168.77.1", "192.0.2.1", "198.18.0.1", "255.255.255.255", "::", "::1", "fd00::1", "fe80::1", "fec0::1"]
PUBLIC = ["1.1.1.1", "9.255.0.1", "126.0.0.1", "172.32.0.1", "192.169.0.1", "223.0.0.1", "2606:4700::1111", "::2"]


def blocked(path: str, left_out: str) -> set[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """The list of a file together with the network that it says it leaves out."""
    text, network = (ROOT / path).read_text(), ipaddress.ip_network(left_out)
    listed = check.networks(text)
    assert left_out in text and not any(network.overlaps(one) for one in listed if one.version == network.version)
    both = [[one for one in [*listed, network] if one.version == version] for version in [4, 6]]
    return {one for networks in both for one in ipaddress.collapse_addresses(networks)}


def test_the_lists_are_one() -> None:
    networks = blocked("deploy/runtime-config.toml", "127.128.0.0/9")
    assert networks == blocked("docs/OPERATIONS.md", "192.168.77.0/24")
    for address in [*PRIVATE, *PUBLIC]:
        is_blocked = any(ipaddress.ip_address(address) in network for network in networks)
        assert is_blocked == (address in PRIVATE), address
