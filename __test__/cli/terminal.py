"""Runs a command in a pseudo-terminal of a given size, and prints what it wrote, as JSON."""

import fcntl
import json
import os
import select
import signal
import struct
import sys
import termios
import time

LIMIT_S = 60


def resize(fd, columns, rows):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def main():
    spec = json.loads(sys.argv[1])
    main_end, terminal_end = os.openpty()
    resize(main_end, spec["columns"], spec["rows"])
    before = termios.tcgetattr(terminal_end)
    child = os.fork()
    if child == 0:
        os.close(main_end)
        login(terminal_end)
        os.execvp(spec["argv"][0], spec["argv"])

    written = b""
    steps = spec["steps"]
    since = 0
    end = time.monotonic() + LIMIT_S
    status = None
    stopped = False
    while True:
        ready, _, _ = select.select([main_end], [], [], 0.02)
        # Where the system takes the terminal from its last user, there is nothing to read, for ever.
        read = os.read(main_end, 65536) if ready else b""
        if read:
            written += read
        elif status is not None:
            break
        while steps and (stopped if "stopped" in steps[0] else steps[0]["until"].encode() in written[since:]):
            step = steps.pop(0)
            since = len(written)
            stopped = False
            if "resize" in step:
                resize(main_end, *step["resize"])
            if "type" in step:
                os.write(main_end, step["type"].encode())
            if "signal" in step:
                os.kill(child, getattr(signal, step["signal"]))
        if status is None:
            pid, changed = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
            if pid and os.WIFSTOPPED(changed):
                stopped = True
            elif pid:
                status = changed
            elif time.monotonic() > end:
                os.kill(child, signal.SIGKILL)

    # A shell says 128 + n of a command that a signal ended.
    code = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    restored = termios.tcgetattr(terminal_end) == before
    json.dump({"code": code, "output": written.decode(), "restored": restored}, sys.stdout)


def login(fd):
    os.setsid()
    fcntl.ioctl(fd, termios.TIOCSCTTY, 0)
    for stream in (0, 1, 2):
        os.dup2(fd, stream)
    if fd > 2:
        os.close(fd)


main()
