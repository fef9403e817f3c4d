using LoadTesting.Core.Analysis.Statistics;

namespace IntegrationTests.Shared.Gating;

/// <summary>How often simulated decisions report a regression of a metric.</summary>
/// <param name="Scenario">Scenario whose recorded pairs were drawn from.</param>
/// <param name="Injection">The injected fault; <c>none</c> or <c>none, in runs of 8</c> for one build.</param>
/// <param name="Metric">The metric; <c>any</c> when at least one of the scenario's had.</param>
/// <param name="Decisions">Decisions that judged it.</param>
/// <param name="Regressed">How many of the decisions are "regressed".</param>
/// <param name="Inconclusive">How many were inconclusive.</param>
internal sealed record SimulatedRate(
    string Scenario, string Injection, string Metric, long Decisions, long Regressed, long Inconclusive)
{
    /// <summary>The point that a false-alarm rate may reach.</summary>
    public const double HighestRate = 0.005;

    /// <summary>What the upper bound of a false-alarm rate may reach.</summary>
    public const double HighestBound = 0.007;

    /// <summary>Name of the row that counts decisions in which any metric regressed.</summary>
    public const string AnyMetric = "any";

    /// <summary>Pairs that a decision took on average.</summary>
    public double MeanPairs { get; init; }

    /// <summary>Share of decisions that are "regressed".</summary>
    public double Rate => (double)Regressed / Decisions;

    /// <summary>One-sided 95 % Clopper–Pearson upper bound of <see cref="Rate"/>.</summary>
    public double Upper95 => ExactBinomial.UpperBound(Regressed, Decisions, 0.95);

    /// <summary>Whether these are false alarms of one metric, and more than a gate may give.</summary>
    public bool IsTooMany => IsOfOneBuild && Metric != AnyMetric && (Rate > HighestRate || Upper95 > HighestBound);

    /// <summary>Whether nothing was put in: every alarm is false.</summary>
    public bool IsOfOneBuild =>
        Injection == Gating.Injection.None.Name || Injection == Gating.Injection.NoneInRuns.Name;
}
