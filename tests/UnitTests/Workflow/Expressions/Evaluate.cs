using Workflow.Abstractions.Expressions;

namespace UnitTests.Workflow.Expressions;

/// <summary>Short ways to compile and evaluate.</summary>
internal static class Evaluate
{
    public static Expression Compiled(string source) =>
        ExpressionCompiler.TryCompile(source, out var expression, out var error)
            ? expression
            : throw new InvalidOperationException($"{source}: {error}");

    public static ExpressionError Refused(string source) =>
        ExpressionCompiler.TryCompile(source, out _, out var error)
            ? throw new InvalidOperationException($"{source} was compiled.")
            : error;

    /// <summary>Evaluates over variables given as a JSON object.</summary>
    public static Value Over(string source, string variables = "{}") =>
        Compiled(source).Evaluate(Value.Parse(variables).AsContext());
}
