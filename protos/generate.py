"""Generate services/forebay/pb from the protos beside this file.

Usage: generate.py [--check]

The modules move from `forebay.<package>` to `forebay.pb.<package>`, imports included; names on the wire stay.
With --check nothing is written: the exit status is 1, with a list of the files, when what is there is not current.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet, MethodDescriptorProto

PROTOS = Path(__file__).resolve().parent
TARGET = PROTOS.parent / "services" / "forebay" / "pb"
PACKAGE = "forebay"
INIT = '"""Generated from protos/ by `make protos`."""\n'
MODULE = re.compile(rf"\b{PACKAGE}((?:\.\w+)+)(?= import \w+_pb2\b|\.\w+_pb2')|\b{PACKAGE}((?:\.\w+)+_pb2)(?=')")

# (client streams, server streams) -> the client's callable, the server's argument, the server's answer
SHAPES = {
    (False, False): ("UnaryUnary", "request: {request}", "Coroutine[Any, Any, {response}]"),
    (False, True): ("UnaryStream", "request: {request}", "AsyncIterator[{response}] | Coroutine[Any, Any, None]"),
    (True, False): ("StreamUnary", "request_iterator: AsyncIterator[{request}]", "Coroutine[Any, Any, {response}]"),
    (True, True): (
        "StreamStream",
        "request_iterator: AsyncIterator[{request}]",
        "AsyncIterator[{response}] | Coroutine[Any, Any, None]",
    ),
}


def main() -> None:
    """Write the generated files, or compare with them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is not current")
    wanted, present = generated(), committed()
    if not parser.parse_args().check:
        write(wanted, present)
    elif differences := compare(wanted, present):
        sys.exit("\n".join([*differences, "Run `make protos` and commit the result."]))


def generated() -> dict[str, str]:
    """Text of each file that belongs below the target, by its path there."""
    with TemporaryDirectory() as folder:
        out = Path(folder)
        compile_protos(out)
        files = {
            path.relative_to(out / PACKAGE).as_posix(): moved(path.read_text())
            for path in (out / PACKAGE).rglob("*_pb2*.py*")
        }
        files |= service_stubs(FileDescriptorSet.FromString((out / "descriptors").read_bytes()))
    return files | {f"{folder}__init__.py": INIT for folder in folders(files)}


def compile_protos(out: Path) -> None:
    """Run protoc over all protos; leave its modules and a file `descriptors` in the folder `out`."""
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTOS}", f"--descriptor_set_out={out}/descriptors"]
    outputs = [f"--{name}_out={out}" for name in ("python", "pyi", "grpc_python")]
    subprocess.run([*command, *outputs, *sorted(map(str, PROTOS.rglob("*.proto")))], check=True)


def moved(text: str) -> str:
    """A generated module's text with the names of generated modules as they are below the target."""
    return MODULE.sub(lambda match: f"{PACKAGE}.pb{match[1] or match[2]}", text)


def folders(files: dict[str, str]) -> set[str]:
    """Every folder that holds one of the files, directly or not, each with a slash at its end; the top one is empty."""
    return {"".join(f"{part}/" for part in parent.parts) for path in files for parent in Path(path).parents}


def service_stubs(descriptors: FileDescriptorSet) -> dict[str, str]:
    """Type stubs of the modules with services, for grpc.aio: protoc makes none."""
    return {
        f"{file.name.removeprefix(f'{PACKAGE}/').removesuffix('.proto')}_pb2_grpc.pyi": service_stub(file)
        for file in descriptors.file
        if file.service
    }


def service_stub(file: FileDescriptorProto) -> str:
    """Type stub of one module with services: typed callables for clients, base classes for servers."""
    module = Path(file.name).stem + "_pb2"
    lines = [
        "from collections.abc import AsyncIterator, Coroutine",
        "from typing import Any",
        "",
        "from grpc import aio",
        "",
        f"from {PACKAGE}.pb{file.package.removeprefix(PACKAGE)} import {module}",
    ]
    for service in file.service:
        name = service.name
        lines += ["", f"class {name}Stub:", "    def __init__(self, channel: aio.Channel) -> None: ..."]
        lines += [client_attribute(method, module) for method in service.method]
        lines += ["", f"class {name}Servicer:"]
        lines += [server_method(method, module) for method in service.method]
        lines += ["", f"def add_{name}Servicer_to_server(servicer: {name}Servicer, server: aio.Server) -> None: ..."]
    return "\n".join(lines) + "\n"


def types(method: MethodDescriptorProto, module: str) -> tuple[str, str]:
    """The Python names of a method's request and response."""
    request, response = (name.rpartition(".")[2] for name in (method.input_type, method.output_type))
    return f"{module}.{request}", f"{module}.{response}"


def client_attribute(method: MethodDescriptorProto, module: str) -> str:
    """A method as an attribute of the client's stub."""
    shape, _, _ = SHAPES[method.client_streaming, method.server_streaming]
    return f"    {method.name}: aio.{shape}MultiCallable[{', '.join(types(method, module))}]"


def server_method(method: MethodDescriptorProto, module: str) -> str:
    """A method as servers override it."""
    _, argument, answer = SHAPES[method.client_streaming, method.server_streaming]
    request, response = types(method, module)
    context = f"context: aio.ServicerContext[{request}, {response}]"
    arguments = f"self, {argument.format(request=request)}, {context}"
    return f"    def {method.name}({arguments}) -> {answer.format(response=response)}: ..."


def committed() -> dict[str, str]:
    """Text of each file that is below the target now, by its path there."""
    paths = [path for suffix in ("py", "pyi") for path in TARGET.rglob(f"*.{suffix}")]
    return {path.relative_to(TARGET).as_posix(): path.read_text() for path in paths}


def compare(wanted: dict[str, str], present: dict[str, str]) -> list[str]:
    """One line for each file that is missing, stale or left over."""
    names = dict.fromkeys(wanted.keys() - present.keys(), "missing")
    names |= dict.fromkeys(present.keys() - wanted.keys(), "left over")
    names |= {name: "stale" for name in wanted.keys() & present.keys() if wanted[name] != present[name]}
    return [f"{TARGET.name}/{name}: {state}" for name, state in sorted(names.items())]


def write(wanted: dict[str, str], present: dict[str, str]) -> None:
    """Make the files below the target the wanted ones."""
    for name in present.keys() - wanted.keys():
        (TARGET / name).unlink()
    for name, text in wanted.items():
        path = TARGET / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
