namespace UnitTests.Workflow.Engine;

/// <summary>The suites of the engine once more, with every instance dormant that waits.</summary>
public static class ForcedDormancy
{
    public sealed class Starting(DormantInMemoryStoreFixture stores)
        : StartingConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Conditions(DormantInMemoryStoreFixture stores)
        : ConditionConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Signals(DormantInMemoryStoreFixture stores)
        : SignalConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Correlation(DormantInMemoryStoreFixture stores)
        : CorrelationConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Timers(DormantInMemoryStoreFixture stores)
        : TimerConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Forks(DormantInMemoryStoreFixture stores)
        : ForkConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class StepEvents(DormantInMemoryStoreFixture stores)
        : StepEventConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class CallEach(DormantInMemoryStoreFixture stores)
        : CallEachConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class SubProcesses(DormantInMemoryStoreFixture stores)
        : SubProcessConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Activities(DormantInMemoryStoreFixture stores)
        : ActivityConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Retries(DormantInMemoryStoreFixture stores)
        : RetryConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class CaughtErrors(DormantInMemoryStoreFixture stores)
        : CaughtErrorConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Tasks(DormantInMemoryStoreFixture stores)
        : TaskConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Calls(DormantInMemoryStoreFixture stores)
        : CallConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Administration(DormantInMemoryStoreFixture stores)
        : AdministrationConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Orders(DormantInMemoryStoreFixture stores)
        : OrderConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Idempotency(DormantInMemoryStoreFixture stores)
        : IdempotencyConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Events(DormantInMemoryStoreFixture stores)
        : EventConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Queries(DormantInMemoryStoreFixture stores)
        : QueryConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class DelayedSignals(DormantInMemoryStoreFixture stores)
        : DelayedSignalConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Account(DormantInMemoryStoreFixture stores)
        : AccountConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Faults(DormantInMemoryStoreFixture stores)
        : FaultConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Complaints(DormantInMemoryStoreFixture stores)
        : ComplaintConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Traces(DormantInMemoryStoreFixture stores)
        : TraceConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class DeadLetters(DormantInMemoryStoreFixture stores)
        : DeadLetterConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Replays(DormantInMemoryStoreFixture stores)
        : ReplayConformance<DormantInMemoryStoreFixture>(stores);

    public sealed class Limits(DormantInMemoryStoreFixture stores)
        : LimitConformance<DormantInMemoryStoreFixture>(stores);
}
