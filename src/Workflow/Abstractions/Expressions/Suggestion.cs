namespace Workflow.Abstractions.Expressions;

/// <summary>Finds the name that was probably meant.</summary>
internal static class Suggestion
{
    private const int MaxDistance = 2;

    /// <summary>" Did you mean 'x'?" or an empty text.</summary>
    public static string For(string name, IEnumerable<string> candidates) => Closest(name, candidates) is { } close ? $" Did you mean '{close}'?" : "";

    /// <summary>The candidate within two edits (and less than half of the name), or that differs in case only; null when there is none.</summary>
    public static string? Closest(string name, IEnumerable<string> candidates)
    {
        string? best = null;
        var bestDistance = Math.Min(MaxDistance, (name.Length - 1) / 2) + 1;
        foreach (var candidate in candidates)
        {
            var distance = string.Equals(name, candidate, StringComparison.OrdinalIgnoreCase) ? 0 : Distance(name, candidate, bestDistance);
            if (distance < bestDistance)
            {
                (best, bestDistance) = (candidate, distance);
            }
        }

        return best;
    }

    // Optimal string alignment (Damerau-Levenshtein with adjacent transpositions), given up once a row is past the limit.
    private static int Distance(string left, string right, int limit)
    {
        if (Math.Abs(left.Length - right.Length) >= limit || left.Length > 128 || right.Length > 128)
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
