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
