namespace Workflow.Abstractions.Expressions;

/// <summary>
/// Makes lists and contexts within the limits; past them, null. A loop such as x = [x, x] must not become memory or
/// stack.
/// </summary>
internal static class Composite
{
    public static Value Of(Value[] items) => Limited(Value.From(items));
    public static Value Of(Dictionary<string, Value> members) => Limited(Value.From(members));

    private static Value Limited(Value value) =>
        value.Weight > ExpressionCompiler.MaxWeight || value.Depth > ExpressionCompiler.MaxValueDepth
            ? Value.Null
            : value;
}
