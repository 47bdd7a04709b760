"""Whether SQLite, in the release that libSQL servers are built on, makes the schema and reads each statement: both come in
a file of JSON. It has fewer functions than the one that Spin brings, resolves fewer names, and reads a hundred levels of a statement."""

import json
import sys
from pathlib import Path

import apsw

given = json.loads(Path(sys.argv[1]).read_text())
database = apsw.Connection(":memory:")
database.execute(given["schema"])
wrong = []
for sql, components in given["statements"].items():
    try:
        database.execute(f"EXPLAIN {sql}")
    except apsw.BindingsError:
        pass  # It has been read, and lacks its values.
    except apsw.Error as error:
        wrong.append(f"{error} ({', '.join(components)}):\n{sql}\n")
read = len(given["statements"]) - len(wrong)
print(f"SQLite {apsw.sqlite_lib_version()} reads {read} of {len(given['statements'])} statements", file=sys.stderr)
if wrong:
    sys.exit("\n".join(["Statements that a libSQL server would refuse:", "", *wrong]))
