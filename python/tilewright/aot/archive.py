"""Static libraries: object files in one archive with an index, as linkers of Unix read them."""

import struct

_MAGIC = b"!<arch>\n"


class ObjectError(ValueError):
    """Bytes that are no relocatable ELF file of 64 bits."""


def _member(name, data):
    # Name, date, owner, group, mode, size: no date, so that the same objects make the same archive.
    header = f"{name:<16}{0:<12}{0:<6}{0:<6}{'644':<8}{len(data):<10}`\n".encode()
    return header + data + b"\n" * (len(data) % 2)


def defined_symbols(data):
    """The global symbols that an ELF object defines, by name. Raises `ObjectError`."""
    try:
        if data[:6] != b"\x7fELF\x02\x01":
            raise ObjectError("no ELF file of 64 bits, little end first")
        (table,), (count,) = struct.unpack_from("<Q", data, 0x28), struct.unpack_from("<H", data, 0x3C)
        # Of each section: type, offset, size, link.
        sections = [
            (struct.unpack_from("<I", data, at + 4)[0], *struct.unpack_from("<QQI", data, at + 24))
            for at in range(table, table + 64 * count, 64)
        ]
        names = []
        for kind, offset, size, link in sections:
            if kind != 2:  # SHT_SYMTAB
                continue
            strings = sections[link][1]
            for at in range(offset, offset + size, 24):
                name, info, _, section = struct.unpack_from("<IBBH", data, at)
                if info >> 4 in (1, 2) and section != 0:  # global or weak, and defined
                    start = strings + name
                    names.append(data[start : data.index(b"\0", start)].decode())
        return names
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ObjectError(f"a damaged object file: {error}") from None


def archive(objects):
    """The bytes of an archive of `objects`, pairs of file name and bytes."""
    long_names, starts, where = b"", [], []
    for name, _ in objects:
        starts.append(len(long_names))
        long_names += name.encode() + b"/\n"
    members = [_member(f"/{start}", data) for start, (_, data) in zip(starts, objects)]
    symbols = [defined_symbols(data) for _, data in objects]
    texts = b"".join(name.encode() + b"\0" for names in symbols for name in names)
    count = sum(len(names) for names in symbols)
    index_size = 4 + 4 * count + len(texts)
    names_member = _member("//", long_names)
    position = len(_MAGIC) + 60 + index_size + index_size % 2 + len(names_member)
    for names, member in zip(symbols, members):
        where += [position] * len(names)
        position += len(member)
    index = struct.pack(f">{count + 1}I", count, *where) + texts
    return _MAGIC + _member("/", index) + names_member + b"".join(members)
