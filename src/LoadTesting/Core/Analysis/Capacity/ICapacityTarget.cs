using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// A system whose capacity is looked for. Each call is one measurement that stands alone: nothing of an earlier one may be left over, and none is
/// under way when it returns. Calls never overlap. <see cref="LoadStep"/> measures; the target adds what it knows of its own resources
/// (<see cref="RungResult.Demands"/>, <see cref="RungResult.Waits"/>) and of operations that were lost. It does not judge.
/// </summary>
public interface ICapacityTarget
{
    /// <summary>Closed load: keeps so many operations under way.</summary>
    /// <param name="concurrency">At least 1.</param>
    /// <param name="window">Length of the measured part.</param>
    /// <param name="cancellationToken">Ends the measurement.</param>
    Task<RungResult> KeepAsync(int concurrency, TimeSpan window, CancellationToken cancellationToken);

    /// <summary>Open load: starts operations at a rate, whatever becomes of them.</summary>
    /// <param name="ratePerSecond">Over 0.</param>
    /// <param name="window">Length of the measured part.</param>
    /// <param name="cancellationToken">Ends the measurement.</param>
    Task<RungResult> OfferAsync(double ratePerSecond, TimeSpan window, CancellationToken cancellationToken);
}
