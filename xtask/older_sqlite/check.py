"""Whether SQLite, in the release that libSQL servers are built on, makes the schema and reads each recorded statement.

It has fewer functions than the one that Spin brings, resolves fewer names, and reads a hundred levels of a statement.
"""

import json
import sys
from pathlib import Path

import apsw

# What a later release of ours makes, and this one looks for.
OF_LATER_RELEASES = "CREATE TABLE schema_compatibility (oldest_schema INTEGER NOT NULL) STRICT"
QUERIES = ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "REPLACE")


def statements(records: Path) -> dict[str, dict]:
    """The last record of each statement that reads or writes rows."""
    found = {}
    for path in records.glob("*.jsonl"):
        # A host that was killed may have left half a line.
        for line in (line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")):
            record = json.loads(line)
            found[record["sql"]] = record
    return {sql: record for sql, record in found.items() if sql.split(None, 1)[0].upper() in QUERIES}


def main(records: Path, migrations: Path) -> None:
    database = apsw.Connection(":memory:")
    scripts = [path.read_text() for path in sorted(migrations.glob("*.sql"))]
    for script in [*scripts, OF_LATER_RELEASES]:
        database.execute(script)
    whole, wrong, read = "".join(scripts), [], 0
    for sql, record in statements(records).items():
        # A migration needs the tables of its time.
        if sql.strip() in whole:
            continue
        read += 1
        try:
            database.execute(f"EXPLAIN {sql}", [None] * record["parameters"])
        except apsw.Error as error:
            wrong.append(f"{error} ({record['component']}):\n{sql}\n")
    print(f"SQLite {apsw.sqlite_lib_version()} reads {read - len(wrong)} of {read} statements", file=sys.stderr)
    if wrong or read < 100:
        sys.exit("\n".join(["Statements that a libSQL server would refuse:", "", *wrong]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
