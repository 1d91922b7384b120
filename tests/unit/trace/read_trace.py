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
    assert version in (2, 3)
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
    length, copy = struct.unpack("<QQ", take.bytes(16))
    parts = {part[0]: part[1:] for part in (struct.unpack("<iQQ", take.bytes(20)) for _ in range(count))}
    kind, _, payload, behind = one_frame(data, at)
    assert kind == 12 and length == len(data)
    behind_all = one_frame(data, copy)
    if behind_all[0] == 16:
        check_parity(unwrap(behind_all[2]), data[at:behind])
    else:
        assert behind_all[:3] == (kind, 1, payload)
    assert unwrap(one_frame(data, behind_all[3])[2]) == take.data
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
        assert version == kind - 13 if kind in (17, 18) else version in ((1, 3) if prefix is None else (2, 3))
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
        if kind == 15:
            for frame_type, what in zip((8, 10), dense(count, Take(payload))):
                yield frame_type, count, span, thread, base, what
            continue
        if kind in (17, 18):
            yield 8, count, span, thread, base, (apart if kind == 17 else stops)(count, Take(payload))
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


def differences(take, count):
    value, out = 0, []
    for _ in range(count):
        value = (value + take.zigzag()) & MASK
        out.append(value)
    return out


def unzigzag(value):
    return (value >> 1) ^ -(value & 1)


def coded(take, counts, units):
    """Symbols of all columns, then their bits."""
    symbols = [take.bytes(count) for count in counts]
    return [times(s, take.bytes(bit_bytes(s)), unit) for s, unit in zip(symbols, units)]


def dense(n, take):
    """A DENSE frame: what its EVENTS would hold, then its SEGMENTS if there are any."""
    comm_count, tuple_count, exception_count, extended_count = (take.varint() for _ in range(4))
    base = take.zigzag()
    units = [take.varint() for _ in range(4)]
    comms = [list(row) for row in zip(*(differences(take, comm_count) for _ in range(2)))]
    tuples = [(op, flags, slot, (stack - 1) % (1 << 32), unzigzag(root), size)
              for op, flags, slot, stack, root, size in zip(*(differences(take, tuple_count) for _ in range(6)))]
    exceptions, position = {}, 0
    for _ in range(exception_count):
        position += take.varint()
        exceptions[position] = take.zigzag()
    index, successor, before, seen = [], {}, None, 0
    for _ in range(n if tuple_count > 1 else 0):
        code = take.varint()
        which = successor.get(before, seen) if code == 0 else seen if code == 1 else code - 2
        successor[before] = before = which
        seen = max(seen, which + 1)
        index.append(which)
    columns = coded(take, (n, n, extended_count, extended_count), units)
    yield comms, tuples, exceptions, index or [0] * n, columns, base
    if take.varint():
        ends, end = [base], base
        for gap, call in zip(*columns[:2]):
            end = signed(end + gap + call)
            ends.append(end)
        yield dense_segments(n, take, columns[0], ends)
    assert take.at == len(take.data)


def ascending(take, count):
    """Positions that grow: each by what lies between it and the one before."""
    at, column = 0, []
    for _ in range(count):
        at += take.varint()
        column.append(at)
        at += 1
    return column


def dense_segments(n, take, gaps, ends):
    counts = [take.varint() for _ in range(FIGURES)]
    sample_count, mode = take.varint(), take.varint()
    units = [take.varint() for _ in range(FIGURES)]
    positions = [ascending(take, count) for count in counts]
    places, has = differences(take, sample_count), differences(take, sample_count)
    known = [i for i in range(sample_count) if has[i] & 1 or not mode & 4]
    columns = coded(take, [*counts, sample_count, sample_count, len(known), *[sample_count] * 7], [*units, *[1] * 10])
    figures = [[0] * FIGURES for _ in range(n)]
    for which, (column, values) in enumerate(zip(positions, columns)):
        for position, value in zip(column, values):
            figures[position][which] = signed(gaps[position] - value) if which == 0 and mode & 1 else value
    moments, cpu, told, *others = columns[FIGURES:]
    time = [signed(ends[place] + moment) for place, moment in zip(places, moments)]
    steps = [later - earlier for earlier, later in zip([0, *time], time)]
    cpu = running([step - number for step, number in zip(steps, cpu)] if mode & 2 else cpu)
    delay, last = [0] * sample_count, (0, 0, 0)
    for i, number in zip(known, told):
        grown = time[i] - last[0] - (cpu[i] - last[1]) - number if mode & 8 else number
        delay[i] = signed(last[2] + grown)
        last = time[i], cpu[i], delay[i]
    samples = [list(row) for row in zip(time, cpu, delay, *map(running, others), has)]
    for row in samples:
        row[1:5] = [value & MASK for value in row[1:5]]
    return figures, samples


