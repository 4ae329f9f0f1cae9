"""An MCP server without the SDK. It answers a list of tools and each call as its arguments say.

Arguments: the list of tools, and the answer to a call as Python's literal of bytes, with `%d` for the call's number.
"""

from __future__ import annotations

import ast
import json
import sys
from typing import Any


def serve(tools: str, answer: bytes) -> None:
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        request = json.loads(line)
        number, method = request.get("id"), request.get("method")
        if number is None:
            continue
        if method == "tools/call":
            out.write(answer % number + b"\n")
        else:
            told = {"jsonrpc": "2.0", "id": number} | _answered(method, request.get("params") or {}, tools)
            out.write(json.dumps(told).encode() + b"\n")
        out.flush()


def _answered(method: str, params: dict[str, Any], tools: str) -> dict[str, Any]:
    if method == "initialize":
        about = {"capabilities": {"tools": {}}, "serverInfo": {"name": "odd", "version": "1"}}
        return {"result": about | {"protocolVersion": params["protocolVersion"]}}
    if method == "tools/list":
        return {"result": {"tools": json.loads(tools)}}
    return {"error": {"code": -32601, "message": "Method not found"}}


if __name__ == "__main__":
    serve(sys.argv[1], ast.literal_eval(sys.argv[2]))
