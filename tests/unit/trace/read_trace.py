#!/usr/bin/env python3
"""A reader of rank files, written from docs/trace-format.md alone: python3 and the zstd command suffice.

    read_trace.py FILE [RAW]     print the events, one a line, as dump_rank does; with RAW those of a killed program
    read_trace.py NODE_FILE RANK of a rank in a node file

Checksums are left to zstd's own (XXH3 is not in python's library).
"""
import functools
import math
import operator
import struct
import subprocess
import sys
import tempfile

MASK = (1 << 64) - 1


def signed(value):
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


class Take:
    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, count):
        self.at += count
        assert self.at <= len(self.data)
        return self.data[self.at - count:self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.bytes(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def zigzag(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def double(self):
        return struct.unpack("<d", self.bytes(8))[0]

    def string(self):
        return self.bytes(self.varint()).decode()


def unpack(data, prefix=None):
    if prefix is None:
        return subprocess.run(["zstd", "-dc"], input=data, check=True, stdout=subprocess.PIPE).stdout
    with tempfile.NamedTemporaryFile() as file:
        file.write(prefix)
        file.flush()
        return subprocess.run(["zstd", "-dc", "-D", file.name], input=data, check=True, stdout=subprocess.PIPE).stdout


def unwrap(data):
    magic, length = struct.unpack_from("<II", data)
    assert magic == 0x184D2A54 and length == len(data) - 8
    return data[8:]


def one_frame(data, at):
    """Type, elements, payload as it is, where the next one is."""
    kind, version = struct.unpack_from("<BH", data, at + 17)
    assert version == 1
    packed, count = struct.unpack_from("<QQ", data, at + 56)
    return kind, count, data[at + 120:at + 120 + packed], at + 120 + packed


def check_parity(parity, data):
    assert struct.unpack_from("<Q", parity)[0] == len(data) and len(parity) == 16 + 512
    stretches = [data[i:i + 512].ljust(512, b"\0") for i in range(0, len(data), 512)]
    assert bytes(functools.reduce(operator.xor, column) for column in zip(*stretches)) == parity[16:]


def part_of(data, rank):
    """The frames of a rank in a node file."""
    kind, count, payload, at = one_frame(data, 0)
    assert kind == 11
    take = Take(unwrap(payload))
    length, parity_at = struct.unpack("<QQ", take.bytes(16))
    parts = {part[0]: part[1:] for part in (struct.unpack("<iQQ", take.bytes(20)) for _ in range(count))}
    kind, _, payload, behind = one_frame(data, at)
    assert kind == 12 and length == len(data)
    parity = one_frame(data, parity_at)
    assert parity[0] == 16
    check_parity(unwrap(parity[2]), data[at:behind])
    assert unwrap(one_frame(data, parity[3])[2]) == take.data
    offset, size = parts[rank]
    return list(frames(data[offset:offset + size], unpack(payload)))


def sections(count, payload):
    take = Take(payload)
    for _ in range(count):
        kind, elements = take.varint(), take.varint()
        yield kind, elements, None, None, None, Take(take.bytes(take.varint()))
    assert take.at == len(payload)


def members(take):
    """Those of a communicator of type 14."""
    take.varint(), take.bytes(16), take.zigzag(), take.zigzag(), take.string()
    ranks, expected = [take.varint()], 0
    size = ranks.pop()
    while len(ranks) < size:
        first, more = expected + take.zigzag(), take.varint()
        step = take.zigzag() + 1 if more else 0
        ranks += [first + i * step for i in range(more + 1)]
        expected = ranks[-1] + 1
    return ranks


def frames(data, prefix=None):
    at = 0
    while at < len(data):
        magic, body, name = struct.unpack_from("<II9s", data, at)
        assert (magic, body, name) == (0x184D2A53, 112, b"SYNCOPATE")
        kind, version = struct.unpack_from("<BH", data, at + 17)
        assert version == 1
        raw, packed, count = struct.unpack_from("<QQQ", data, at + 48)
        span = struct.unpack_from("<qq", data, at + 80)
        thread, base = struct.unpack_from("<IH", data, at + 96)
        at += 120
        payload = b""
        if kind == 13 and prefix is not None:
            payload = unpack(unwrap(data[at:at + packed]), prefix)
        elif packed:
            payload = unpack(data[at:at + packed])
        assert len(payload) == raw
        at += packed
        if kind == 13:
            yield from sections(count, payload)
            continue
        yield kind, count, span, thread, base, Take(payload)


class Clock:
    def __init__(self, take):
        take.varint()
        self.base, self.multiplier = take.zigzag(), take.varint()
        take.zigzag(), take.zigzag()
        self.knots = [(take.zigzag(), take.zigzag(), take.zigzag()) for _ in range(take.varint())]
        self.before, self.after = take.double(), take.double()
        self.slope_width, self.wander, self.wander_time = take.double(), take.double(), 0.0

    def span_ns(self, ticks):
        return (ticks * self.multiplier) >> 32

    def global_ns(self, ticks):
        local = ((ticks - self.base) * self.multiplier) >> 32
        knots = self.knots
        if not knots:
            return local
        until = sum(knot[0] <= local for knot in knots)
        if until == 0:
            knot, slope = knots[0], self.before
        elif until == len(knots):
            knot, slope = knots[-1], self.after
        else:
            a, b = knots[until - 1], knots[until]
            slope = float(b[1] - a[1]) / float(b[0] - a[0])
            knot = a if local - a[0] <= b[0] - local else b
        return local - (knot[1] + math.floor(slope * float(local - knot[0]) + 0.5))

    def rho(self, stretch):
        return self.wander * math.sqrt(1 + abs(stretch) / (self.wander_time * 1e9)) if self.wander_time else self.wander

    def bound_ns(self, local):
        knots = self.knots
        until = sum(knot[0] <= local for knot in knots)
        if not knots:
            return 0
        if until in (0, len(knots)):
            end, beyond = (knots[0], knots[:2][-1]) if until == 0 else (knots[-1], knots[-2:][0])
            rate = self.slope_width + self.rho(float(local - beyond[0]))
            return math.ceil(end[2] + rate * abs(float(local - end[0])))
        a, b = knots[until - 1], knots[until]
        left, right = float(local - a[0]), float(b[0] - local)
        width = a[2] + (b[2] - a[2]) * (left / (left + right)) if self.wander_time else max(a[2], b[2])
        return math.ceil(width + self.rho(left + right) * min(left, right))


def times(symbols, bits, unit):
    number, position, out = int.from_bytes(bits, "little"), 0, []
    for symbol in symbols:
        s = symbol % 128
        count = s // 2 - 1 if s >= 4 else 0
        magnitude = s
        if s >= 4:
            magnitude = ((2 + s % 2) << count) + (number >> position & (1 << count) - 1)
        position += count
        out.append(signed((-magnitude if symbol >= 128 else magnitude) * unit))
    return out


def bit_bytes(symbols):
    return (sum(max(s % 128 // 2 - 1, 0) for s in symbols) + 7) // 8


def running(steps):
    value, out = 0, []
    for step in steps:
        value = signed(value + step)
        out.append(value)
    return out


def parted(size):
    """Bytes, and the attributes above them."""
    return size & (1 << 48) - 1, size >> 48


class Column:
    """One column of a chunk: its encoding and its numbers; magnitudes of something else are still that."""

    def __init__(self, take):
        self.encoding, count = take.varint(), take.varint()
        assert self.encoding <= 8
        if self.encoding == 2:
            least, width = take.varint(), take.varint()
            planes = [take.bytes(count) for _ in range(width)]
            self.numbers = [least + int.from_bytes(number, "little") for number in zip(*planes)] if width else [least] * count
        elif self.encoding >= 4:
            unit, symbols = take.varint(), take.bytes(count)
            self.numbers = times(symbols, take.bytes(bit_bytes(symbols)), unit)
        else:
            self.numbers = [take.varint() if self.encoding == 3 else take.zigzag() for _ in range(count)]
        if self.encoding == 1:
            self.numbers = running(self.numbers)


class Chunk:
    """A chunk of n events: its columns by name, then what they say."""

    def __init__(self, n, take):
        self.n, self.columns = n, {}
        while take.at < len(take.data):
            name = take.varint()
            assert name <= 40 and name not in self.columns
            self.columns[name] = Column(take)

    def numbers(self, name):
        return self.columns[name].numbers if name in self.columns else []

    def tuples(self):
        """The place of each event's tuple."""
        column = self.columns.get(13)
        if not column:
            return [0] * self.n
        if column.encoding != 3:
            return column.numbers
        out, successor, before, seen = [], {}, None, 0
        for code in column.numbers:
            which = successor.get(before, seen) if code == 0 else seen if code == 1 else code - 2
            successor[before] = before = which
            seen = max(seen, which + 1)
            out.append(which)
        return out

    def events(self):
        comms = [[comm, sequence & MASK] for comm, sequence in zip(self.numbers(1), self.numbers(2))]
        tuples = list(zip(*(self.numbers(name) for name in range(3, 9))))
        exceptions = dict(zip(self.numbers(9), self.numbers(10)))
        paused, stacks = set(self.numbers(11)), self.numbers(12)
        gap, call, rest = self.numbers(14), self.numbers(15), iter(zip(self.numbers(16), self.numbers(17)))
        before, = self.numbers(0)
        order, tags, tags_apart = self.numbers(38), self.numbers(39), self.numbers(40)
        together = None
        for i, which in enumerate(self.tuples()):
            op, flags, slot, stack, root, size = tuples[which]
            stack = ((stacks[i] if stacks else stack) - 1) % (1 << 32)
            if op < 32768:
                sequence = comms[slot][1] + exceptions.get(i, 0) & MASK
                comms[slot][1] = sequence + 1 & MASK
            else:
                number = order[0] + exceptions.get(i, 0)
                order[0] = number + 1
                sequence = number % (1 << 32) << 32 | (tags_apart[i] if tags_apart else tags[which]) % (1 << 32)
            start = signed(before + gap[i])
            before = call_end = end = signed(start + call[i])
            wait_start = start
            if flags & 1:
                between, waited = next(rest)
                wait_start = signed(call_end + between)
                end = signed(wait_start + waited)
                together = wait_start, end
            elif flags & 256:
                wait_start, end = together
            yield ([op, comms[slot][0], sequence, stack, *parted(size & MASK), root], [start, end, call_end, wait_start],
                   flags >> 1 & ~128 | (8 if i in paused else 0))

    def figures(self):
        """What lies between the calls: [event][figure]."""
        out = [[0] * FIGURES for _ in range(self.n)]
        for which in range(FIGURES):
            value = self.columns.get(22 + which)
            for position, number in zip(self.numbers(18 + which), value.numbers if value else []):
                out[position][which] = signed(self.numbers(14)[position] - number) if value.encoding == 6 else number
        return out

    def samples(self):
        """Time, processor time, run delay, ..., which counts are known."""
        has = self.numbers(27)
        ends, places = [*self.numbers(0)], self.numbers(26)
        for gap, call in zip(self.numbers(14), self.numbers(15)):
            ends.append(signed(ends[-1] + gap + call))
        rows = [[0] * 10 for _ in has]
        for c in range(10 if has else 0):
            column = self.columns[28 + c]
            known = [i for i in range(len(has)) if has[i] & 1] if len(column.numbers) < len(has) else range(len(has))
            assert len(known) == len(column.numbers)
            last = [0] * 10
            for i, number in zip(known, column.numbers):
                row = rows[i]
                if column.encoding <= 1:
                    row[c] = number
                elif column.encoding == 7:
                    row[c] = signed(ends[places[i]] + number)
                else:
                    step = number
                    if column.encoding == 8:
                        step = row[0] - last[0] - (row[1] - last[1] if c == 2 else 0) - number
                    row[c] = signed(last[c] + step)
                last = row
        return [[row[0], *(value & MASK for value in row[1:5]), *row[5:], counts] for row, counts in zip(rows, has)]


FIGURES = 4  # messages, off the processor; both before the completing call


def raw_blocks(data):
    at = 0
    while at < len(data):
        name, version, kind = struct.unpack_from("<12sHH", data, at)
        units, thread, first = struct.unpack_from("<IIQ", data, at + 40)
        if name == b"SYNCOPATERAW" and version == 1:
            yield kind, thread, first, data[at + 128:at + 65536 * units], data[at + 64:at + 128]
        at += 65536 * (units if name == b"SYNCOPATERAW" else 1)


def raw_events(data, present):
    """Those that the file has not: present[thread] of each are in it."""
    for kind, thread, first, block, _ in sorted(raw_blocks(data), key=lambda block: block[1:3]):
        if kind != 2:
            continue
        found, samples, messages = [], [], [0, 0]
        number = first
        for at in range(0, len(block) - 63, 64):
            *when, size, sequence, comm, stack, root, op, flags = struct.unpack_from("<4q2Q2IiHH", block, at)
            if not flags & 128:
                break
            if op == 0xfffe and sequence:
                messages[0] += when[0]
                found[-sequence][3][2] += when[3]
            elif op == 0xfffe:
                messages = [messages[0] + when[0], messages[1] + when[3]]
            elif op == 0xffff:
                samples.append([when[0], *when[1:], size, sequence >> 32, sequence & 0xffffffff, comm, stack, root,
                                flags & ~128])
            else:
                if number >= present.get(thread, 0):
                    found.append(([op, comm, sequence, stack, *parted(size), root], when, flags & ~128,
                                  [messages[0], 0, messages[1], 0]))
                number, messages = number + 1, [0, 0]
        yield thread, found, samples


def raw_pending(data):
    """What was started and never completed, by thread: in the place of its end is the thread, in that of its wait's
    start the time in messages."""
    found = {}
    for kind, _, _, block, _ in raw_blocks(data):
        for at in range(0, len(block) - 63, 64) if kind == 3 else ():
            start, thread, until, messages, size, sequence, comm, stack, root, op, flags = \
                struct.unpack_from("<4q2Q2IiHH", block, at)
            if flags & 128:
                found.setdefault(thread, []).append(([op, comm, sequence, stack, *parted(size), root], [start, until, until, until],
                                                     flags & ~128 | 1, [messages, 0, 0, 0]))
    for thread, chunk in sorted(found.items()):
        yield thread, sorted(chunk, key=lambda event: (event[1][0], event[0][2])), []


NONE, ANY, NOBODY, UNKNOWN = -1, -2, -3, -4  # a peer; a tag is any, too


def raw_open(data):
    """Lines of threads: what a recovered file has of them, in its order and with its names."""
    for kind, first, _, block, head in raw_blocks(data):
        any_source, proc_null, any_tag = struct.unpack_from("<3i", head)
        peers, tags = {any_source: ANY, proc_null: NOBODY}, {any_tag: -1}
        for at in range(0, len(block) - 63, 64) if kind == 4 else ():
            start, end, sequence, size, comm, stack, to, tag, source, source_tag, call, of = \
                struct.unpack_from("<2q2Q2I4i2H", block, at)
            if call >= 0x8000:
                to, source, tag, source_tag = peers.get(to, to), peers.get(source, source), tags.get(tag, tag), \
                    tags.get(source_tag, source_tag)
            if start:
                yield [first + at // 64, call, of, comm, stack, sequence, size, to, tag, source, source_tag, start, end]


def taken_open(take):
    """The same of a frame."""
    thread, call, of = take.varint(), take.varint(), take.varint() - 1 & 0xffff
    comm, stack = (take.varint() - 1 & 0xffffffff for _ in range(2))
    sequence, size = (take.varint() - 1 & MASK for _ in range(2))
    return [thread, call, of, comm, stack, sequence, size, *(take.zigzag() for _ in range(6))]


def show_open(line, ended, known, clock):
    """`ended`: the end of an event that the call stored, or -1. known: communicators, stacks."""
    thread, call, _, comm, stack, sequence, size, to, tag, source, source_tag, start, end = line
    end = max(end, ended) if ended > start else end
    collective, sends, receives = call < 0x8000, call in (0x8000, 0x800a), call in (0x8004, 0x800a)
    size, attributes = parted(size) if collective and size != MASK else (MASK, 0)
    comm, sequence = (comm, sequence) if comm in known[0] else (0xffffffff, MASK)
    print("open", thread, 1 if end >= start else 0, call, comm, sequence, size, attributes,
          stack if stack in known[1] else 0xffffffff, to if collective else -1, *((to, tag) if sends else (NONE, -1)),
          *((source, source_tag) if receives else (NONE, -1)), clock.global_ns(start),
          clock.global_ns(end) if end >= start else 0)


def main():
    in_node = len(sys.argv) > 2 and sys.argv[2].isdigit()
    with open(sys.argv[1], "rb") as file:
        data = part_of(file.read(), int(sys.argv[2])) if in_node else list(frames(file.read()))
    killed = len(sys.argv) > 2 and not in_node
    assert data[0][0] in (1, 7) and (killed or 9 in (frame[0] for frame in data))
    names, metas, lines, ended = {}, {}, [], {}
    for kind, count, _, _, _, take in data:
        if kind == 2:
            metas.update((take.string(), take.string()) for _ in range(count))
        if kind == 6:
            clock = Clock(take)
        if kind == 14:
            assert all(len(set(members(take))) > 0 for _ in range(count)) and take.at == len(take.data)
        if kind == 17:
            lines += [taken_open(take) for _ in range(count)]
        if kind == 7:
            names.update((take.varint(), take.string()) for _ in range(count))
    clock.wander_time = float(metas.get("sync.wander_time_s", 0))
    total, present = 0, {}

    def show(thread, event, figures, ticks):
        what, when, flags = event
        if ticks:
            when = [clock.global_ns(t) for t in when]
            figures = [clock.span_ns(figures[0]), figures[1], clock.span_ns(figures[2]), figures[3]]
        print(thread, names[what[0]], *what[1:], *when, flags, *figures)

    for kind, count, span, thread, base, take in data:
        if kind != 8:
            continue
        chunk = Chunk(count, take)
        events = list(chunk.events())
        assert len(events) == count
        total += count
        present[thread] = present.get(thread, 0) + count
        assert (min(e[1][0] for e in events), max(e[1][1] for e in events)) == span
        for event, figure in zip(events, chunk.figures()):
            show(thread, event, figure, base == 1)
        for row in chunk.samples():
            print("sample", clock.global_ns(row[0]) if base == 1 else row[0], *row[1:])
    if killed:
        with open(sys.argv[2], "rb") as file:
            blocks = file.read()
            for thread, chunk, samples in [*raw_events(blocks, present), *raw_pending(blocks)]:
                if chunk:
                    start, _, call_end, wait_start = chunk[-1][1]
                    ended[thread, start if wait_start == call_end else wait_start] = max(event[1][1] for event in chunk)
                for *event, figures in sorted(chunk, key=lambda event: event[1][0]):
                    show(thread, event, figures, True)
                for row in samples:
                    print("sample", clock.global_ns(row[0]), *(value & MASK for value in row[1:5]), *row[5:])
            lines += raw_open(blocks)
    for line in lines:
        show_open(line, ended.get((line[0], line[-2]), -1), (range(3), range(703 if not killed else 3)), clock)
    for local in range(-500000, 9000000, 99991):
        print("bound", local, clock.bound_ns(local))
    if killed:
        return
    end = next(frame[5] for frame in data if frame[0] == 9)
    end.varint()
    assert end.varint() == total


main()
