namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>The curve X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)) of the Universal Scalability Law.</summary>
/// <param name="Lambda">Throughput of one at a time, per second; over 0.</param>
/// <param name="Sigma">Contention, the serial share; 0 or more.</param>
/// <param name="Kappa">Coherency, the cost of every pair; 0 or more. Over 0, throughput has a maximum and falls behind it.</param>
/// <param name="Noise">Relative standard deviation of the points about the curve, with n - 3 degrees of freedom.</param>
public sealed record ScalabilityFit(double Lambda, double Sigma, double Kappa, double Noise)
{
    /// <summary>N* = sqrt((1 - sigma) / kappa), where throughput is greatest; null without a maximum at or behind one.</summary>
    public double? PeakConcurrency => Kappa > 0 && Sigma < 1 && Math.Sqrt((1 - Sigma) / Kappa) is >= 1 and var peak && double.IsFinite(peak) ? peak : null;

    /// <summary>Throughput at <paramref name="concurrency"/>, per second.</summary>
    public double ThroughputAt(double concurrency) =>
        Lambda * concurrency / (1 + (Sigma * (concurrency - 1)) + (Kappa * concurrency * (concurrency - 1)));
}
