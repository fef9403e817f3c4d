using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Events;
using Workflow.Contracts.DeadLetters;
using Workflow.Engine.Activities;
using Workflow.Engine.Commands;
using Workflow.Engine.Diagnostics;
using Workflow.Engine.Events;
using Workflow.Engine.Flush;
using Workflow.Engine.Lanes;
using Workflow.Engine.Signals;

namespace UnitTests.Workflow.Engine;

public sealed class LaneTests
{
    private readonly ManualTime _time = new();
    private readonly InMemoryStore _store = new();

    /// <summary>Work that is dropped, as it is a dead letter already, leaves no batch whose end would wake the lane.</summary>
    [Fact]
    public async Task Lane_goes_on_with_its_mailbox_when_all_that_it_took_was_dropped()
    {
        var dead = NewMessage(1);
        await StoreAsync(dead, NewMessage(2));
        var taken = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Lane? lane = null;
        await using var started = lane = NewLane(() =>
        {
            if (lane is { IsIdle: true, Gauges.BufferedSignals: 1 })
            {
                taken.TrySetResult();
            }
        });
        for (var copy = 0; copy < 8; copy++)
        {
            lane.PostMessage(dead);
        }

        await lane.StartAsync(Cancel);

        await taken.Task.WaitAsync(TimeSpan.FromSeconds(10), Cancel);
    }

    private Lane NewLane(Action progressed) =>
        new(new(0, 1), NewServices(_store, _time, progressed, maxBatch: 1), new EventLog(0, 16, 65_536, _store));

    internal static LaneServices NewServices(InMemoryStore store, TimeProvider time, Action progressed, int maxBatch = 512) => new()
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
        DefinitionOf = (_, _) => throw new InvalidOperationException("No definition is asked for."),
        FindDefinition = (_, _) => null,
        FindStartedBy = _ => null,
        EnsureDefinitions = (_, _) => ValueTask.CompletedTask,
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
        return Message.Of(Guid.CreateVersion7(), 0, PartitionMessage.Return, new PartitionMessage { Signal = signal }.ToJson(), position);
    }
}

/// <summary>One step after the other, without a thread, a store or a clock that goes on.</summary>
public sealed class LaneCoreTests : IFlusher
{
    private readonly ManualTime _time = new();
    private readonly LaneServices _services;
    private readonly LaneIntake _intake;
    private readonly LaneFlusher _flusher;
    private readonly LaneCore _core;
    private readonly List<string> _done = [];
    private int _offers;

    public LaneCoreTests()
    {
        var assignment = new LaneAssignment(0, 1);
        var log = new EventLog(0, 16, 65_536, new InMemoryStore());
        _services = LaneTests.NewServices(new InMemoryStore(), _time, () => { });
        _intake = new(assignment, _services, new());
        var release = new LaneRelease(_services, _intake, log, []);
        _flusher = new(NewExecutor(), this, () => 0, new());
        _core = new(assignment, _services, _intake, _flusher, release);
    }

    void IFlusher.Offer(IFlushSource source) => _offers++;

    void IFlusher.Waits(int commands)
    {
    }

    [Fact]
    public void Commands_that_come_during_a_flush_are_the_next_one_and_each_is_acknowledged_after_its_own()
    {
        Post("one");
        Assert.Equal([LaneNext.Step, LaneNext.Sleep], [_core.Step(), _core.Step()]);
        Seal(commands: 1);
        Post("two");
        Post("three");
        Assert.Equal(LaneNext.Sleep, _core.Step());
        Assert.Empty(_done);

        End(outcome: null);
        Assert.Equal(LaneNext.Step, _core.Step());
        Assert.Equal(["one"], _done);
        Assert.Equal(2, _offers);
        Seal(commands: 2);
        End(outcome: null);
        Assert.Equal(LaneNext.Step, _core.Step());
        Assert.Equal(["one", "two", "three"], _done);
        Assert.Equal(LaneNext.Sleep, _core.Step());
    }

    /// <summary>Else a sender that waits for each answer would be refused now and then.</summary>
    [Fact]
    public void Command_makes_room_before_its_sender_is_notified_and_is_answered_after_it()
    {
        List<(int, bool)> atAnswer = [];
        Post("one", acknowledged: () => atAnswer.Add((_intake.Backlog.Count, _intake.Backlog.IsAnswered)));
        _core.Step();
        Seal(commands: 1);
        End(outcome: null);
        _core.Step();

        Assert.Equal([(0, false)], atAnswer);
        Assert.True(_intake.Backlog.IsAnswered);
    }