def running(differences_of):
    value, out = 0, []
    for difference in differences_of:
        value = signed(value + difference)
        out.append(value)
    return out


def apart(n, take):
    """An APART frame: the stacks first, then what an EVENTS frame has but for these."""
    least, width = take.varint(), take.varint()
    planes = [take.bytes(n) for _ in range(width)]
    comms, tuples, exceptions, index, columns, base = tables(n, take)
    assert all(stack == MASK >> 32 for _, _, _, stack, _, _ in tuples)
    of_event = []
    for which, *number in zip(index, *planes):
        op, flags, slot, _, root, size = tuples[which]
        of_event.append((op, flags, slot, (least + int.from_bytes(number, "little") - 1) % (1 << 32), root, size))
    return comms, of_event, exceptions, range(n), columns, base


def stops(n, take):
    """A STOPS frame: the events that the recorder stopped before, then what an APART or EVENTS frame has but for these."""
    stacks_apart, stopped, position = take.varint(), set(), 0
    for _ in range(take.varint()):
        position += take.varint()
        stopped.add(position)
    comms, tuples, exceptions, index, columns, base = (apart if stacks_apart else tables)(n, take)
    assert not any(flags >> 1 & 8 for _, flags, *_ in tuples)
    of_event = [(tuples[which][0], tuples[which][1] | (8 << 1 if i in stopped else 0), *tuples[which][2:])
                for i, which in enumerate(index)]
    return comms, of_event, exceptions, range(n), columns, base


def events(n, take):
    return joined(n, *(take if isinstance(take, tuple) else tables(n, take)))


def tables(n, take):
    comm_count, tuple_count, exception_count, extended_count = (take.varint() for _ in range(4))
    before = take.zigzag()
    units = [take.varint() for _ in range(4)]
    comms = [[take.varint(), take.varint()] for _ in range(comm_count)]
    tuples = [(take.varint(), take.varint(), take.varint(), (take.varint() - 1) % (1 << 32),
               take.zigzag(), take.varint()) for _ in range(tuple_count)]
    exceptions, position = {}, 0
    for _ in range(exception_count):
        position += take.varint()
        exceptions[position] = take.zigzag()
    width = 0 if tuple_count == 1 else 1 if tuple_count <= 256 else 2
    index = [int.from_bytes(take.bytes(width), "little") for _ in range(n)]
    columns = coded(take, (n, n, extended_count, extended_count), units)
    assert take.at == len(take.data)
    return comms, tuples, exceptions, index, columns, before


def joined(n, comms, tuples, exceptions, index, columns, before):
    gap, call, overlap, wait = columns
    rest = iter(zip(overlap, wait))
    for i in range(n):
        op, flags, slot, stack, root, size = tuples[index[i]]
        sequence = comms[slot][1] + exceptions.get(i, 0) & MASK
        comms[slot][1] = sequence + 1 & MASK
        start = signed(before + gap[i])
        before = call_end = end = signed(start + call[i])
        wait_start = start
        if flags & 1:
            between, waited = next(rest)
            wait_start = signed(call_end + between)
            end = signed(wait_start + waited)
        yield [op, comms[slot][0], sequence, stack, size, root], [start, end, call_end, wait_start], flags >> 1


FIGURES = 4  # messages, off the processor; both before the completing call
SAMPLE_COLUMNS = 11


def segments(event_count, take):
    """What lies between the calls of a chunk: [event][figure], and samples."""
    if isinstance(take, tuple):
        return take
    counts = [take.varint() for _ in range(FIGURES)]
    sample_count = take.varint()
    units = [take.varint() for _ in range(FIGURES)]
    samples = []
    for _ in range(SAMPLE_COLUMNS):
        value, column = 0, []
        for _ in range(sample_count):
            value = signed(value + take.zigzag())
            column.append(value)
        samples.append(column)
    positions = [ascending(take, count) for count in counts]
    symbols = [take.bytes(count) for count in counts]
    figures = [[0] * FIGURES for _ in range(event_count)]
    for which, (column, s, unit) in enumerate(zip(positions, symbols, units)):
        for position, value in zip(column, times(s, take.bytes(bit_bytes(s)), unit)):
            figures[position][which] = value
    assert take.at == len(take.data)
    samples = [list(row) for row in zip(*samples)]
    for row in samples:
        row[1:5] = [value & MASK for value in row[1:5]]
    return figures, samples


