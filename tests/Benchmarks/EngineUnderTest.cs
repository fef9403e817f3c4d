using System.Text;
using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Abstractions;
using Workflow.Abstractions.Events;
using Workflow.Stores.PostgreSql;
using Workflow.Engine;
using Workflow.Engine.Configuration;

namespace Benchmarks;

/// <summary>An engine in this process on a fresh schema, with the definition that every round trip uses.</summary>
internal sealed class EngineUnderTest : IAsyncDisposable
{
    private const string Definition =
        """
        { "name": "signal-roundtrip", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "resume", "correlation": "= requestId", "result": "answer", "next": "done" },
          "done": { "type": "end", "output": { "answer": "= answer" } } } }
        """;

    private EngineUnderTest(WorkflowEngine engine) => Engine = engine;

    public WorkflowEngine Engine { get; }

    public static async Task<EngineUnderTest> StartAsync(
        BenchmarkContext context,
        IReadOnlyList<IEventPublisher> publishers,
        CancellationToken cancellationToken,
        int lanes = 1)
    {
        var store = new PostgresStore(new() { ConnectionString = context.ConnectionString, Schema = context.NewSchema() });
        var options = new WorkflowEngineOptions { Publishers = publishers, Lanes = lanes };
        var engine = new WorkflowEngine(store, options, TimeProvider.System, NullLoggerFactory.Instance);
        return new(await engine.PreparedAsync(async one =>
        {
            await one.StartAsync(cancellationToken);
            await one.RegisterDefinitionAsync(Encoding.UTF8.GetBytes(Definition), cancellationToken);
        }));
    }

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

    public ValueTask DisposeAsync() => Engine.DisposeAsync();
}
