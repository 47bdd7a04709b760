"""Writes how much of what canvasapi calls is here, from the source of the library and from the API description.

Arguments: the description, the page, and `--check` to change nothing and fail if the page is stale.
"""

import ast
import collections
import dataclasses
import importlib.metadata
import importlib.util
import json
import pathlib
import re
import sys

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
PREFIXES = {None: "/api/v1/", "new_quizzes": "/api/quiz/v1/", "graphql": "/api/"}
# Where the library has one method for several kinds of places, and its documentation does not name them.
CONTEXTS = ("accounts", "courses", "groups", "users")
# Words of the library that stand where a path of ours has a parameter, and that the parameter takes.
WORDS = {"self", "root"}
# The module is the machinery of the others: what it calls, they call.
MACHINERY = {"paginated_list", "requester", "upload", "util"}
ANY = "{}"
# Pages of the documentation that are none of a resource, and those that the library knows by two names.
NO_RESOURCES = {"all_resources"}
RENAMED = {"file": "files"}


@dataclasses.dataclass(frozen=True)
class Call:
    """A request that a method of the library makes."""

    module: str
    function: str
    method: str
    paths: tuple[str, ...]
    resources: tuple[str, ...]


def calls_of(module, source):
    """The calls in the source of a module."""
    calls = []
    for owner in ast.walk(ast.parse(source)):
        if isinstance(owner, ast.ClassDef):
            for function in owner.body:
                if isinstance(function, ast.FunctionDef):
                    calls += calls_of_function(module, f"{owner.name}.{function.name}", function)
    return calls


def calls_of_function(module, name, function):
    documented = list(documented_calls(ast.get_docstring(function) or ""))
    calls = []
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and (request := request_of(node)):
            method, address, prefix = request
            texts = templates(address, function)
            if not texts:
                raise SystemExit(f"{module}.{name}: the path {ast.unparse(address)} cannot be read")
            paths = [path for text in texts for path in expanded(prefix + text.strip("/"), method, documented)]
            resources = [resource for _, _, resource in documented]
            calls.append(Call(module, name, method, tuple(dict.fromkeys(paths)), tuple(dict.fromkeys(resources))))
    return calls


def request_of(node):
    """The method, the expression of the path and the prefix of a call that makes a request.

    Where the call names the address that an answer gave, there is no path to compare.
    """
    name = ast.unparse(node.func)
    if name.endswith("requester.request"):
        method, address = node.args[0], node.args[1] if len(node.args) > 1 else None
    elif name == "PaginatedList":
        method, address = node.args[2], node.args[3]
    elif name == "Uploader":
        method, address = ast.Constant("POST"), node.args[1]
    else:
        return None
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    base = keywords.get("_url") or keywords.get("_url_override")
    if not isinstance(method, ast.Constant) or method.value not in METHODS or (base and not isinstance(base, ast.Constant)):
        return None
    return method.value, address, PREFIXES[base.value if base else None]


def templates(node, function):
    """The texts that an expression may be, with `{}` for each value that is put in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return ["".join(part.value if isinstance(part, ast.Constant) else ANY for part in node.values)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return [re.sub(r"%[sd]", ANY, text) for text in templates(node.left, function)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return [re.sub(r"\{[^}]*\}", ANY, text) for text in templates(node.func.value, function)]
    if isinstance(node, ast.Name):
        return [text for value in assigned(node.id, function) for text in templates(value, function)]
    return []


def assigned(name, function):
    """What a name is set to anywhere in a function: first to last, without what is made of itself."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == name for to in node.targets):
            if not any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node.value)):
                yield node.value


def documented_calls(text):
    """The method, path and resource of each call that the documentation of a method names, with its page."""
    for method, path, page in re.findall(r"`([A-Z]+\s)?\s*(/[^<`]*)<([^>`]*)>`_", text):
        resource = re.search(r"/(?:doc/api|resources)/([a-z0-9_]+)", re.sub(r"\s", "", page))
        if resource and resource.group(1) not in NO_RESOURCES:
            name = RENAMED.get(resource.group(1), resource.group(1))
            yield method.strip() or "GET", re.sub(r"\s", "", path).rstrip("/"), name


def expanded(path, method, documented):
    """The paths that a template stands for: where a value is a word of the path, the documentation says which."""
    parts = path.split("/")
    found = [specific(parts, other.split("/")) for verb, other, _ in documented if verb == method]
    if any(found):
        return [other for other in found if other]
    if ANY not in "".join(parts[3:4]):
        return [path]
    # The whole place may be one value: `courses/1`.
    rest = parts[4:] if parts[3] == "{}s" else [ANY, *parts[4:]]
    return ["/".join(["", "api", "v1", context, *rest]) for context in CONTEXTS]


