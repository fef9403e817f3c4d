namespace IntegrationTests.Mongo;

/// <summary>
/// MongoDB runs every suite, one line each, through its driver: against the server that is available, else against one
/// in this process.
/// </summary>
public static class MongoConformance
{
    [Trait("Category", "Integration")]
    public sealed class Starting(MongoStoreFixture stores) : StartingConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Conditions(MongoStoreFixture stores) : ConditionConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Signals(MongoStoreFixture stores) : SignalConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Correlation(MongoStoreFixture stores) : CorrelationConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Timers(MongoStoreFixture stores) : TimerConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Forks(MongoStoreFixture stores) : ForkConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class StepEvents(MongoStoreFixture stores) : StepEventConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class CallEach(MongoStoreFixture stores) : CallEachConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class SubProcesses(MongoStoreFixture stores) : SubProcessConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Activities(MongoStoreFixture stores) : ActivityConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Retries(MongoStoreFixture stores) : RetryConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class CaughtErrors(MongoStoreFixture stores) : CaughtErrorConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Tasks(MongoStoreFixture stores) : TaskConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Calls(MongoStoreFixture stores) : CallConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Administration(MongoStoreFixture stores) : AdministrationConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Orders(MongoStoreFixture stores) : OrderConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Idempotency(MongoStoreFixture stores) : IdempotencyConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Events(MongoStoreFixture stores) : EventConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Definitions(MongoStoreFixture stores) : DefinitionConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Queries(MongoStoreFixture stores) : QueryConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class DelayedSignals(MongoStoreFixture stores) : DelayedSignalConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Ownership(MongoStoreFixture stores) : OwnershipConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class ClusterStore(MongoStoreFixture stores) : ClusterStoreConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Nodes(MongoStoreFixture stores) : NodeConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class NodeMoves(MongoStoreFixture stores) : NodeMoveConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Account(MongoStoreFixture stores) : AccountConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Faults(MongoStoreFixture stores) : FaultConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Complaints(MongoStoreFixture stores) : ComplaintConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Traces(MongoStoreFixture stores) : TraceConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class DeadLetters(MongoStoreFixture stores) : DeadLetterConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Replays(MongoStoreFixture stores) : ReplayConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Limits(MongoStoreFixture stores) : LimitConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class StorePort(MongoStoreFixture stores) : StorePortConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Rows(MongoStoreFixture stores) : RowConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Dormant(MongoStoreFixture stores) : DormantConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Recovery(MongoStoreFixture stores) : RecoveryConformance<MongoStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Retention(MongoStoreFixture stores) : RetentionConformance<MongoStoreFixture>(stores)
    {
        /// <summary>Tasks have no index by instance there.</summary>
        protected override bool RemovesFinished => false;
    }
}
