using Workflow.Engine.Commands;
using Workflow.Engine.Events;
using Workflow.Engine.Flush;
using Workflow.Engine.Lanes;
using Workflow.Engine.Signals;
using Workflow.Engine.Timers;

namespace UnitTests.Workflow.Engine;

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
        _flusher = new(NewState(), this, () => 0, new());
        _core = new(assignment, _services, _intake, _flusher, release);
    }

    void IFlusher.Offer(IFlushSource source) => _offers++;

    void IFlusher.AddWaiting(int commands)
    {
    }

    [Fact]
    public void Commands_received_during_a_flush_are_the_next_flush()
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
    public void Command_frees_its_room_before_its_sender_is_notified()
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

    /// <summary>A trace listener, for example, may throw any exception.</summary>
    [Fact]
    public void Committed_work_is_acknowledged_although_a_launch_throws()
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

    /// <summary>A hundred of the largest rows exceed a message of the server: all lanes would load again.</summary>
    [Fact]
    public void Large_commands_are_committed_few_at_a_time()
    {
        const long half = LaneBatch.FullSize / 2;
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
    public void Failed_command_undoes_only_what_follows_the_flush()
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

    /// <summary>The work before the failure was never committed.</summary>
    [Theory]
    [InlineData(true), InlineData(false)]
    public void Command_after_a_refused_batch_is_applied(bool isInFlight)
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

    /// <summary>Neither the signal nor the dead letter that it was to become.</summary>
    [Fact]
    public async Task Refused_command_is_in_no_figure_when_answered()
    {
        var signal = new SignalLaneCommand(
            new() { Name = "go", CorrelationKey = "key" }, Guid.CreateVersion7(), requestHash: null);
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

    /// <summary>The last load has it too, or found it applied.</summary>
    [Fact]
    public void Message_from_before_the_last_load_is_dropped()
    {
        var message = Message.Of(Guid.CreateVersion7(), 0, PartitionMessage.Return, new PartitionMessage().ToJson(), 1);
        _intake.PostInternal(new MessageLaneCommand(message, _intake.Inbox.Loads, fromSnapshot: false, _services));
        _intake.Inbox.BeginLoad();
        _intake.Stop();

        Assert.Equal([LaneNext.Step, LaneNext.End], [_core.Step(), _core.Step()]);
        Assert.Equal(0, _offers);
        Assert.Equal(0, _intake.Backlog.Count);
    }

    /// <summary>
    /// The clock stands still or was set back. Messages sent after a load are still read after those sent before.
    /// </summary>
    [Fact]
    public void Reloaded_lane_continues_its_positions()
    {
        var positions = new List<long>();
        var (former, loaded) = (NewState(), NewState());
        former.Execute(new Positioned(positions));
        former.Execute(new Positioned(positions));

        loaded.ContinuePositionsFrom(former);
        loaded.Execute(new Positioned(positions));

        Assert.Equal(3, positions.Distinct().Count());
        Assert.Equal(positions.Order(), positions);
    }

    /// <summary>A request waits among the callers while its sender, after a time-out, asks by the inbox.</summary>
    [Fact]
    public async Task Request_is_not_applied_after_its_inbox_copy()
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

    /// <summary>The clock of the new owner is behind, and messages of the former owner may still be unread.</summary>
    [Fact]
    public async Task Reloaded_lane_gives_positions_after_all_messages()
    {
        var positions = new List<long>();
        var sent = _time.GetUtcNow().AddHours(1).UtcTicks;
        var batch = new FlushBatch { Number = 1 };
        batch.Pending.Add(Message.Of(Guid.CreateVersion7(), 1, PartitionMessage.Return, "{}", sent).ToRow());
        await using var lane = await _services.Store.OpenLaneAsync(new(0, 2), Cancel);
        await lane.LoadAsync(Cancel);
        await lane.FlushAsync(batch, Cancel);

        var loaded = NewState();
        loaded.Load(await lane.LoadAsync(Cancel), partitions: [0]);
        loaded.Execute(new Positioned(positions));

        Assert.Equal([sent + 1], positions);
    }

    /// <summary>An earlier timer of the same instance may be in the store.</summary>
    [Fact]
    public async Task Timers_wait_until_those_of_dormant_instances_are_read()
    {
        await using var lane = await _services.Store.OpenLaneAsync(new(0, 1), Cancel);
        var snapshot = await lane.LoadAsync(Cancel);
        var loaded = NewState();
        loaded.Load(snapshot with { DormantInstances = 1 }, partitions: [0]);
        await using var work = new LaneWork(new(0, 1), _services, _intake);
        var read = new TaskCompletionSource<IReadOnlyList<DormantDue>>();
        var reader = new LaneDueReader((_, _) => read.Task, _services, work, _intake, lane: 0);
        _core.Load(loaded, [], lastBatch: 0, lane, work, recovery: null, reader);
        var due = _time.GetUtcNow().AddHours(1);
        loaded.Timers.Queue.Add(TimerEntry.ForWait(due, Guid.CreateVersion7(), Guid.CreateVersion7()));
        _time.Advance(TimeSpan.FromHours(2));

        Assert.Equal(LaneNext.Sleep, _core.Step());
        Assert.Equal((1, true), (loaded.Timers.Queue.Count, _core.Gauges.IsReadingTimers));
        read.SetResult([]);
        await Eventually.HoldsAsync(
            () =>
            {
                _core.Step();
                return !_core.Gauges.IsReadingTimers;
            },
            "the page is read");

        Assert.Equal(0, loaded.Timers.Queue.Count);
    }

    /// <summary>Else whoever waits for an idle engine would go on before a timer that was due at the start.</summary>
    [Fact]
    public async Task Lane_with_a_due_timer_is_not_idle_at_the_end_of_its_recovery()
    {
        await using var lane = await _services.Store.OpenLaneAsync(new(0, 1), Cancel);
        await using var work = new LaneWork(new(0, 1), _services, _intake);
        var loaded = NewState();
        loaded.Load(await lane.LoadAsync(Cancel) with { Instances = 1 }, partitions: [0]);
        _core.Load(
            loaded, [], lastBatch: 0, lane, work, new LaneRecovery(lane, _services, work, _intake, lane: 0),
            new((_, _) => Task.FromResult<IReadOnlyList<DormantDue>>([]), _services, work, _intake, lane: 0));
        var due = _time.GetUtcNow();
        loaded.Timers.Queue.Add(TimerEntry.ForWait(due, Guid.CreateVersion7(), Guid.CreateVersion7()));
        Assert.True(_core.Gauges.IsRecovering);
        Assert.True(_intake.Backlog.IsAnswered);

        _core.AdmitRecovered([0], [], work);

        Assert.False(_core.Gauges.IsRecovering);
        Assert.False(_intake.Backlog.IsAnswered);
    }

    private LaneState NewState() => new(new NoHost(), _services.Options, _time, _services.Runtime, new());

    private void Post(
        string name, bool breaks = false, long size = 0, Action? launch = null, Action? acknowledged = null) =>
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

        public override void Apply(LaneState lane) => positions.Add(lane.NextPosition());
    }

    /// <summary>Breaks off while the other one is in memory.</summary>
    private sealed class Follower(string other, List<string> done) : LaneCommand
    {
        public override string Description => "follower";

        public override void Apply(LaneState lane)
        {
            lane.AddKey(Description, "hash", Guid.Empty);
            if (lane.Keys.Find(other) is not null)
            {
                throw new InvalidOperationException("a test");
            }
        }

        public override void Acknowledge() => done.Add(Description);
    }

    /// <summary>Changes a row, so that a flush is needed.</summary>
    private sealed class Named(
        string name, bool breaks, long size, Action? launch, Action acknowledge, List<string> done) : LaneCommand
    {
        public override string Description => name;
        public override long Size => size;

        public override void Apply(LaneState lane)
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
