using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Abstractions;
using Workflow.Abstractions.Events;
using Workflow.Engine;
using Workflow.Engine.Configuration;
using Workflow.Stores.PostgreSql;

namespace Benchmarks;

/// <summary>An engine in this process on a fresh schema, with the definition that every round trip uses.</summary>
internal sealed class EngineUnderTest : IAsyncDisposable
{
    private const string Text =
        """
        { "name": "signal-roundtrip", "version": VERSION, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "resume", "correlation": "= requestId", "result": "answer", "next": "done" },
          "done": { "type": "end", "output": { "answer": "= answer" } } } }
        """;

    private static readonly TimeSpan s_poll = TimeSpan.FromMilliseconds(5);
    private static int s_nodes;

    private EngineUnderTest(WorkflowEngine engine) => Engine = engine;

    public WorkflowEngine Engine { get; }

    /// <param name="versions">Of the definition; the newest is the one that runs.</param>
    /// <param name="schema">One that other nodes share, or a fresh one.</param>
    /// <param name="residency">The engine's default if null.</param>
    public static async Task<EngineUnderTest> StartAsync(
        BenchmarkContext context,
        IReadOnlyList<IEventPublisher> publishers,
        CancellationToken cancellationToken,
        int lanes = 1,
        int versions = 1,
        string? schema = null,
        ResidencyOptions? residency = null)
    {
        var store = new PostgresStore(
            new() { ConnectionString = context.ConnectionString, Schema = schema ?? context.NewSchema() });
        var options = new WorkflowEngineOptions
        {
            Publishers = publishers,
            Lanes = lanes,
            Residency = residency ?? new(),
            Cluster = new() { NodeName = $"node {Interlocked.Increment(ref s_nodes)}" },
        };
        var engine = new WorkflowEngine(store, options, TimeProvider.System, NullLoggerFactory.Instance);
        return new(await engine.PreparedAsync(async one =>
        {
            await one.StartAsync(cancellationToken);
            for (var version = 1; version <= versions; version++)
            {
                await one.RegisterDefinitionAsync(Encoding.UTF8.GetBytes(Definition(version)), cancellationToken);
            }
        }));
    }

    /// <summary>A workflow that waits for a signal to its correlation key, and ends.</summary>
    public static string Definition(int version) => Text.Replace("VERSION", $"{version}", StringComparison.Ordinal);

    public static StartCommand Start(string requestId) => new()
    {
        Definition = "signal-roundtrip",
        CorrelationKey = requestId,
        Input = Value.From(new Dictionary<string, Value> { ["requestId"] = Value.From(requestId) }),
    };

    public static SignalCommand Resume(string requestId) => new()
    {
        Name = "resume",
        CorrelationKey = requestId,
        Payload = Value.From(new Dictionary<string, Value> { ["approved"] = Value.From(true) }),
    };

    /// <summary>A start and then its signal, each until it is durable.</summary>
    /// <param name="requestId">The correlation key.</param>
    public async Task OperateAsync(string requestId, CancellationToken cancellationToken)
    {
        await Engine.StartAsync(Start(requestId), cancellationToken);
        await Engine.SignalAsync(Resume(requestId), cancellationToken);
    }

    /// <summary>Waits until no instance is in memory.</summary>
    public async Task AllDormantAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(s_poll);
        while (Engine.Statistics.ResidentInstances != 0)
        {
            await timer.WaitForNextTickAsync(cancellationToken);
        }
    }

    public ValueTask DisposeAsync() => Engine.DisposeAsync();
}
