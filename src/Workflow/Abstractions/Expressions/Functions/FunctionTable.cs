using System.Collections.Frozen;
using System.Diagnostics.CodeAnalysis;
using Workflow.Abstractions.Expressions.Nodes;

namespace Workflow.Abstractions.Expressions.Functions;

/// <summary>Every function of the language. All are pure: none reads a clock or makes a random number, so that a replay gives the same.</summary>
internal static class FunctionTable
{
    private static readonly FrozenDictionary<string, Function> Functions = Make().ToFrozenDictionary(StringComparer.Ordinal);

    /// <summary>The names in alphabetical order.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. Functions.Keys.Order(StringComparer.Ordinal)];

    public static bool TryGet(string name, [NotNullWhen(true)] out Function? function) => Functions.TryGetValue(name, out function);

    private static Dictionary<string, Function> Make() => new(StringComparer.Ordinal)
    {
        ["not"] = Function.One(value => value.Kind == ValueKind.Boolean ? Value.From(!value.AsBoolean()) : Value.Null),
        ["upper"] = Function.One(Texts.Upper),
        ["upper case"] = Function.One(Texts.Upper),
        ["lower"] = Function.One(Texts.Lower),
        ["lower case"] = Function.One(Texts.Lower),
        ["length"] = Function.One(Texts.Length),
        ["string length"] = Function.One(Texts.Length),
        ["substring"] = new(2, 3, Substring),
        ["contains"] = Function.Two(Texts.Contains),
        ["starts with"] = Function.Two(Texts.StartsWith),
        ["ends with"] = Function.Two(Texts.EndsWith),
        ["concat"] = Function.Aggregate(Texts.Concat),
        ["string"] = Function.One(Texts.From),
        ["number"] = Function.One(Numbers.Parse),
        ["abs"] = Function.One(Numbers.Abs),
        ["floor"] = Function.One(Numbers.Floor),
        ["ceiling"] = Function.One(Numbers.Ceiling),
        ["round"] = new(1, 2, Round),
        ["min"] = Function.Aggregate(items => Aggregates.Extreme(items, -1)),
        ["max"] = Function.Aggregate(items => Aggregates.Extreme(items, 1)),
        ["sum"] = Function.Aggregate(Aggregates.Sum),
        ["count"] = Function.Aggregate(items => Value.From(items.Count)),
        ["coalesce"] = new(1, int.MaxValue, arguments => new CoalesceNode(arguments)),
    };

    private static Node Substring(Node[] arguments) => arguments.Length == 2
        ? new CallTwoNode(Texts.SubstringFrom, arguments[0], arguments[1])
        : new CallThreeNode(Texts.Substring, arguments[0], arguments[1], arguments[2]);

    private static Node Round(Node[] arguments) => arguments.Length == 1
        ? new CallOneNode(value => Numbers.Round(value, Value.From(0m)), arguments[0])
        : new CallTwoNode(Numbers.Round, arguments[0], arguments[1]);
}
