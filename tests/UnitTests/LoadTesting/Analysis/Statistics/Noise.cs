using MathNet.Numerics.Distributions;

namespace UnitTests.LoadTesting.Analysis.Statistics;

/// <summary>Seeded series for simulations.</summary>
internal static class Noise
{
    /// <summary>Normal values of variance 1 whose neighbours have the given correlation.</summary>
    public static double[] Correlated(Random random, int count, double correlation)
    {
        var values = new double[count];
        var innovation = Math.Sqrt(1 - (correlation * correlation));
        for (var i = 0; i < count; i++)
        {
            var fresh = Normal.Sample(random, 0, 1);
            values[i] = i == 0 ? fresh : (correlation * values[i - 1]) + (innovation * fresh);
        }

        return values;
    }
}
