namespace LoadTesting.Core.Load;

/// <summary>
/// Means of consecutive values, in the order they are added, in a bounded number: when there are too many, neighbours are merged. Not safe
/// for concurrent writers.
/// </summary>
public sealed class CompletionSeries
{
    /// <summary>Values that make a mean at first. Ten, so that 1,000 completions are the 100 means that a cut needs.</summary>
    public const int FirstGroupSize = 10;

    private const int MostMeans = 2_048;

    private readonly List<double> _means = [];
    private double _sum;
    private int _open;

    /// <summary>Values that make a mean now.</summary>
    public int GroupSize { get; private set; } = FirstGroupSize;

    public long Count { get; private set; }

    /// <summary>The means of full groups, oldest first.</summary>
    public IReadOnlyList<double> Means => _means;

    public void Add(double value)
    {
        Count++;
        _sum += value;
        if (++_open < GroupSize)
        {
            return;
        }

        _means.Add(_sum / _open);
        (_sum, _open) = (0, 0);
        if (_means.Count == MostMeans)
        {
            MergeNeighbours();
        }
    }

    /// <summary>All of it, to be put together elsewhere.</summary>
    internal SeriesParts ToParts() => new(GroupSize, Count, _means);

    /// <summary>
    /// Several that were recorded over the same time, as one: means of groups of one size, woven by how far into its own series each is.
    /// </summary>
    internal static CompletionSeries Of(IReadOnlyList<SeriesParts> parts)
    {
        var groupSize = parts.Max(part => part.GroupSize);
        var whole = new CompletionSeries { GroupSize = groupSize, Count = parts.Sum(part => part.Count) };
        var woven = new List<(double Place, double Mean)>();
        foreach (var part in parts)
        {
            var one = new CompletionSeries { GroupSize = part.GroupSize };
            one._means.AddRange(part.Means);
            while (one.GroupSize < groupSize)
            {
                one.MergeNeighbours();
            }

            woven.AddRange(one._means.Select((mean, index) => ((index + 0.5) / one._means.Count, mean)));
        }

        whole._means.AddRange(woven.OrderBy(mean => mean.Place).Select(mean => mean.Mean));
        while (whole._means.Count >= MostMeans)
        {
            whole.MergeNeighbours();
        }

        return whole;
    }

    /// <summary>A last mean without a neighbour is left out.</summary>
    private void MergeNeighbours()
    {
        var half = _means.Count / 2;
        for (var i = 0; i < half; i++)
        {
            _means[i] = (_means[2 * i] + _means[(2 * i) + 1]) / 2;
        }

        _means.RemoveRange(half, _means.Count - half);
        GroupSize *= 2;
    }
}

/// <summary>A series with all that it is made of.</summary>
/// <param name="GroupSize">Values that make a mean.</param>
/// <param name="Count">Values in all.</param>
/// <param name="Means">Of full groups, oldest first.</param>
internal sealed record SeriesParts(int GroupSize, long Count, IReadOnlyList<double> Means);
