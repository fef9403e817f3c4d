namespace Workflow.Abstractions;

public readonly partial struct Value
{
    /// <summary>How deep lists and contexts nest: 0 for a scalar, 1 for a list of scalars. Known without walking the value.</summary>
    public int Depth => Kind is ValueKind.List or ValueKind.Context ? ExtentPart(1) : 0;

    /// <summary>
    /// About how many characters the value has as JSON, at most <see cref="int.MaxValue"/>; what is contained twice counts twice, although
    /// it is held once. Known without walking the value, so that a loop which doubles a value can be stopped before someone writes it out.
    /// </summary>
    public int Weight => Kind switch
    {
        ValueKind.String => ((string)_reference!).Length + 2,
        ValueKind.List or ValueKind.Context => ExtentPart(0),
        _ => 5,
    };

    // A list or context has no number of its own; the two low words of that field hold weight and depth, so that the struct does not grow.
    private static decimal Extent(long weight, int depth) => new((int)Math.Min(weight, int.MaxValue), depth, 0, false, 0);

    private static decimal ExtentOf(ReadOnlySpan<Value> items)
    {
        long weight = 2;
        var depth = 0;
        foreach (ref readonly var item in items)
        {
            weight += item.Weight + 1;
            depth = Math.Max(depth, item.Depth);
        }

        return Extent(weight, depth + 1);
    }

    private static decimal ExtentOf(IReadOnlyDictionary<string, Value> members)
    {
        long weight = 2;
        var depth = 0;
        if (members is Dictionary<string, Value> plain)
        {
            // The enumerator of the class is a struct; the one of the interface would be allocated.
            foreach (var (name, value) in plain)
            {
                weight += name.Length + value.Weight + 4;
                depth = Math.Max(depth, value.Depth);
            }

            return Extent(weight, depth + 1);
        }

        foreach (var (name, value) in members)
        {
            weight += name.Length + value.Weight + 4;
            depth = Math.Max(depth, value.Depth);
        }

        return Extent(weight, depth + 1);
    }

    private int ExtentPart(int word)
    {
        Span<int> words = stackalloc int[4];
        decimal.GetBits(_number, words);
        return words[word];
    }
}
