# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of licence names of projects and packages to SPDX names."""

from __future__ import annotations

import re

CLASSPATH = "GPL-2.0-only WITH Classpath-exception-2.0"
# Patterns for names and addresses; the first match applies.
KNOWN = tuple(
    (re.compile(pattern, re.IGNORECASE), name)
    for pattern, name in (
        (r"CDDL\+GPL|CDDL \+ GPL", f"CDDL-1.1 OR {CLASSPATH}"),
        (r"classpath/license|w/ ?CPE|with classpath|secondary-gpl-2\.0-cp", CLASSPATH),
        (r"^apache[- ]?2(\.0)?$", "Apache-2.0"),
        (r"apache.*(licen[cs]e).*2\.0|^apache software license$", "Apache-2.0"),
        (r"licenses/apache-2\.0", "Apache-2.0"),
        (r"epl-2\.0|epl 2\.0|eplv2|eclipse public license.*2\.0", "EPL-2.0"),
        (r"epl-v10", "EPL-1.0"),
        (r"edl-?v1", "BSD-3-Clause"),
        (r"mpl[-/ ]?1\.1", "MPL-1.1"),
        (r"^mpl[- ]?2\.0$|mozilla public license 2\.0", "MPL-2.0"),
        (r"^lgpl[- ]?2\.1$|lgpl-2\.1\.html", "LGPL-2.1-only"),
        (r"bsd[- ]?2|simplified bsd", "BSD-2-Clause"),
        (r"bsd[- ]?3|3-clause bsd|new bsd|modified bsd|bsd-license", "BSD-3-Clause"),
        (r"asm\.\w+\.(io|org)/licen|antlr\.org/licen", "BSD-3-Clause"),
        (r"^(the )?mit(/x11)?( license)?$|^expat$|licenses?/mit", "MIT"),
        (r"publicdomain/zero|^cc0$|creative commons cc0", "CC0-1.0"),
        (r"wtfpl", "WTFPL"),
        (r"^isc( license.*)?$", "ISC"),
        (r"^zlib$", "Zlib"),
        (r"python software foundation|^psfl$", "PSF-2.0"),
        (r"^artistic$", "Artistic-1.0-Perl"),
    )
)
# GNU licences with a version, in the form of Debian and some projects.
GNU = re.compile(
    r"(A?GPL|LGPL|GFDL)[- ]?v?(\d)(?:\.(\d))?(?:\.0)?(\+|-only|-or-later)?", re.IGNORECASE
)


def spdx_name(name: str) -> str:
    """Return the SPDX name or expression; an unknown name is returned unchanged."""
    parts = re.split(r" (or|and) ", name.strip(), flags=re.IGNORECASE)
    if len(parts) > 1:
        terms = [
            part.upper() if part.lower() in ("or", "and") else spdx_name(part) for part in parts
        ]
        # It is an expression only if all parts have SPDX names, which contain no blanks.
        return " ".join(terms) if all(" " not in term for term in terms) else name.strip()
    if match := GNU.fullmatch(parts[0]):
        end = "or-later" if match[4] in ("+", "-or-later") else "only"
        return f"{match[1].upper()}-{match[2]}.{match[3] or 0}-{end}"
    return next((known for pattern, known in KNOWN if pattern.search(parts[0])), parts[0])
