namespace UnitTests.Workflow.Engine;

/// <summary>The reference model runs every suite, one line each.</summary>
public static class InMemoryConformance
{
    public sealed class Starting(InMemoryStoreFixture stores) : StartingConformance<InMemoryStoreFixture>(stores);
    public sealed class Conditions(InMemoryStoreFixture stores) : ConditionConformance<InMemoryStoreFixture>(stores);
    public sealed class Signals(InMemoryStoreFixture stores) : SignalConformance<InMemoryStoreFixture>(stores);
    public sealed class Correlation(InMemoryStoreFixture stores) : CorrelationConformance<InMemoryStoreFixture>(stores);
    public sealed class Timers(InMemoryStoreFixture stores) : TimerConformance<InMemoryStoreFixture>(stores);
    public sealed class Forks(InMemoryStoreFixture stores) : ForkConformance<InMemoryStoreFixture>(stores);
    public sealed class StepEvents(InMemoryStoreFixture stores) : StepEventConformance<InMemoryStoreFixture>(stores);
    public sealed class CallEach(InMemoryStoreFixture stores) : CallEachConformance<InMemoryStoreFixture>(stores);
    public sealed class SubProcesses(InMemoryStoreFixture stores) : SubProcessConformance<InMemoryStoreFixture>(stores);
    public sealed class Activities(InMemoryStoreFixture stores) : ActivityConformance<InMemoryStoreFixture>(stores);
    public sealed class Retries(InMemoryStoreFixture stores) : RetryConformance<InMemoryStoreFixture>(stores);
    public sealed class CaughtErrors(InMemoryStoreFixture stores)
        : CaughtErrorConformance<InMemoryStoreFixture>(stores);
    public sealed class Tasks(InMemoryStoreFixture stores) : TaskConformance<InMemoryStoreFixture>(stores);
    public sealed class Calls(InMemoryStoreFixture stores) : CallConformance<InMemoryStoreFixture>(stores);
    public sealed class Administration(InMemoryStoreFixture stores)
        : AdministrationConformance<InMemoryStoreFixture>(stores);
    public sealed class Orders(InMemoryStoreFixture stores) : OrderConformance<InMemoryStoreFixture>(stores);
    public sealed class Idempotency(InMemoryStoreFixture stores) : IdempotencyConformance<InMemoryStoreFixture>(stores);
    public sealed class Events(InMemoryStoreFixture stores) : EventConformance<InMemoryStoreFixture>(stores);
    public sealed class Definitions(InMemoryStoreFixture stores) : DefinitionConformance<InMemoryStoreFixture>(stores);
    public sealed class Queries(InMemoryStoreFixture stores) : QueryConformance<InMemoryStoreFixture>(stores);
    public sealed class DelayedSignals(InMemoryStoreFixture stores)
        : DelayedSignalConformance<InMemoryStoreFixture>(stores);
    public sealed class Ownership(InMemoryStoreFixture stores) : OwnershipConformance<InMemoryStoreFixture>(stores);
    public sealed class SoleOwner(InMemoryStoreFixture stores) : SoleOwnerConformance<InMemoryStoreFixture>(stores);
    public sealed class Account(InMemoryStoreFixture stores) : AccountConformance<InMemoryStoreFixture>(stores);
    public sealed class Faults(InMemoryStoreFixture stores) : FaultConformance<InMemoryStoreFixture>(stores);
    public sealed class Complaints(InMemoryStoreFixture stores) : ComplaintConformance<InMemoryStoreFixture>(stores);
    public sealed class Traces(InMemoryStoreFixture stores) : TraceConformance<InMemoryStoreFixture>(stores);
    public sealed class DeadLetters(InMemoryStoreFixture stores) : DeadLetterConformance<InMemoryStoreFixture>(stores);
    public sealed class Replays(InMemoryStoreFixture stores) : ReplayConformance<InMemoryStoreFixture>(stores);
    public sealed class Limits(InMemoryStoreFixture stores) : LimitConformance<InMemoryStoreFixture>(stores);
    public sealed class StorePort(InMemoryStoreFixture stores) : StorePortConformance<InMemoryStoreFixture>(stores);
    public sealed class Rows(InMemoryStoreFixture stores) : RowConformance<InMemoryStoreFixture>(stores);
    public sealed class Residency(InMemoryStoreFixture stores) : ResidencyConformance<InMemoryStoreFixture>(stores);
    public sealed class Recovery(InMemoryStoreFixture stores) : RecoveryConformance<InMemoryStoreFixture>(stores);
    public sealed class Dormant(InMemoryStoreFixture stores) : DormantConformance<InMemoryStoreFixture>(stores);

    public sealed class Retention(InMemoryStoreFixture stores) : RetentionConformance<InMemoryStoreFixture>(stores);
}