    /// <summary>A listener of traces, for one, may throw whatever it likes.</summary>
    [Fact]
    public void What_is_committed_is_acknowledged_although_a_launch_throws()
    {
        Post("one", launch: () => throw new InvalidOperationException("a test"));
        Post("two");
        _core.Step();
        Seal(commands: 2);
        End(outcome: null);

        Assert.Throws<InvalidOperationException>(() => _core.Step());
        Assert.Equal(["one", "two"], _done);
        Assert.True(_intake.Backlog.IsAnswered);
    }

    /// <summary>A hundred of the largest rows are more than a server takes in one message: then all lanes would load again.</summary>
    [Fact]
    public void Large_commands_are_committed_few_at_a_time_and_in_their_order()
    {
        const long half = CommandBatch.FullSize / 2;
        Array.ForEach(["one", "two", "three"], name => Post(name, size: half));
        Assert.Equal([LaneNext.Step, LaneNext.Sleep], [_core.Step(), _core.Step()]);
        Seal(commands: 2);
        End(outcome: null);

        Assert.Equal([LaneNext.Step, LaneNext.Step, LaneNext.Sleep], [_core.Step(), _core.Step(), _core.Step()]);
        Assert.Equal(["one", "two"], _done);
        Post("four", size: half);
        Post("five");
        Assert.Equal(LaneNext.Sleep, _core.Step());
        Seal(commands: 2);
        End(outcome: null);
        Assert.Equal([LaneNext.Step, LaneNext.Step], [_core.Step(), _core.Step()]);
        Seal(commands: 1);
        End(outcome: null);
        _core.Step();
        Assert.Equal(["one", "two", "three", "four", "five"], _done);
    }

    [Fact]
    public void Command_that_breaks_off_waits_for_the_flush_in_flight_and_undoes_only_what_came_after_it()
    {
        Post("one");
        _core.Step();
        Seal(commands: 1);
        Post("two");
        Post("broken", breaks: true);

        Assert.Equal(LaneNext.Sleep, _core.Step());
        Assert.Equal(LaneNext.Sleep, _core.Step());
        Assert.Empty(_done);
        End(outcome: null);
        Assert.Equal(LaneNext.Step, _core.Step());
        Assert.Equal(["one"], _done);

        Assert.Equal(LaneNext.Step, _core.Step());
        Seal(commands: 1);
        End(outcome: null);
        _core.Step();
        Assert.Equal(["one", "two"], _done);
        _core.Step();
        Assert.Equal(["one", "two", "broken fails"], _done);
    }

    /// <summary>What it broke off on was never committed.</summary>
    [Theory]
    [InlineData(true), InlineData(false)]
    public void Command_that_breaks_off_on_what_the_store_refuses_is_applied_after_that(bool isInFlight)
    {
        Post("poison");
        if (isInFlight)
        {
            _core.Step();
            Seal(commands: 1);
        }

        _intake.PostInternal(new Follower("poison", _done));
        _core.Step();
        if (!isInFlight)
        {
            _core.Step();
            Seal(commands: 1);
        }

        End(new(FlushFailure.Rejected, "a test"));
        _core.Step();
        Assert.Equal(["poison fails"], _done);
        _core.Step();
        Seal(commands: 1);
        End(outcome: null);
        _core.Step();
        Assert.Equal(["poison fails", "follower"], _done);
    }

    [Fact]
    public void Batch_that_the_store_refuses_is_halved_until_the_command_to_blame_stands_alone()
    {
        Post("one");
        Post("poison");
        _core.Step();
        Seal(commands: 2);
        End(new(FlushFailure.Rejected, "a test"));

        Assert.Equal([LaneNext.Step, LaneNext.Step], [_core.Step(), _core.Step()]);
        Seal(commands: 1);
        End(outcome: null);
        Assert.Equal([LaneNext.Step, LaneNext.Step], [_core.Step(), _core.Step()]);
        Seal(commands: 1);
        End(new(FlushFailure.Rejected, "a test"));
        Assert.Equal([LaneNext.Step, LaneNext.Sleep], [_core.Step(), _core.Step()]);
        Assert.Equal(["one", "poison fails"], _done);
        Assert.Equal((2, 0), (_core.FailedFlushes, _core.Reloads));
    }

