namespace Benchmarks;

/// <summary>What an outside client saw.</summary>
/// <param name="RequestsPerSecond">Over its real time.</param>
/// <param name="Statuses">Answers by status.</param>
/// <param name="Errors">Requests without an answer, in the client's words; empty when there were none.</param>
internal sealed record HeyResult(double RequestsPerSecond, IReadOnlyDictionary<int, long> Statuses, string Errors)
{
    /// <summary>The number of answers, all of which have this status.</summary>
    /// <exception cref="InvalidOperationException">Wrong or missing answers: there is no rate.</exception>
    public long OnlyStatus(int status)
    {
        if (Errors.Length == 0 && Statuses.Count == 1 && Statuses.TryGetValue(status, out var count))
        {
            return count;
        }

        var counts = string.Join(", ", Statuses.OrderBy(s => s.Key).Select(s => $"{s.Value} x {s.Key}"));
        throw new InvalidOperationException(
            $"Every answer must be {status}, but hey counted {(counts.Length == 0 ? "no answer" : counts)}. {Errors}".TrimEnd());
    }
}
