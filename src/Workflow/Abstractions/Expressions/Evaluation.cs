namespace Workflow.Abstractions.Expressions;

/// <summary>
/// A budget of work for evaluations that belong together. One unit is about 20 ns: a value visited or made, or 16
/// characters. An expression costs as many units as it has parts; lists and texts that are copied, compared or searched
/// cost by their length. Work past the budget is not done: its result is null, and <see cref="IsExceeded"/> says that
/// nothing of it counts. For one thread.
/// </summary>
/// <param name="limit">Units in all.</param>
public sealed class Evaluation(long limit)
{
    /// <summary>Unlimited.</summary>
    public Evaluation()
        : this(long.MaxValue)
    {
    }

    public long Limit => limit;

    /// <summary>Units asked for since the last <see cref="Begin"/>; above the limit once it is exceeded.</summary>
    public long Spent { get; private set; }

    public bool IsExceeded => Spent > limit;

    /// <summary>What the nodes read.</summary>
    internal IReadOnlyDictionary<string, Value> Variables { get; private set; } = NoVariables.Instance;

    private Value[] _entries = [];

    /// <summary>Units that writing the value out as JSON takes.</summary>
    public static long WorkOfWriting(Value value) => value.Weight;

    /// <summary>Starts over with the whole budget.</summary>
    public void Begin() => Spent = 0;

    /// <summary>Takes the units from the budget.</summary>
    /// <returns>False when there are not so many left: the work must not be done.</returns>
    public bool TrySpend(long units)
    {
        Spent += Math.Min(units, long.MaxValue - Spent);
        return Spent <= limit;
    }

    /// <summary>The value of an entry that a context has written before.</summary>
    internal Value Entry(int slot) => _entries[slot];

    internal void Keep(int slot, Value entry)
    {
        if (slot >= _entries.Length)
        {
            Array.Resize(ref _entries, Math.Max(4, 2 * slot));
        }

        _entries[slot] = entry;
    }

    internal Value Evaluate(Node root, IReadOnlyDictionary<string, Value> variables)
    {
        Variables = variables;
        return TrySpend(root.Cost) ? root.Evaluate(this) : Value.Null;
    }
}
