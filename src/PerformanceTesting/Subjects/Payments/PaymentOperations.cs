namespace PerformanceTesting.Subjects.Payments;

/// <summary>The means of one iteration: the batch that accounts for its operation, and a client of the service.</summary>
/// <param name="Batch">Begins, sends and completes the operation.</param>
/// <param name="Client">The service's API.</param>
internal sealed record PaymentOperations(OperationBatch Batch, PaymentClient Client)
{
    /// <summary>Begins an operation whose latency counts from the iteration's intended start.</summary>
    public Operation Begin(IScenarioContext context) => Batch.Begin(context.IntendedTimestamp);
}
