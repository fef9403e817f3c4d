namespace LoadTesting.CSharp;

/// <summary>Distributions that a load is often made of.</summary>
public static class RandomExtensions
{
    /// <summary>One of the items, each with a probability of its share of all weights.</summary>
    /// <param name="random">The source of randomness.</param>
    /// <param name="items">At least one; weights are at least 0, and not all 0.</param>
    public static T Choice<T>(this Random random, IReadOnlyList<(T Item, int Weight)> items)
    {
        ArgumentNullException.ThrowIfNull(random);
        ArgumentNullException.ThrowIfNull(items);
        var all = 0L;
        foreach (var (item, weight) in items)
        {
            all += weight >= 0
                ? weight
                : throw new ArgumentOutOfRangeException(
                    nameof(items), weight, $"Item '{item}' has the weight {weight}; it is at least 0.");
        }

        var left = all > 0
            ? random.NextInt64(all)
            : throw new ArgumentException(
                $"{items.Count} items have no weight in all; give at least one of them a weight.", nameof(items));
        var index = 0;
        while (left >= items[index].Weight)
        {
            left -= items[index++].Weight;
        }

        return items[index].Item;
    }

    /// <summary>
    /// A number from 1 to <paramref name="n"/>, k with a probability proportional to k^-s. By rejection-inversion (W.
    /// Hörmann and G. Derflinger, ACM TOMACS 6(3), 1996): the time does not grow with n.
    /// </summary>
    /// <param name="random">The source of randomness.</param>
    /// <param name="n">At least 1.</param>
    /// <param name="s">Greater than 0.</param>
    public static int Zipf(this Random random, int n, double s)
    {
        ArgumentNullException.ThrowIfNull(random);
        ArgumentOutOfRangeException.ThrowIfLessThan(n, 1);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(s);
        if (n == 1)
        {
            return 1;
        }

        var first = Integral(1.5, s) - 1;
        var last = Integral(n + 0.5, s);
        var accepted = 2 - InverseIntegral(Integral(2.5, s) - Math.Pow(2, -s), s);
        while (true)
        {
            var u = last + (random.NextDouble() * (first - last));
            var x = InverseIntegral(u, s);
            var k = Math.Clamp((int)(x + 0.5), 1, n);
            if (k - x <= accepted || u >= Integral(k + 0.5, s) - Math.Pow(k, -s))
            {
                return k;
            }
        }
    }

    /// <summary>The integral of x^-s, up to a constant; continuous in s = 1, where it is the logarithm.</summary>
    private static double Integral(double x, double s) =>
        Math.Abs(s - 1) < 1e-9 ? Math.Log(x) : (Math.Pow(x, 1 - s) - 1) / (1 - s);

    private static double InverseIntegral(double y, double s) =>
        Math.Abs(s - 1) < 1e-9 ? Math.Exp(y) : Math.Pow(Math.Max(0, 1 + (y * (1 - s))), 1 / (1 - s));
}
