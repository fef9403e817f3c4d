namespace LoadTesting.Core.Http.Sweep;

/// <summary>The result of a sweep, by step and client in the given order.</summary>
public sealed record SweepResult(SweepOptions Options, IReadOnlyList<SweepStep> Steps)
{
    /// <exception cref="KeyNotFoundException">There is none.</exception>
    public SweepStep At(int workers, string client) =>
        Steps.FirstOrDefault(step => step.Workers == workers && step.Client == client)
        ?? throw new KeyNotFoundException($"The sweep has no step of {workers} workers by '{client}'.");
}
