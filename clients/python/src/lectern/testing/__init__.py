"""The sandbox of Lectern for the tests of those who write integrations: a service of their own, whose clock, faults and
webhooks the test decides on.

With pytest the fixtures `lectern` and `lectern_sandbox` are all that is needed (`pytest_lectern`); `start` is for other
test runners.
"""

from ._calls import Call, Calls
from ._inbox import Delivery, Inbox
from ._process import SandboxFailed, start
from ._sandbox import Clock, Fault, Faults, Sandbox

__all__ = ["Call", "Calls", "Clock", "Delivery", "Fault", "Faults", "Inbox", "Sandbox", "SandboxFailed", "start"]
