"""Running policies that nobody has read yet. See docs/explanation/sandbox.md."""

from games.sandbox.interpreter import Interpreter
from games.sandbox.jail.guard import ALLOWED_IMPORTS
from games.sandbox.process import JailNotLocked, PolicyProcess
from games.sandbox.report import Mechanism, SandboxReport, diagnose
from games.sandbox.sandbox import Attempt, Sandbox
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
    "ALLOWED_IMPORTS",
    "CONSTRUCTOR_FAILED",
    "EXCEPTION",
    "ILLEGAL_ACTION",
    "Attempt",
    "Interpreter",
    "JailNotLocked",
    "Job",
    "Limits",
    "Mechanism",
    "Namespaces",
    "PolicyFault",
    "PolicyProcess",
    "ProcessReport",
    "Sandbox",
    "SandboxReport",
    "Settings",
    "StartReport",
    "diagnose",
]