    /// <summary>Neither the signal nor the dead letter that it was to become.</summary>
    [Fact]
    public async Task What_the_store_refuses_is_in_no_figure_by_the_time_its_caller_hears_of_it()
    {
        var signal = new SignalLaneCommand(new() { Name = "go", CorrelationKey = "key" }, Guid.CreateVersion7(), requestHash: null);
        _intake.Post(signal);
        foreach (var counted in (ReadOnlySpan<(int, int)>)[(1, 0), (0, 1)])
        {
            _core.Step();
            Assert.Equal(counted, (_core.Gauges.BufferedSignals, _core.Gauges.DeadLetters));
            Seal(commands: 1);
            End(new(FlushFailure.Rejected, "a test"));
            _core.Step();
            Assert.Equal((0, 0), (_core.Gauges.BufferedSignals, _core.Gauges.DeadLetters));
        }

        await Assert.ThrowsAsync<CommandRejectedException>(() => signal.Completion);
    }

    [Theory]
    [InlineData(true), InlineData(false)]
    public void Flush_cut_off_is_reloaded_and_its_batch_is_repeated_unless_its_number_is_there(bool committed)
    {
        Post("one");
        _core.Step();
        Seal(commands: 1);
        Post("two");
        Assert.Equal(LaneNext.Sleep, _core.Step());
        End(new(FlushFailure.Unavailable, "a test"));

        Assert.Equal(LaneNext.Reload, _core.Step());
        Assert.Equal(["one", "two"], _core.Reload!.Held.Select(c => c.Description));
        _flusher.Begin(NewExecutor(), store: null!, lastBatch: committed ? 1 : 0);
        Assert.Equal(LaneNext.Step, _core.Reloaded(isHeld: true));
        Assert.Equal(committed ? ["one"] : [], _done);
        _core.Step();
        Seal(commands: committed ? 1 : 2);
        End(outcome: null);
        _core.Step();
        Assert.Equal(["one", "two"], _done);
    }

    [Fact]
    public void Lane_that_stops_ends_once_all_that_it_had_is_acknowledged()
    {
        Post("one");
        _intake.Stop();

        Assert.Equal(LaneNext.Step, _core.Step());
        Assert.Equal(LaneNext.Sleep, _core.Step());
        Seal(commands: 1);
        End(outcome: null);
        Assert.Equal([LaneNext.Step, LaneNext.End], [_core.Step(), _core.Step()]);
        Assert.Equal(["one"], _done);
    }

    /// <summary>The last load has it too, or found it applied.</summary>
    [Fact]
    public void Message_from_before_the_last_load_is_dropped_and_a_lane_that_stops_ends_after_it()
    {
        var message = Message.Of(Guid.CreateVersion7(), 0, PartitionMessage.Return, new PartitionMessage().ToJson(), 1);
        _intake.PostInternal(new MessageLaneCommand(message, _intake.Inbox.Loads, fromSnapshot: false, _services));
        _intake.Inbox.BeginLoad();
        _intake.Stop();

        Assert.Equal([LaneNext.Step, LaneNext.End], [_core.Step(), _core.Step()]);
        Assert.Equal(0, _offers);
        Assert.Equal(0, _intake.Backlog.Count);
    }

    /// <summary>The clock stands still, or was set back: what a lane sends after a load is read after what it sent before.</summary>
    [Fact]
    public void Loaded_memory_gives_positions_after_those_of_the_memory_before_it()
    {
        var positions = new List<long>();
        var (former, loaded) = (NewExecutor(), NewExecutor());
        former.Execute(new Positioned(positions));
        former.Execute(new Positioned(positions));

        loaded.Succeed(former);
        loaded.Execute(new Positioned(positions));

        Assert.Equal(3, positions.Distinct().Count());
        Assert.Equal(positions.Order(), positions);
    }

