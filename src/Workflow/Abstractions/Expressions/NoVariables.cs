using System.Collections.Frozen;

namespace Workflow.Abstractions.Expressions;

internal static class NoVariables
{
    public static readonly IReadOnlyDictionary<string, Value> Instance = FrozenDictionary<string, Value>.Empty;
}
