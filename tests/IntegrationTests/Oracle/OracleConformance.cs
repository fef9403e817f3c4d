namespace IntegrationTests.Oracle;

/// <summary>Oracle runs every suite, one line each, where a server is available.</summary>
public static class OracleConformance
{
    [Trait("Category", "Integration")]
    public sealed class Starting(OracleStoreFixture stores) : StartingConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Conditions(OracleStoreFixture stores) : ConditionConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Signals(OracleStoreFixture stores) : SignalConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Correlation(OracleStoreFixture stores) : CorrelationConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Timers(OracleStoreFixture stores) : TimerConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Forks(OracleStoreFixture stores) : ForkConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class StepEvents(OracleStoreFixture stores) : StepEventConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class CallEach(OracleStoreFixture stores) : CallEachConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class SubProcesses(OracleStoreFixture stores) : SubProcessConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Activities(OracleStoreFixture stores) : ActivityConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Retries(OracleStoreFixture stores) : RetryConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class CaughtErrors(OracleStoreFixture stores) : CaughtErrorConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Tasks(OracleStoreFixture stores) : TaskConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Calls(OracleStoreFixture stores) : CallConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Administration(OracleStoreFixture stores)
        : AdministrationConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Orders(OracleStoreFixture stores) : OrderConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Idempotency(OracleStoreFixture stores) : IdempotencyConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Events(OracleStoreFixture stores) : EventConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Definitions(OracleStoreFixture stores) : DefinitionConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Queries(OracleStoreFixture stores) : QueryConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class DelayedSignals(OracleStoreFixture stores)
        : DelayedSignalConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Ownership(OracleStoreFixture stores) : OwnershipConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class ClusterStore(OracleStoreFixture stores) : ClusterStoreConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Nodes(OracleStoreFixture stores) : NodeConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class NodeMoves(OracleStoreFixture stores) : NodeMoveConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Account(OracleStoreFixture stores) : AccountConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Faults(OracleStoreFixture stores) : FaultConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Complaints(OracleStoreFixture stores) : ComplaintConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Traces(OracleStoreFixture stores) : TraceConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class DeadLetters(OracleStoreFixture stores) : DeadLetterConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Replays(OracleStoreFixture stores) : ReplayConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Limits(OracleStoreFixture stores) : LimitConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class StorePort(OracleStoreFixture stores) : StorePortConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Rows(OracleStoreFixture stores) : RowConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Dormant(OracleStoreFixture stores) : DormantConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Recovery(OracleStoreFixture stores) : RecoveryConformance<OracleStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Retention(OracleStoreFixture stores) : RetentionConformance<OracleStoreFixture>(stores)
    {
        /// <summary>Tasks have no index by instance there.</summary>
        protected override bool RemovesFinished => false;
    }
}