    /// <summary>A request waits among the callers when its sender, who had no answer in time, asks by the inbox.</summary>
    [Fact]
    public async Task Request_of_another_node_is_not_applied_once_its_copy_in_the_inbox_has_come()
    {
        var command = new RemoteCommand { Id = Guid.NewGuid() };
        var request = new PeerRequest(Guid.NewGuid(), 0, RemoteKind.Cancel, command.ToJson());
        var posted = new PeerLaneCommand(request, command, _services);
        _intake.Post(posted);
        var copy = Message.Of(request.Id, 0, RemoteKind.Cancel, request.Body, 1);
        _intake.PostInternal(new MessageLaneCommand(copy, _intake.Inbox.Loads, fromSnapshot: false, _services));

        _core.Step();
        Seal(commands: 2);
        End(outcome: null);
        _core.Step();

        Assert.True((await Assert.ThrowsAsync<StoreUnavailableException>(() => posted.Completion)).OutcomeUnknown);
    }

    /// <summary>The clock of a node that takes a lane over is behind: what the former owner sent may lie unread elsewhere.</summary>
    [Fact]
    public async Task Loaded_memory_gives_positions_after_those_of_all_messages_there_are()
    {
        var positions = new List<long>();
        var sent = _time.GetUtcNow().AddHours(1).UtcTicks;
        var batch = new FlushBatch { Number = 1 };
        batch.Pending.Add(Message.Of(Guid.CreateVersion7(), 1, PartitionMessage.Return, "{}", sent).ToRow());
        await using var lane = await _services.Store.OpenLaneAsync(new(0, 2), Cancel);
        await lane.LoadAsync(Cancel);
        await lane.FlushAsync(batch, Cancel);

        var loaded = NewExecutor();
        loaded.Load(await lane.LoadAsync(Cancel), _services.DefinitionOf);
        loaded.Execute(new Positioned(positions));

        Assert.Equal([sent + 1], positions);
    }

    private LaneExecutor NewExecutor() => new(new NoHost(), _services.Options, _time, _services.Runtime);

    private void Post(string name, bool breaks = false, long size = 0, Action? launch = null, Action? acknowledged = null) =>
        _intake.PostInternal(new Named(name, breaks, size, launch, () =>
        {
            _done.Add(name);
            acknowledged?.Invoke();
        }, _done));

    private void Seal(int commands)
    {
        Assert.NotNull(_flusher.SealBatch(out _, out _));
        Assert.Equal(commands, _flusher.CommandsInFlight);
    }

    private void End(FlushException? outcome)
    {
        _flusher.Outcome = outcome;
        _flusher.EndFlush();
    }

    private sealed class Positioned(List<long> positions) : LaneCommand
    {
        public override string Description => "a test";

        public override void Apply(LaneContext lane) => positions.Add(lane.NextPosition());
    }

    /// <summary>Breaks off while the other one is in memory.</summary>
    private sealed class Follower(string other, List<string> done) : LaneCommand
    {
        public override string Description => "follower";

        public override void Apply(LaneContext lane)
        {
            lane.AddKey(Description, "hash", Guid.Empty);
            if (lane.Keys.Find(other) is not null)
            {
                throw new InvalidOperationException("a test");
            }
        }

        public override void Acknowledge() => done.Add(Description);
    }

    /// <summary>Changes a row, so that it is to be flushed.</summary>
    private sealed class Named(string name, bool breaks, long size, Action? launch, Action acknowledge, List<string> done) : LaneCommand
    {
        public override string Description => name;
        public override long Size => size;

        public override void Apply(LaneContext lane)
        {
            lane.AddKey(name, "hash", Guid.Empty);
            lane.Batch.Launches.AddRange(launch is null ? [] : [launch]);
            if (breaks)
            {
                throw new InvalidOperationException("a test");
            }
        }

        public override void Acknowledge() => acknowledge();
        public override void Fail(Exception error) => done.Add($"{name} fails");
    }
}

/// <summary>Owns every partition, and has nothing else.</summary>
internal sealed class NoHost : ILaneHost
{
    public int Stream => 0;

    public bool Owns(short partition) => true;

    public WorkflowDefinition? FindDefinition(string name, int? version) => null;

    public WorkflowDefinition? FindStartedBy(string signalName) => null;

    public Activity? FindActivity(string name) => null;

    public SignalReceiver? FindReceiver(string signalName) => null;

    public void LaunchActivity(Guid instanceId, Guid waitId, Activity activity, Value input, string? trace) =>
        Assert.Fail(activity.Name);

    public void ForgetActivity(Guid waitId) => Assert.Fail("No wait is over.");

    public void LaunchReceiver(Guid signalId, SignalReceiver receiver, string key, Value payload) => Assert.Fail(key);
}
