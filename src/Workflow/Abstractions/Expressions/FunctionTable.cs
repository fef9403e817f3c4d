using System.Collections.Frozen;
using System.Diagnostics.CodeAnalysis;

namespace Workflow.Abstractions.Expressions;

/// <summary>Every function of the language. All are pure: none reads a clock or makes a random number, so that a replay gives the
/// same.</summary>
internal static class FunctionTable
{
    private static readonly FrozenDictionary<string, Function> Functions = Make().ToFrozenDictionary(StringComparer.Ordinal);

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
        ["string"] = Function.One(Texts.From, Work.Text),
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
        ? new CallOneNode(value => Numbers.Round(value, Value.From(0m)), Work.Read, arguments[0])
        : new CallTwoNode(Numbers.Round, arguments[0], arguments[1]);
}

/// <summary>A function of the language: how many arguments it takes, and the node that calls it.</summary>
internal sealed class Function(int least, int most, Func<Node[], Node> bind)
{
    /// <summary>The arity in words, for messages.</summary>
    public string Arity => (least, most) switch
    {
        (_, int.MaxValue) => $"{Counted(least)} or more",
        var (from, to) when from == to => Counted(from),
        _ => $"{least} to {Counted(most)}",
    };

    public bool Accepts(int count) => count >= least && count <= most;
    public Node Bind(Node[] arguments) => bind(arguments);

    /// <param name="work">What a call costs; without it, as much as reading its text.</param>
    public static Function One(Func<Value, Value> body, Func<Value, long>? work = null) =>
        new(1, 1, arguments => new CallOneNode(body, work ?? Work.Read, arguments[0]));

    public static Function Two(Func<Value, Value, Value> body) => new(2, 2, arguments => new CallTwoNode(body, arguments[0], arguments[1]));

    public static Function Aggregate(Func<IReadOnlyList<Value>, Value> body) =>
        new(1, int.MaxValue, arguments => new AggregateNode(body, arguments));

    private static string Counted(int count) => count == 1 ? "1 argument" : $"{count} arguments";
}
