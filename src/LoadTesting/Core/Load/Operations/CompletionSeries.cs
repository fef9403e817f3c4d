namespace LoadTesting.Core.Load.Operations;

/// <summary>
/// Means of consecutive values in bounded memory: when there are too many, neighbours are merged. Not safe for
/// concurrent writers.
/// </summary>
public sealed class CompletionSeries
{
    /// <summary>
    /// Initial number of values per mean. Ten, so that 1,000 completions give the 100 means that a warm-up cut needs.
    /// </summary>
    public const int FirstGroupSize = 10;

    private const int MostMeans = 2_048;

    private readonly List<double> _means = [];
    private double _sum;
    private int _open;

    /// <summary>Current number of values per mean.</summary>
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

    /// <summary>Drops a last mean without a neighbour.</summary>
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
