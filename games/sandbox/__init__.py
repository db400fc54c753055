"""Running policies that nobody has read yet. See docs/explanation/sandbox.md."""

from games.sandbox.process import JailNotLocked, PolicyProcess
from games.sandbox.sandbox import Sandbox
from games.sandbox.settings import Namespaces, Settings
from games.sandbox.values import (
    CONSTRUCTOR_FAILED,
    EXCEPTION,
    ILLEGAL_ACTION,
    Job,
    Limits,
    PolicyFault,
    ProcessReport,
    StartReport,
)

__all__ = [
    "CONSTRUCTOR_FAILED",
    "EXCEPTION",
    "ILLEGAL_ACTION",
    "JailNotLocked",
    "Job",
    "Limits",
    "Namespaces",
    "PolicyFault",
    "PolicyProcess",
    "ProcessReport",
    "Sandbox",
    "Settings",
    "StartReport",
]
