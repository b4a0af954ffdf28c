"""What torch.compile is told about the operators of multivectors, and of their algebra.

Dynamo reads `R * A` and `-A` as Python does, through the methods of the class.  It does not for
three spellings, which would end its graph (torch 2.13):

* A * t, t - A, .. with a tensor t are taken as operators of tensors, which a Multivector has to
  answer by `__torch_function__`;
* ~R, of which it knows no other meaning than that for tensors and integers;
* algebra.basis_vectors, a property of a constant, and algebra.vector(..) where the constant was
  found inside the graph, as in A.algebra.

The last two are missing in Dynamo and are added to it, for geomlin's classes only.  A version of
torch that has other insides is left as it is: there the graph ends at them, as for any class.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

# The tensor comes first, whatever the order was; by the name that Dynamo and eager torch share.
_FROM_THE_RIGHT = {
    "mul": "__rmul__",
    "add": "__radd__",
    "sub": "__rsub__",
    "__xor__": "__rxor__",
    "__rsub__": "__sub__",
    "__rdiv__": "__truediv__",
    "bitwise_xor": "__xor__",
}


def answer_tensors(multivector: Any) -> None:
    """Let t * A, A - t, .. come to the operators of the class, also while a graph is made."""

    def __torch_function__(
        cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """The operator of the class; NotImplemented, so TypeError, for all other functions."""
        name = _FROM_THE_RIGHT.get(func.__name__)
        if name is None or kwargs or len(args) != 2 or not isinstance(args[1], cls):
            return NotImplemented
        return getattr(args[1], name)(args[0])

    multivector.__torch_function__ = classmethod(__torch_function__)


def trace_invert(multivector: type) -> None:
    """Let Dynamo read ~R as a call of __invert__, which it does for no class."""
    from torch._dynamo.variables import builtin, user_defined

    reader: Any = builtin.BuiltinVariable
    if hasattr(reader, "call_invert"):
        return  # a later torch, which knows it

    def call_invert(self: Any, tx: Any, operand: Any) -> Any:
        """The method's answer; None lets Dynamo go on as before."""
        known = isinstance(operand, user_defined.UserDefinedObjectVariable)
        if known and issubclass(operand.python_type(), multivector):
            return operand.call_method(tx, "__invert__", [], {})
        return None

    reader.call_invert = call_invert


def trace_members(algebra: type, names: tuple[str, ...]) -> None:
    """Let Dynamo read methods and properties of an algebra, wherever that comes from."""
    from torch._dynamo.variables import functions, script_object

    reader: Any = script_object.TorchScriptObjectVariable
    before = reader.var_getattr

    @wraps(before)
    def var_getattr(self: Any, tx: Any, name: str) -> Any:
        """A method bound to the constant, or what the function of a property returns."""
        if name not in names or not issubclass(self.python_type(), algebra):
            return before(self, tx, name)
        member: Any = getattr(self.python_type(), name)
        if isinstance(member, property):
            getter: Any = member.fget
            return functions.UserFunctionVariable(getter).call_function(tx, [self], {})
        return functions.UserMethodVariable(member, self)

    reader.var_getattr = var_getattr
