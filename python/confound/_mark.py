"""Where a step of a program begins, for `confound exec --toggle timing --step mark`."""

import ctypes
from typing import Callable, Optional

_listener: Optional[Callable[[], None]] = None
_looked = False


def step() -> None:
    """Says that a step of this program begins here. Outside `confound exec --toggle timing --step mark` nothing happens:
    the first call looks whether anybody listens, the next ones cost a test. Call it from one thread, once a step.
    Needs neither the library nor a device. Never raises.

    Source: confound_step() of <confound/mark.h>.
    """
    global _listener, _looked
    if not _looked:
        try:
            found = ctypes.PyDLL(None).confound_step_mark  # it takes no lock that a thread of Python could hold
        except (AttributeError, OSError, TypeError):
            found = None
        if found is not None:
            found.argtypes, found.restype = (), None
        _listener, _looked = found, True
    if _listener is not None:
        _listener()