def specific(parts, documented):
    """A template with the words of a documented path in place of its values, if the two are alike."""
    if parts[3:4] == [ANY] and len(documented) == len(parts) + 1:
        parts = [*parts[:4], ANY, *parts[4:]]
    if len(parts) != len(documented):
        return None
    words = []
    for part, other in zip(parts, documented, strict=True):
        is_value = other.startswith((":", "{"))
        if ANY not in part and not is_value and part != other:
            return None
        words.append(other if ANY in part and not is_value else part)
    return "/".join(words)


def answers(path, templates_here):
    """True if one of our paths takes what the library sends."""
    parts = path.split("/")
    return any(fits(parts, template.split("/")) for template in templates_here)


def fits(parts, template):
    def alike(part, ours):
        if ours.startswith("{"):
            return ANY in part or part in WORDS or ":" in part
        return part == ours

    return len(parts) == len(template) and all(map(alike, parts, template))


def paths_here(description):
    """Our paths by method."""
    here = collections.defaultdict(list)
    for path, item in description["paths"].items():
        for method in item:
            if method.upper() in METHODS:
                here[method.upper()].append(path)
    return here


def measured(calls, here):
    """How much of each call is here: 0, 1, or between where the library calls one of several places."""
    return {call: sum(answers(path, here[call.method]) for path in call.paths) / len(call.paths) for call in calls}


def word(parts):
    if all(part == 1 for part in parts):
        return "here"
    return "in part" if any(parts) else "not here"


def table(head, rows):
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join(lines + [f"| {' | '.join(map(str, row))} |" for row in rows])


def grouped(shares, keys):
    groups = collections.defaultdict(dict)
    for call, share in shares.items():
        for key in keys(call):
            groups[key][call] = share
    return dict(sorted(groups.items()))


def page(calls, description, version):
    here = paths_here(description)
    shares = measured(calls, here)
    complete = sum(share == 1 for share in shares.values())
    partly = sum(0 < share < 1 for share in shares.values())
    modules = grouped(shares, lambda call: [call.module])
    resources = grouped(shares, lambda call: call.resources)
    states = {name: word(group.values()) for name, group in resources.items()}
    counts = collections.Counter(states.values())
    rows = [
        (f"`{name}`", len(group), sum(share == 1 for share in group.values()), sum(0 < share < 1 for share in group.values()))
        for name, group in modules.items()
    ]
    listed = [
        (name, states[name], f"{sum(share == 1 for share in group.values())} of {len(group)}", missing(group))
        for name, group in resources.items()
        if states[name] != "not here"
    ]
    absent = ", ".join(name for name, state in states.items() if state == "not here")
    called = {(call.method, path) for call in calls for path in call.paths}
    own = collections.Counter(
        operation["tags"][0]
        for path, item in description["paths"].items()
        for method, operation in item.items()
        if not any(verb == method.upper() and fits(other.split("/"), path.split("/")) for verb, other in called)
    )
    return f"""# Coverage of the Canvas API

How much of the API of the Canvas LMS answers here, measured by [canvasapi](https://pypi.org/project/canvasapi/) {version}: `cargo xtask coverage`
reads each request in its source, and looks for its method and path in the [API description](../components/reference/openapi.json). This page
counts paths. What an endpoint does with its parameters stands in the [contract](contract/README.md), and where Lectern differs in
[QUIRKS](QUIRKS.md).

**{complete} of {len(calls)} calls answer here**, and {partly} in part: there the library calls one of several kinds of places (such as courses, groups and
users), and some of them answer.

Of the {len(states)} resources of the Canvas API that canvasapi knows, {counts["here"]} are here, {counts["in part"]} are in part, and {counts["not here"]} are not.

## Resources

A resource is a page of the documentation of the Canvas API. A call that several pages document counts in each,
and one that none documents in none.

{table(("Resource", "State", "Calls that answer", "Methods of canvasapi that have no answer"), listed)}

Not here: {absent}.

## Modules of canvasapi

{table(("Module", "Calls", "Answer", "In part"), rows)}

## What answers here beside these

Operations that canvasapi does not call, by area:

{table(("Area", "Operations"), sorted(own.items()))}
"""


def missing(group):
    """The methods of a group whose calls have no answer, or not all."""
    names = [f"`{call.function}`" + (" (in part)" if share else "") for call, share in group.items() if share < 1]
    return ", ".join(dict.fromkeys(names))


def library():
    """The calls of the library that is installed, and its version."""
    folder = pathlib.Path(importlib.util.find_spec("canvasapi").origin).parent
    files = sorted(path for path in folder.glob("*.py") if path.stem not in MACHINERY)
    calls = [call for path in files for call in calls_of(path.stem, path.read_text())]
    return calls, importlib.metadata.version("canvasapi")


def main(description, target, *options):
    calls, version = library()
    text = page(calls, json.loads(pathlib.Path(description).read_text()), version)
    target = pathlib.Path(target)
    if target.exists() and target.read_text() == text:
        return
    if "--check" in options:
        raise SystemExit(f"{target} is stale: run `cargo xtask coverage`")
    target.write_text(text)
    print(f"Wrote {target}")


if __name__ == "__main__":
    main(*sys.argv[1:])
