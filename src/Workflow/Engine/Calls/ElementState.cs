namespace Workflow.Engine.Calls;

/// <summary>
/// The elements of a step in the format of its wait: <c>n</c> their number, <c>a</c> the list of elements, absent if
/// they are only counted, and <c>r</c> for each ended element a list with its output, null for the others.
/// </summary>
internal static class ElementState
{
    /// <summary>The number of nesting levels around the elements and around the list of results.</summary>
    public const int LevelsAround = 2;

    public static Value Of(Value items, int count)
    {
        var state = new Dictionary<string, Value>(StringComparer.Ordinal)
        {
            ["n"] = Value.From(count), ["r"] = Value.From(new Value[count]),
        };
        if (!items.IsNull)
        {
            state["a"] = items;
        }

        return Value.From(state);
    }

    public static int CountOf(Value state) => (int)state.AsContext()["n"].AsNumber();

    /// <summary>The work of a change, which copies the outputs.</summary>
    public static long WorkOf(Value state) => CountOf(state) >> 4;

    public static Value Item(Value state, int number) => state.AsContext()["a"].AsList()[number - 1];

    public static bool HasEnded(Value state, int number) => !Ends(state)[number - 1].IsNull;

    public static int Ended(Value state) => Ends(state).Count(end => !end.IsNull);

    public static Value WithOutput(Value state, int number, Value output)
    {
        Value[] ends = [.. Ends(state)];
        ends[number - 1] = Value.From([output]);
        return Value.From(
            new Dictionary<string, Value>(state.AsContext(), StringComparer.Ordinal) { ["r"] = Value.From(ends) });
    }

    /// <summary>The outputs in the order of the elements; null for elements that have not ended.</summary>
    public static Value Results(Value state) =>
        Value.From([.. Ends(state).Select(end => end.IsNull ? Value.Null : end.AsList()[0])]);

    /// <summary>The variables of a completion condition, named as in BPMN 2.0, table 10.30.</summary>
    public static Dictionary<string, Value> Attributes(Value state, int active) => new(StringComparer.Ordinal)
    {
        ["numberOfInstances"] = Value.From(CountOf(state)),
        ["numberOfActiveInstances"] = Value.From(active),
        ["numberOfCompletedInstances"] = Value.From(Ended(state)),
        ["numberOfTerminatedInstances"] = Value.From(0),
        ["results"] = Results(state),
    };

    private static IReadOnlyList<Value> Ends(Value state) => state.AsContext()["r"].AsList();
}
