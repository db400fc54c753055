"""What would add a missing mechanism on this machine, as a command where there is one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_CONTAINER_FILES = ("/.dockerenv", "/run/.containerenv")
_BUBBLEWRAP_INSTALLERS = {
    "apt-get": "apt-get install bubblewrap",
    "dnf": "dnf install bubblewrap",
    "apk": "apk add bubblewrap",
    "pacman": "pacman -S bubblewrap",
    "zypper": "zypper install bubblewrap",
}


def in_container() -> bool:
    """Whether a container engine started this system."""
    return "KUBERNETES_SERVICE_HOST" in os.environ or any(
        Path(name).exists() for name in _CONTAINER_FILES
    )


def for_namespaces(program: str) -> str:
    """How to let ``program`` (the interpreter) make namespaces here."""
    if _sysctl("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            "AppArmor keeps unprivileged programs from user namespaces (Ubuntu 23.10 and later): "
            f"give the interpreter a profile:\n{_apparmor_profile(program)}\n"
            "or lift the rule for all programs: "
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
        )
    if _sysctl("kernel/unprivileged_userns_clone") == "0":
        return "sudo sysctl -w kernel.unprivileged_userns_clone=1"
    if _sysctl("user/max_user_namespaces") == "0":
        return "sudo sysctl -w user.max_user_namespaces=10000"
    if in_container():
        return (
            "the container engine forbids namespaces: start the worker's container with "
            "--security-opt seccomp=unconfined --security-opt apparmor=unconfined (run as a user; "
            "as root add --cap-add SYS_ADMIN), or run the worker on the host or in a VM"
        )
    return "a kernel with user, mount, pid, net, ipc and uts namespaces, Linux 5.12 or later"


def for_bubblewrap() -> str:
    """The command that installs bubblewrap here."""
    for tool, command in _BUBBLEWRAP_INSTALLERS.items():
        if shutil.which(tool):
            return command if os.geteuid() == 0 else f"sudo {command}"
    return "install the package bubblewrap"


def for_landlock() -> str:
    """How to get Landlock."""
    return (
        "Linux 5.13 or later with Landlock enabled: add landlock to the kernel's "
        "command line (lsm=landlock,...) and restart"
    )


def for_seccomp() -> str:
    """How to get seccomp filters."""
    return "a Linux kernel with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64"


def _apparmor_profile(program: str) -> str:
    return (
        f"  printf 'abi <abi/4.0>,\\nprofile csro {program} flags=(unconfined) {{ userns, }}\\n'"
        " | sudo tee /etc/apparmor.d/csro && sudo apparmor_parser -r /etc/apparmor.d/csro"
    )


def _sysctl(name: str) -> str | None:
    """The kernel setting's value, None where it does not exist or cannot be read."""
    try:
        return Path("/proc/sys", name).read_text().strip()
    except OSError:
        return None
