using Workflow.Abstractions;
using Workflow.Abstractions.Expressions;

namespace Workflow.Engine;

/// <summary>Finds values that could be held in memory but not be stored and read again: they must not enter an instance.</summary>
internal static class ValueChecks
{
    /// <summary>What is wrong with the value, as the end of a sentence about it; null when nothing is.</summary>
    public static string? Problem(Value value) =>
        value.Depth > ExpressionCompiler.MaxValueDepth ? $"nests {value.Depth} levels deep; the limit is {ExpressionCompiler.MaxValueDepth}"
        : IsWellFormed(value) ? null
        : "holds a string with half of a surrogate pair, which is not text; remove it";

    public static bool IsWellFormed(string text)
    {
        for (var i = 0; i < text.Length; i++)
        {
            if (char.IsSurrogate(text[i]) && !(i + 1 < text.Length && char.IsSurrogatePair(text[i], text[++i])))
            {
                return false;
            }
        }

        return true;
    }

    private static bool IsWellFormed(Value value) => value.Kind switch
    {
        ValueKind.String => IsWellFormed(value.AsString()),
        ValueKind.List => value.AsList().All(IsWellFormed),
        ValueKind.Context => value.AsContext().All(m => IsWellFormed(m.Key) && IsWellFormed(m.Value)),
        _ => true,
    };
}