def raw_blocks(data):
    at = 0
    while at < len(data):
        name, version, kind = struct.unpack_from("<12sHH", data, at)
        units, thread, first = struct.unpack_from("<IIQ", data, at + 40)
        if name == b"SYNCOPATERAW" and version <= 2:
            yield kind, thread, first, data[at + 128:at + 65536 * units]
        at += 65536 * (units if name == b"SYNCOPATERAW" else 1)


def raw_events(data, present):
    """Those that the file has not: present[thread] of each are in it."""
    for kind, thread, first, block in sorted(raw_blocks(data), key=lambda block: block[1:3]):
        if kind != 2:
            continue
        found, samples, messages = [], [], [0, 0]
        number = first
        for at in range(0, len(block) - 63, 64):
            *when, size, sequence, comm, stack, root, op, flags = struct.unpack_from("<4q2Q2IiHH", block, at)
            if not flags & 128:
                break
            if op == 0xfffe:
                messages = [messages[0] + when[0], messages[1] + when[3]]
            elif op == 0xffff:
                samples.append([when[0], *when[1:], size, sequence >> 32, sequence & 0xffffffff, comm, stack, root,
                                flags & ~128])
            else:
                if number >= present.get(thread, 0):
                    found.append(([op, comm, sequence, stack, size, root], when, flags & ~128,
                                  [messages[0], 0, messages[1], 0]))
                number, messages = number + 1, [0, 0]
        yield thread, sorted(found, key=lambda event: event[1][0]), samples


def raw_pending(data):
    """What was started and never completed, by thread: in the place of its end is the thread, in that of its wait's
    start the time in messages."""
    found = {}
    for kind, _, _, block in raw_blocks(data):
        for at in range(0, len(block) - 63, 64) if kind == 3 else ():
            start, thread, until, messages, size, sequence, comm, stack, root, op, flags = \
                struct.unpack_from("<4q2Q2IiHH", block, at)
            if flags & 128:
                found.setdefault(thread, []).append(([op, comm, sequence, stack, size, root], [start, until, until, until],
                                                     flags & ~128 | 1, [messages, 0, 0, 0]))
    for thread, chunk in sorted(found.items()):
        yield thread, sorted(chunk, key=lambda event: (event[1][0], event[0][2])), []


def main():
    in_node = len(sys.argv) > 2 and sys.argv[2].isdigit()
    with open(sys.argv[1], "rb") as file:
        data = part_of(file.read(), int(sys.argv[2])) if in_node else list(frames(file.read()))
    killed = len(sys.argv) > 2 and not in_node
    assert data[0][0] in (1, 7) and (killed or 9 in (frame[0] for frame in data))
    names, metas = {}, {}
    for kind, count, _, _, _, take in data:
        if kind == 2:
            metas.update((take.string(), take.string()) for _ in range(count))
        if kind == 6:
            clock = Clock(take)
        if kind == 14:
            assert all(len(set(members(take))) > 0 for _ in range(count)) and take.at == len(take.data)
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

    for number, (kind, count, span, thread, base, take) in enumerate(data):
        if kind != 8:
            continue
        chunk, samples = list(events(count, take)), []
        figures = [[0] * FIGURES for _ in chunk]
        if number + 1 < len(data) and data[number + 1][0] == 10:
            figures, samples = segments(count, data[number + 1][5])
        total += count
        present[thread] = present.get(thread, 0) + count
        assert (min(e[1][0] for e in chunk), max(e[1][1] for e in chunk)) == span
        for event, figure in zip(chunk, figures):
            show(thread, event, figure, base == 1)
        for row in samples:
            print("sample", clock.global_ns(row[0]) if base == 1 else row[0], *row[1:])
    if killed:
        with open(sys.argv[2], "rb") as file:
            blocks = file.read()
            for thread, chunk, samples in [*raw_events(blocks, present), *raw_pending(blocks)]:
                for *event, figures in chunk:
                    show(thread, event, figures, True)
                for row in samples:
                    print("sample", clock.global_ns(row[0]), *(value & MASK for value in row[1:5]), *row[5:])
    for local in range(-500000, 9000000, 99991):
        print("bound", local, clock.bound_ns(local))
    if killed:
        return
    end = next(frame[5] for frame in data if frame[0] == 9)
    end.varint()
    assert end.varint() == total


main()
