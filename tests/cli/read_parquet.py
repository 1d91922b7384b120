#!/usr/bin/env python3
"""read_parquet.py FILE: a Parquet file as CSV, for the test of the export.

Written from the format's own pages (github.com/apache/parquet-format) and not from the exporter: a flat schema,
zstd pages, plain and dictionary encodings. The program zstd decompresses. Exit status 1 and a line where the file
is not what the pages say.
"""
import csv
import struct
import subprocess
import sys

INT32, INT64, BYTE_ARRAY = 1, 2, 6


class Compact:
    """Thrift's compact protocol: structs as dictionaries {field id: value}."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def zigzag(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            length = self.varint()
            self.at += length
            return self.data[self.at - length:self.at]
        if kind == 9:
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(count)]
        if kind == 12:
            return self.struct()
        sys.exit(f"thrift type {kind}")

    def struct(self):
        fields, last = {}, 0
        while True:
            head = self.byte()
            if head == 0:
                return fields
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            fields[last] = self.value(head & 15)


def hybrid(data, width, count):
    """Runs of the RLE and bit-packing hybrid."""
    reader, out = Compact(data), []
    while len(out) < count:
        head = reader.varint()
        if head & 1:
            length = (head >> 1) * width
            bits = int.from_bytes(data[reader.at:reader.at + length], "little")
            reader.at += length
            out += [bits >> (i * width) & ((1 << width) - 1) for i in range((head >> 1) * 8)]
        else:
            size = (width + 7) // 8
            out += [int.from_bytes(data[reader.at:reader.at + size], "little")] * (head >> 1)
            reader.at += size
    return out[:count]


def plain(data, kind, count):
    if kind == BYTE_ARRAY:
        out, at = [], 0
        for _ in range(count):
            length = struct.unpack_from("<I", data, at)[0]
            out.append(data[at + 4:at + 4 + length].decode())
            at += 4 + length
        return out
    return list(struct.unpack_from(f"<{count}{'i' if kind == INT32 else 'q'}", data))


def page(data, at):
    """Header and decompressed body of the page at an offset, and where the next one begins."""
    reader = Compact(data, at)
    header = reader.struct()
    body = data[reader.at:reader.at + header[3]]
    raw = subprocess.run(["zstd", "-dcq"], input=body, stdout=subprocess.PIPE, check=True).stdout
    if len(raw) != header[2]:
        sys.exit(f"page at {at}: {len(raw)} bytes, header says {header[2]}")
    return header, raw, reader.at + header[3]


def column(data, meta, optional):
    kind, count, at, dictionary = meta[1], meta[5], meta.get(11, meta[9]), None
    if meta[4] != 6:
        sys.exit("not compressed by zstd")
    header, raw, at = page(data, at)
    if header[1] == 2:
        dictionary = plain(raw, kind, header[7][1])
        if at != meta[9]:
            sys.exit("the data page is not where the metadata says")
        header, raw, at = page(data, at)
    if header[5][1] != count:
        sys.exit("values of the page and of the chunk differ")
    levels = [1] * count
    if optional:
        length = struct.unpack_from("<I", raw)[0]
        levels, raw = hybrid(raw[4:4 + length], 1, count), raw[4 + length:]
    present = sum(levels)
    if header[5][2] == 8:
        values = [dictionary[i] for i in hybrid(raw[1:], raw[0], present)] if present else []
    else:
        values = plain(raw, kind, present)
    values = iter(values)
    return [next(values) if level else "" for level in levels]


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    if data[:4] != b"PAR1" or data[-4:] != b"PAR1":
        sys.exit("no magic number")
    length = struct.unpack("<I", data[-8:-4])[0]
    meta = Compact(data[-8 - length:-8]).struct()
    schema = meta[2][1:]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([leaf[4].decode() for leaf in schema])
    rows = 0
    for group in meta[4]:
        columns = [column(data, chunk[3], leaf[3] == 1) for leaf, chunk in zip(schema, group[1])]
        rows += group[3]
        writer.writerows(zip(*columns))
    if rows != meta[3]:
        sys.exit("the number of rows differs")


main()
