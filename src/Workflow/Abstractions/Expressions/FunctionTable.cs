using System.Collections.Frozen;
using System.Diagnostics.CodeAnalysis;

namespace Workflow.Abstractions.Expressions;

/// <summary>
/// Every function of the language. All are pure: none reads a clock or makes a random number, so that a replay gives
/// the same.
/// </summary>
internal static class FunctionTable
{
    private static readonly FrozenDictionary<string, Function> Functions =
        Make().ToFrozenDictionary(StringComparer.Ordinal);

    public static IReadOnlyList<string> Names { get; } = [.. Functions.Keys.Order(StringComparer.Ordinal)];

    /// <summary>Functions of FEEL (DMN 1.5, and long names of Camunda 8) that are not here, for messages.</summary>
    private static readonly FrozenSet<string> NotHere = FrozenSet.ToFrozenSet(
        [
            "date", "time", "date and time", "duration", "years and months duration", "range", "function",
            "substring before", "substring after", "replace", "matches", "split", "string join", "mean", "all", "any",
            "sublist", "append", "concatenate", "insert before", "remove", "list replace", "reverse", "index of",
            "union", "distinct values", "flatten", "product", "median", "stddev", "mode", "decimal", "round up",
            "round down", "round half up", "round half down", "modulo", "sqrt", "log", "exp", "odd", "even", "is",
            "before", "after", "meets", "met by", "overlaps", "overlaps before", "overlaps after", "finishes",
            "finished by", "includes", "during", "starts", "started by", "coincides", "day of year", "day of week",
            "month of year", "week of year", "sort", "get value", "get entries", "context", "context put",
            "context merge", "now", "today", "get or else", "last day of month",
        ],
        StringComparer.Ordinal);

    /// <summary>The most words of a name.</summary>
    public const int MostWords = 4;

    /// <summary>Whether it is the name of a function of the language or of FEEL.</summary>
    public static bool Knows(string name) => Functions.ContainsKey(name) || NotHere.Contains(name);

    /// <summary>Why a name cannot be called.</summary>
    public static string Problem(string name)
    {
        var hint = NotHere.Contains(name)
            ? ": FEEL has it, this engine does not."
            : $".{Suggestion.For(name, Names)}";
        return $"Unknown function '{name}'{hint} Known are: {string.Join(", ", Names)}.";
    }

    public static bool TryGet(string name, [NotNullWhen(true)] out Function? function) =>
        Functions.TryGetValue(name, out function);

    private static Dictionary<string, Function> Make() => new(StringComparer.Ordinal)
    {
        ["not"] = Function.One(
            value => value.Kind == ValueKind.Boolean
                ? Value.From(!value.AsBoolean())
                : Value.Null, traits: CallTraits.IsTest),
        ["upper"] = Function.One(Texts.Upper),
        ["upper case"] = Function.One(Texts.Upper),
        ["lower"] = Function.One(Texts.Lower),
        ["lower case"] = Function.One(Texts.Lower),
        ["length"] = Function.One(
            value => value.Kind == ValueKind.List
                ? Value.From(value.AsList().Count)
                : Texts.Length(value), traits: CallTraits.TakesLists),
        ["string length"] = Function.One(Texts.Length),
        ["substring"] = new(2, 3, Substring),
        ["contains"] = Function.Two(Texts.Contains, CallTraits.IsTest),
        ["starts with"] = Function.Two(Texts.StartsWith, CallTraits.IsTest),
        ["ends with"] = Function.Two(Texts.EndsWith, CallTraits.IsTest),
        ["list contains"] = Function.Two(
            (list, item) =>
                list.Kind == ValueKind.List ? Value.From(MemberOfNode.Holds(list.AsList(), item)) : Value.Null,
            CallTraits.IsTest | CallTraits.TakesLists),
        ["concat"] = Function.Aggregate(Texts.Concat),
        ["string"] = Function.One(Texts.From, Work.Text, CallTraits.TakesLists),
        ["number"] = Function.One(Numbers.Parse),
        ["abs"] = Function.One(Numbers.Abs),
        ["floor"] = Function.One(Numbers.Floor),
        ["ceiling"] = Function.One(Numbers.Ceiling),
        ["round"] = new(1, 2, Round),
        ["min"] = Function.Aggregate(items => Aggregates.Extreme(items, -1)),
        ["max"] = Function.Aggregate(items => Aggregates.Extreme(items, 1)),
        ["sum"] = Function.Aggregate(Aggregates.Sum),
        ["count"] = Function.One(Count, traits: CallTraits.TakesLists),
        ["coalesce"] = new(1, int.MaxValue, arguments => new CoalesceNode(arguments)),
    };

    private static Node Substring(Node[] arguments) => arguments.Length == 2
        ? new CallTwoNode(Texts.SubstringFrom, CallTraits.None, arguments[0], arguments[1])
        : new CallThreeNode(Texts.Substring, arguments[0], arguments[1], arguments[2]);

    private static Node Round(Node[] arguments) => arguments.Length == 1
        ? new CallOneNode(value => Numbers.Round(value, Value.From(0m)), Work.Read, CallTraits.None, arguments[0])
        : new CallTwoNode(Numbers.Round, CallTraits.None, arguments[0], arguments[1]);

    private static Value Count(Value value) => value.Kind switch
    {
        ValueKind.Null => Value.Null,
        ValueKind.List => Value.From(value.AsList().Count),
        _ => Value.From(1m),
    };
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
    public static Function One(
        Func<Value, Value> body, Func<Value, long>? work = null, CallTraits traits = CallTraits.None) =>
        new(1, 1, arguments => new CallOneNode(body, work ?? Work.Read, traits, arguments[0]));

    public static Function Two(Func<Value, Value, Value> body, CallTraits traits) =>
        new(2, 2, arguments => new CallTwoNode(body, traits, arguments[0], arguments[1]));

    public static Function Aggregate(Func<IReadOnlyList<Value>, Value> body) =>
        new(1, int.MaxValue, arguments => new AggregateNode(body, arguments));

    private static string Counted(int count) => count == 1 ? "1 argument" : $"{count} arguments";
}
