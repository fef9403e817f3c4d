using IntegrationTests.Shared.Conformance;
using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Events;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;
using Workflow.Engine.Commands;
using Workflow.Engine.Configuration;
using Workflow.Engine.Diagnostics;
using Workflow.Engine.Events;
using Workflow.Engine.Flush;
using Workflow.Engine.Lanes;
using Workflow.Stores.Memory;

namespace UnitTests.Workflow.Engine;

public sealed class LaneTests
{
    private readonly ManualTime _time = new();
    private readonly InMemoryStore _store = new();

    /// <summary>Work that is dropped, as it is a dead letter already, leaves no batch whose end would wake the lane.</summary>
    [Fact(Timeout = 10_000)]
    public async Task Lane_goes_on_with_its_mailbox_when_all_that_it_took_was_dropped()
    {
        var dead = Message(1);
        await StoreAsync(dead, Message(2));
        var taken = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Lane? lane = null;
        await using var started = lane = NewLane(() =>
        {
            if (lane is { IsIdle: true, BufferedSignals: 1 })
            {
                taken.TrySetResult();
            }
        });
        for (var copy = 0; copy < 8; copy++)
        {
            lane.PostMessage(dead);
        }

        await lane.StartAsync(Cancel);

        await taken.Task;
    }

    private Lane NewLane(Action progressed)
    {
        var options = new WorkflowEngineOptions { MaxBatchCommands = 1 };
        var services = new LaneServices
        {
            Options = options,
            Store = _store,
            Time = _time,
            Runtime = EngineRuntime.OfProcess,
            Committer = null,
            Logger = NullLogger.Instance,
            Telemetry = new Telemetry(),
            Activities = new Dictionary<string, Activity>(),
            Receivers = new Dictionary<string, SignalReceiver>(),
            DefinitionOf = (_, _) => throw new InvalidOperationException("No definition is asked for."),
            FindDefinition = (_, _) => null,
            FindStartedBy = _ => null,
            EnsureDefinitions = (_, _) => ValueTask.CompletedTask,
            IsLeaseFresh = () => true,
            LaneLost = lane => Assert.Fail($"Lane {lane} was lost."),
            Route = message => Assert.Fail($"Message {message.Id} was sent on."),
            ActivitySlots = new(1),
            Progressed = progressed,
        };
        return new(new(0, 1), services, new EventLog(0, 16, 65_536, _store));
    }

    /// <summary>Both messages are in the lane's inbox, and of the first a dead letter.</summary>
    private async Task StoreAsync(MessageRow dead, MessageRow next)
    {
        await using var lane = await _store.OpenLaneAsync(new(0, 1), Cancel);
        var batch = new FlushBatch { Number = 1 };
        batch.MessagesAdded.AddRange([dead, next]);
        batch.DeadLettersAdded.Add(new()
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

    private MessageRow Message(long position)
    {
        var signal = new SignalRow
        {
            Id = Guid.CreateVersion7(), Partition = 0, Name = "go", CorrelationKey = "key", Position = position,
            AcceptedUtc = _time.GetUtcNow(), ExpiresUtc = _time.GetUtcNow().AddHours(1),
        };
        return new(Guid.CreateVersion7(), 0, PartitionMessage.Return, new PartitionMessage { Signal = signal }.ToJson(), position);
    }
}
