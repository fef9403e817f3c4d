namespace Foundation;

/// <summary>
/// Finds the name that the user probably meant. The distance of two names is the number of edits from one to the other:
/// insertions, deletions, replacements and swaps of neighbours. It is 0 if they differ in case only. A name longer than
/// 128 characters is near only to itself.
/// </summary>
public static class Suggestion
{
    private const int MaxDistance = 2;

    /// <summary>Bounds the memory on the stack.</summary>
    private const int MaxLength = 128;

    /// <summary>
    /// " Did you mean 'x'?" with the <see cref="Closest"/> candidate, or an empty text if there is none.
    /// </summary>
    public static string For(string name, IEnumerable<string> candidates) =>
        Closest(name, candidates) is { } close ? $" Did you mean '{close}'?" : "";

    /// <summary>
    /// The nearest candidate within two edits that are also less than half of the name's length, or null. Of equally
    /// near ones the first.
    /// </summary>
    public static string? Closest(string name, IEnumerable<string> candidates)
    {
        string? best = null;
        var bestDistance = Math.Min(MaxDistance, (name.Length - 1) / 2) + 1;
        foreach (var candidate in candidates)
        {
            var distance = Distance(name, candidate, bestDistance);
            if (distance < bestDistance)
            {
                (best, bestDistance) = (candidate, distance);
            }
        }

        return best;
    }

    /// <summary>
    /// All candidates by their distance from the name, the nearest first; equally near ones keep their order.
    /// </summary>
    public static IEnumerable<string> Ranked(string name, IEnumerable<string> candidates) =>
        candidates.OrderBy(candidate => Distance(name, candidate, int.MaxValue));

    // Optimal string alignment (Damerau-Levenshtein with adjacent transpositions), given up once a row reaches the
    // limit.
    private static int Distance(string left, string right, int limit)
    {
        if (string.Equals(left, right, StringComparison.OrdinalIgnoreCase))
        {
            return 0;
        }

        if (Math.Abs(left.Length - right.Length) >= limit || left.Length > MaxLength || right.Length > MaxLength)
        {
            return int.MaxValue;
        }

        Span<int> beforePrevious = stackalloc int[right.Length + 1];
        Span<int> previous = stackalloc int[right.Length + 1];
        Span<int> current = stackalloc int[right.Length + 1];
        for (var j = 0; j <= right.Length; j++)
        {
            previous[j] = j;
        }

        for (var i = 1; i <= left.Length; i++)
        {
            current[0] = i;
            var least = i;
            for (var j = 1; j <= right.Length; j++)
            {
                var edit = left[i - 1] == right[j - 1] ? 0 : 1;
                var cost = Math.Min(Math.Min(previous[j] + 1, current[j - 1] + 1), previous[j - 1] + edit);
                if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
                {
                    cost = Math.Min(cost, beforePrevious[j - 2] + 1);
                }

                current[j] = cost;
                least = Math.Min(least, cost);
            }

            if (least >= limit)
            {
                return int.MaxValue;
            }

            var spare = beforePrevious;
            beforePrevious = previous;
            previous = current;
            current = spare;
        }

        return previous[right.Length];
    }
}
