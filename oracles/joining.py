"""Which of an answer's fenced blocks make up the program."""

from __future__ import annotations

import ast

from oracles.answer import Block
from oracles.checks import policy_classes
from oracles.parsing import Program, Unparsable, parse_program


def join_blocks(blocks: list[Block], repairs: list[str]) -> list[Block]:
    """The blocks that make one program: the last with a policy class, and what it uses."""
    if len(blocks) == 1:
        return blocks
    parsed = [_parsed(block) for block in blocks]
    policies = [i for i, program in enumerate(parsed) if program and policy_classes(program.tree)]
    if not policies:
        return blocks
    main = policies[-1]
    own = _defined(parsed[main])
    if len(policies) > 1:
        repairs.append(f"of {len(policies)} programs in the answer, the last was taken")
    chosen = {main}
    while True:
        used = {name for i in chosen for name in _names(parsed[i], ast.Load)}
        more = {
            i
            for i, program in enumerate(parsed)
            if i not in chosen and used & (_defined(program) - own)
        }
        if not more:
            return [blocks[i] for i in sorted(chosen)]
        chosen |= more


def _defined(program: Program | None) -> set[str]:
    return defined_names(program.tree) if program else set()


def _parsed(block: Block) -> Program | None:
    try:
        return parse_program(block.text)
    except Unparsable:
        return None


def _names(program: Program | None, context: type[ast.expr_context]) -> set[str]:
    if program is None:
        return set()
    return {
        node.id
        for node in ast.walk(program.tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, context)
    }


def defined_names(tree: ast.Module) -> set[str]:
    """Names that the top level of ``tree`` defines."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            names |= {
                inner.id
                for inner in ast.walk(node)
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
            }
    return names
