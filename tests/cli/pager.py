"""On a terminal a long answer goes through $PAGER; a short one, and one without a terminal, does not.

    pager.py MAKE_TRACE SYNCOPATE
"""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios


def on_terminal(command, rows, pager):
    """What the command prints on a terminal of so many rows."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
    environment = dict(os.environ, TERM="dumb", LC_ALL="C")
    environment.pop("PAGER", None)
    if pager:
        environment["PAGER"] = pager
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(master)
    return process.wait(), shown.decode().replace("\r\n", "\n")


try:
    for end in pty.openpty():
        os.close(end)
except OSError as why:  # a root without /dev/pts
    print(f"skipped: there are no pseudo-terminals here: {why}")
    sys.exit(77)
failed = False


def expect(what, condition):
    global failed
    if not condition:
        print("pager: " + what)
        failed = True


def main():
    make_trace, syncopate = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        subprocess.run([make_trace, trace, "events=400", "groups=2"], check=True, stdout=subprocess.DEVNULL)
        report = [syncopate, "report", trace]
        plain = subprocess.run(report, check=True, stdout=subprocess.PIPE, text=True,
                               env=dict(os.environ, PAGER="sed s/^/P/")).stdout
        expect("used without a terminal", not plain.startswith("P"))
        status, shown = on_terminal(report, 10, "sed s/^/P/")
        expect("not used for a long answer", status == 0 and shown == "".join("P" + line for line in plain.splitlines(True)))
        expect("used for a short answer", on_terminal(report, 500, "sed s/^/P/") == (0, plain))
        expect("used though none is set", on_terminal(report, 10, None) == (0, plain))
        expect("left early is a failure", on_terminal(report, 10, "head -n 1")[0] == 0)
        status, shown = on_terminal(report, 10, "/nowhere/pager")
        expect("a pager that is not there hides the answer", status == 0 and shown.endswith(plain))
    return 1 if failed else 0


sys.exit(main())
