namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// A system whose capacity is measured. Each call is one independent measurement: no operation of an earlier call may
/// be left over, and no operation is in flight when the call returns. Calls never overlap. <see cref="LoadStep"/>
/// measures; the target adds what it knows of its own resources (<see cref="LoadStepResult.Demands"/>,
/// <see cref="LoadStepResult.Waits"/>) and of operations that were lost. It does not judge.
/// </summary>
public interface ICapacityTarget
{
    /// <summary>Closed load: keeps a number of operations in flight.</summary>
    /// <param name="concurrency">At least 1.</param>
    /// <param name="window">Length of the measured part.</param>
    Task<LoadStepResult> KeepAsync(int concurrency, TimeSpan window, CancellationToken cancellationToken);

    /// <summary>Open load: starts operations at a rate, whether or not earlier ones have ended.</summary>
    /// <param name="ratePerSecond">Over 0.</param>
    /// <param name="window">Length of the measured part.</param>
    Task<LoadStepResult> OfferAsync(double ratePerSecond, TimeSpan window, CancellationToken cancellationToken);
}
