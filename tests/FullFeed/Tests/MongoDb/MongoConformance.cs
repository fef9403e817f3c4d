namespace FullFeed.Tests.MongoDb;

/// <summary>The store over a running stand-in for the driver: no real server, no real driver.</summary>
public static class MongoConformance
{
    public sealed class Starting(MongoStoreFixture stores) : StartingConformance<MongoStoreFixture>(stores);

    public sealed class Signals(MongoStoreFixture stores) : SignalConformance<MongoStoreFixture>(stores);

    public sealed class Correlation(MongoStoreFixture stores) : CorrelationConformance<MongoStoreFixture>(stores);

    public sealed class Timers(MongoStoreFixture stores) : TimerConformance<MongoStoreFixture>(stores);

    public sealed class Forks(MongoStoreFixture stores) : ForkConformance<MongoStoreFixture>(stores);
    public sealed class StepEvents(MongoStoreFixture stores) : StepEventConformance<MongoStoreFixture>(stores);
    public sealed class CallEach(MongoStoreFixture stores) : CallEachConformance<MongoStoreFixture>(stores);
    public sealed class SubProcesses(MongoStoreFixture stores) : SubProcessConformance<MongoStoreFixture>(stores);

    public sealed class Activities(MongoStoreFixture stores) : ActivityConformance<MongoStoreFixture>(stores);

    public sealed class Retries(MongoStoreFixture stores) : RetryConformance<MongoStoreFixture>(stores);

    public sealed class Tasks(MongoStoreFixture stores) : TaskConformance<MongoStoreFixture>(stores);

    public sealed class Calls(MongoStoreFixture stores) : CallConformance<MongoStoreFixture>(stores);

    public sealed class Administration(MongoStoreFixture stores) : AdministrationConformance<MongoStoreFixture>(stores);

    public sealed class Orders(MongoStoreFixture stores) : OrderConformance<MongoStoreFixture>(stores);

    public sealed class Idempotency(MongoStoreFixture stores) : IdempotencyConformance<MongoStoreFixture>(stores);

    public sealed class Events(MongoStoreFixture stores) : EventConformance<MongoStoreFixture>(stores);

    public sealed class Definitions(MongoStoreFixture stores) : DefinitionConformance<MongoStoreFixture>(stores);

    public sealed class Queries(MongoStoreFixture stores) : QueryConformance<MongoStoreFixture>(stores);

    public sealed class DelayedSignals(MongoStoreFixture stores) : DelayedSignalConformance<MongoStoreFixture>(stores);

    public sealed class Ownership(MongoStoreFixture stores) : OwnershipConformance<MongoStoreFixture>(stores);

    public sealed class ClusterStore(MongoStoreFixture stores) : ClusterStoreConformance<MongoStoreFixture>(stores);

    public sealed class Nodes(MongoStoreFixture stores) : NodeConformance<MongoStoreFixture>(stores);

    public sealed class NodeMoves(MongoStoreFixture stores) : NodeMoveConformance<MongoStoreFixture>(stores);

    public sealed class Account(MongoStoreFixture stores) : AccountConformance<MongoStoreFixture>(stores);

    public sealed class Faults(MongoStoreFixture stores) : FaultConformance<MongoStoreFixture>(stores);

    public sealed class Complaints(MongoStoreFixture stores) : ComplaintConformance<MongoStoreFixture>(stores);
    public sealed class Traces(MongoStoreFixture stores) : TraceConformance<MongoStoreFixture>(stores);
    public sealed class DeadLetters(MongoStoreFixture stores) : DeadLetterConformance<MongoStoreFixture>(stores);

    public sealed class Replays(MongoStoreFixture stores) : ReplayConformance<MongoStoreFixture>(stores);

    public sealed class Limits(MongoStoreFixture stores) : LimitConformance<MongoStoreFixture>(stores);

    public sealed class StorePort(MongoStoreFixture stores) : StorePortConformance<MongoStoreFixture>(stores);

    public sealed class Rows(MongoStoreFixture stores) : RowConformance<MongoStoreFixture>(stores);
}
