using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Events;
using Workflow.Contracts.DeadLetters;
using Workflow.Engine.Commands;
using Workflow.Engine.Diagnostics;
using Workflow.Engine.Events;
using Workflow.Engine.Flush;
using Workflow.Engine.Lanes;

namespace UnitTests.Workflow.Engine;

public sealed class LaneTests
{
    private readonly ManualTime _time = new();
    private readonly InMemoryStore _store = new();

    /// <summary>Dropped work, already a dead letter, leaves no batch whose end would wake the lane.</summary>
    [Fact]
    public async Task Lane_continues_after_all_taken_commands_were_dropped()
    {
        var dead = NewMessage(1);
        await StoreAsync(dead, NewMessage(2));
        var taken = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Lane? lane = null;
        await using var started = lane = new Lane(new(0, 1), NewServices(_store, _time, () =>
        {
            if (lane is { IsIdle: true, Gauges.BufferedSignals: 1 })
            {
                taken.TrySetResult();
            }
        }, maxBatch: 1), new EventLog(0, 16, 65_536, _store));
        for (var copy = 0; copy < 8; copy++)
        {
            lane.PostMessage(dead);
        }

        await lane.StartAsync(Cancel);

        await taken.Task.WaitAsync(TimeSpan.FromSeconds(60), Cancel);
    }

    internal static LaneServices NewServices(
        InMemoryStore store, TimeProvider time, Action progressed, int maxBatch = 512) => new()
    {
        Options = new WorkflowEngineOptions { MaxBatchCommands = maxBatch },
        Store = store,
        Time = time,
        Runtime = EngineRuntime.OfProcess,
        Committer = null,
        Logger = NullLogger.Instance,
        Telemetry = new Telemetry(),
        Activities = new Dictionary<string, Activity>(),
        Receivers = new Dictionary<string, SignalReceiver>(),
        Definitions = new(store, new(), time, NullLogger.Instance, maxCount: 1, maxSize: 1),
        IsLeaseFresh = _ => true,
        LaneLost = lane => Assert.Fail($"Lane {lane} was lost."),
        Route = message => Assert.Fail($"Message {message.Id} was sent on."),
        ActivitySlots = new(1),
        Progressed = progressed,
    };

    /// <summary>Both messages are in the lane's inbox, and of the first a dead letter.</summary>
    private async Task StoreAsync(Message dead, Message next)
    {
        await using var lane = await _store.OpenLaneAsync(new(0, 1), Cancel);
        var batch = new FlushBatch { Number = 1 };
        batch.Pending.AddRange([dead.ToRow(), next.ToRow()]);
        batch.DeadLetters.Add(new DeadLetterRow
        {
            Id = Guid.CreateVersion7(),
            Partition = dead.Partition,
            Kind = DeadLetterKind.Message,
            SubjectId = dead.Id,
            Reason = "a test",
            Attempts = 1,
            Payload = "{}",
            CreatedUtc = _time.GetUtcNow(),
            LastAttemptUtc = _time.GetUtcNow(),
        });
        await lane.FlushAsync(batch, Cancel);
    }

    private Message NewMessage(long position)
    {
        var signal = new AcceptedSignal
        {
            Id = Guid.CreateVersion7(), Partition = 0, Name = "go", CorrelationKey = "key", Position = position,
            AcceptedUtc = _time.GetUtcNow(), ExpiresUtc = _time.GetUtcNow().AddHours(1),
        };
        return Message.Of(Guid.CreateVersion7(), 0, PartitionMessage.Return,
            new PartitionMessage { Signal = signal }.ToJson(), position);
    }
}
