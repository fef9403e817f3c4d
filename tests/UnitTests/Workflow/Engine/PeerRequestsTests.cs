using System.Security.Cryptography;
using Microsoft.Extensions.Logging;
using Workflow.Engine.Cluster;
using Workflow.Engine.Commands;
using Workflow.Engine.Events;
using Workflow.Engine.Flush;
using Workflow.Engine.Lanes;

namespace UnitTests.Workflow.Engine;

public sealed class PeerRequestsTests : ILogger
{
    private const string Secret = "5ec7e7";
    private static readonly TimeSpan Lease = TimeSpan.FromSeconds(1);
    private static readonly Guid Own = Guid.NewGuid();
    private static readonly Guid Owner = Guid.NewGuid();
    private static readonly Guid Third = Guid.NewGuid();
    private static readonly PeerRequest Request = new(Guid.NewGuid(), Partition: 0, "start", "{}");

    private readonly ManualTime _time = new();
    private readonly RecordingTransport _transport = new();
    private readonly List<(Guid Node, Uri Address, string Secret)> _published = [];
    private readonly List<int> _pendingAtProgress = [];
    private readonly List<string> _logged = [];
    private readonly PeerRequests _peers;

    public PeerRequestsTests()
    {
        _peers = Requests(_transport, new());
        _peers.Address = new("http://own:1");
    }

    [Fact]
    public async Task Request_to_a_former_owner_is_forwarded_once()
    {
        await ObserveAsync(View());
        _transport.Replies.Enqueue(new(PeerOutcome.NotOwner, Owner: Third));
        _transport.Replies.Enqueue(new(PeerOutcome.Answered, "{}"));

        var reply = await _peers.AskAsync(Request);

        Assert.Equal(new PeerReply(PeerOutcome.Answered, "{}"), reply);
        Assert.Equal([(Owner, Request), (Third, Request)], _transport.Sent.Select(s => (s.Peer.Id, s.Request)));
        Assert.Equal((1, 0), (_peers.Answered, _peers.Pending));
        Assert.Equal([0], _pendingAtProgress);
    }

    [Fact]
    public async Task Request_without_an_owner_is_sent_at_most_twice()
    {
        await ObserveAsync(View());
        _transport.Replies.Enqueue(new(PeerOutcome.NotOwner, Owner: Third));
        _transport.Replies.Enqueue(new(PeerOutcome.NotOwner, Owner: Owner));
        _transport.Replies.Enqueue(new(PeerOutcome.NotOwner, Owner: Owner));

        Assert.Equal(PeerOutcome.NotOwner, (await _peers.AskAsync(Request)).Outcome);
        Assert.Equal(2, _transport.Sent.Count);

        // One that names itself, by a view that is not newer, is not asked again.
        Assert.Equal(PeerOutcome.NotOwner, (await _peers.AskAsync(Request)).Outcome);
        Assert.Equal(3, _transport.Sent.Count);
    }

    [Theory]
    [InlineData(PeerOutcome.Unknown)]
    [InlineData(PeerOutcome.Unreachable)]
    public async Task Node_that_does_not_answer_is_left_alone_for_a_second(PeerOutcome outcome)
    {
        await ObserveAsync(View());
        _transport.Replies.Enqueue(new(outcome));

        Assert.Equal(outcome, (await _peers.AskAsync(Request)).Outcome);

        Assert.False(_peers.CanReach(0));
        Assert.Equal(PeerOutcome.Unreachable, (await _peers.AskAsync(Request)).Outcome);
        Assert.Single(_transport.Sent);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(_peers.CanReach(0));
        Assert.Equal((0, 0), (_peers.Answered, _peers.Pending));
    }

    [Fact]
    public async Task Node_that_is_away_is_logged_once_and_when_it_is_back()
    {
        await ObserveAsync(View());
        for (var i = 0; i < 100; i++)
        {
            _transport.Replies.Enqueue(new(PeerOutcome.Unreachable));
            await _peers.AskAsync(Request);
            _time.Advance(TimeSpan.FromSeconds(1));
        }

        for (var i = 0; i < 2; i++)
        {
            _transport.Replies.Enqueue(new(PeerOutcome.Answered, "{}"));
            await _peers.AskAsync(Request);
        }

        Assert.Equal(102, _transport.Sent.Count);
        Assert.Equal(
            [
                "The node at http://owner:1/ did not answer (Unreachable). It is asked again every 1 s; "
                + "until it answers, its inbox is used.",
                "The node at http://owner:1/ answers again.",
            ],
            _logged);
    }

    [Fact]
    public async Task Only_a_live_other_owner_is_asked()
    {
        Assert.False(_peers.CanReach(0));

        await ObserveAsync(View());
        Assert.True(_peers.CanReach(0));
        Assert.False(_peers.CanReach(1)); // Of this node.

        var leases = new LeaseRow[]
            { new(0, Owner, TimeSpan.Zero, 0), new(0, null, TimeSpan.Zero, 0), new(0, Guid.NewGuid(), Lease, 0) };
        foreach (var lease in leases)
        {
            await ObserveAsync(View() with { Lanes = [lease] });
            Assert.False(_peers.CanReach(0));
        }

        await ObserveAsync(View() with { Secret = null });
        Assert.False(_peers.CanReach(0));
    }

    [Fact]
    public async Task Refusal_names_the_time_the_queue_needs()
    {
        var replies = new Queue<TaskCompletionSource<PeerReply>>();
        var peers = Requests(new HeldTransport(replies), new() { MaxPendingCommands = 20 });
        peers.Address = new("http://own:1");
        await peers.ObserveAsync(View(), (_, _, _, _) => Task.CompletedTask, Cancel);
        var asked = Enumerable.Range(0, 20).Select(_ => peers.AskAsync(Request)).ToList();
        for (var answered = 1; answered <= 10; answered++)
        {
            _time.Advance(answered == 10 ? TimeSpan.FromSeconds(1) : TimeSpan.Zero);
            replies.Dequeue().SetResult(new(PeerOutcome.Answered, "{}"));
            await asked[answered - 1];
        }

        asked.AddRange(Enumerable.Range(0, 10).Select(_ => peers.AskAsync(Request)));
        var refusal = await Assert.ThrowsAsync<OverloadedException>(() => peers.AskAsync(Request));

        Assert.Equal(TimeSpan.FromSeconds(2), refusal.RetryAfter);
        foreach (var reply in replies)
        {
            reply.SetResult(new(PeerOutcome.Answered, "{}"));
        }

        await Task.WhenAll(asked);
        Assert.Equal(0, peers.Pending);
    }

    [Fact]
    public async Task Node_that_hangs_takes_no_room_from_others()
    {
        var replies = new Queue<TaskCompletionSource<PeerReply>>();
        var peers = Requests(new HeldTransport(replies), new() { MaxPendingCommands = 3 });
        peers.Address = new("http://own:1");
        await peers.ObserveAsync(
            View() with { Lanes = [new(0, Owner, Lease, 0), new(1, Third, Lease, 0)] },
            (_, _, _, _) => Task.CompletedTask, Cancel);
        var hanging = Enumerable.Range(0, 3).Select(_ => peers.AskAsync(Request)).ToArray();
        await Assert.ThrowsAsync<OverloadedException>(() => peers.AskAsync(Request));

        var asked = peers.AskAsync(Request with { Partition = 1 });

        Assert.Equal(4, peers.Pending);
        foreach (var reply in replies)
        {
            reply.SetResult(new(PeerOutcome.Answered, "{}"));
        }

        Assert.Equal(PeerOutcome.Answered, (await asked).Outcome);
        await Task.WhenAll(hanging);
        Assert.Equal(0, peers.Pending);
    }

    [Fact]
    public async Task Key_of_a_node_does_not_reveal_the_secret()
    {
        await ObserveAsync(View());
        _transport.Replies.Enqueue(new(PeerOutcome.Answered, "{}"));
        await _peers.AskAsync(Request);

        Assert.True(_peers.IsOwnKey(KeyOf(Own)));
        foreach (var wrong in new[] { null, "", Secret, KeyOf(Owner), KeyOf(Own)[..^1], KeyOf(Own) + "0" })
        {
            Assert.False(_peers.IsOwnKey(wrong), wrong);
        }

        Assert.Equal(KeyOf(Owner), Assert.Single(_transport.Sent).Peer.Key);
        Assert.False(Requests(null, new()).IsOwnKey(KeyOf(Own)));
    }

    [Fact]
    public async Task Node_that_is_alone_writes_nothing()
    {
        var alone = View() with { Nodes = [.. View().Nodes.Where(n => n.Id == Own)], Secret = null };
        await ObserveAsync(alone);
        await ObserveAsync(alone with { Nodes = [.. View().Nodes.Select(n => n with { IsLive = n.Id == Own })] });
        Assert.Empty(_published);

        await ObserveAsync(View() with { Secret = null });
        Assert.Single(_published);
    }

    [Fact]
    public async Task Address_is_published_until_the_view_has_it()
    {
        await ObserveAsync(View() with { Nodes = [new(Own, "own", default, IsLive: true), View().Nodes[1]] });
        Assert.Equal((Own, new Uri("http://own:1")), _published.Select(p => (p.Node, p.Address)).Single());

        await ObserveAsync(View());
        Assert.Single(_published);

        await ObserveAsync(View() with { Nodes = [new(Own, "own", default, IsLive: true), View().Nodes[1]] });
        Assert.Equal(2, _published.Count);
        Assert.Equal(2, _published.Select(p => p.Secret).Distinct().Count());
    }

    IDisposable? ILogger.BeginScope<TState>(TState state) => null;

    bool ILogger.IsEnabled(LogLevel logLevel) => true;

    void ILogger.Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter) => _logged.Add(formatter(state, exception));

    private static string KeyOf(Guid node) =>
        Convert.ToHexStringLower(HMACSHA256.HashData(Encoding.UTF8.GetBytes(Secret), node.ToByteArray()));

    private PeerRequests Requests(IPeerTransport? transport, EngineLimits limits)
    {
        PeerRequests requests = null!;
        return requests = new(
            new ClusterOptions { Peers = transport }, limits, lanes: 2, Own,
            () => _pendingAtProgress.Add(requests.Pending), _time, this);
    }

    private static ClusterView View() => new()
    {
        LaneCount = 2,
        Lanes = [new(0, Owner, Lease, 0), new(1, Own, Lease, 0)],
        Nodes =
        [
            new(Own, "own", default, IsLive: true, new("http://own:1")),
            new(Owner, "owner", default, IsLive: true, new("http://owner:1")),
            new(Third, "third", default, IsLive: true, new("http://third:1")),
        ],
        LastDefinition = 0,
        Secret = Secret,
    };

    /// <summary>The first may be refused, and the second would have its effect once the refusal was answered.</summary>
    [Fact]
    public async Task Request_that_comes_twice_is_executed_once()
    {
        var (lane, commands) = await StartOwnerAsync();
        await using var ending = lane;
        var body =
            new RemoteCommand { Id = Guid.NewGuid(), AcceptedUtc = _time.GetUtcNow() }.WithKey(Request.Id).ToJson();
        var request = Request with { Kind = RemoteKind.Cancel, Body = body };

        var first = await commands.ExecuteAsync(request);
        var second = await commands.ExecuteAsync(request);

        Assert.Equal((PeerOutcome.Answered, PeerOutcome.Unknown), (first.Outcome, second.Outcome));
    }

    /// <summary>
    /// Its sender was not answered in time and has asked by the inbox, whose answer counts: it may be a refusal, after
    /// which nothing may have an effect.
    /// </summary>
    [Fact]
    public async Task Request_that_has_come_by_the_inbox_is_not_executed_beside_it()
    {
        var (lane, commands) = await StartOwnerAsync();
        await using var ending = lane;
        var body =
            new RemoteCommand { Id = Guid.NewGuid(), AcceptedUtc = _time.GetUtcNow() }.WithKey(Request.Id).ToJson();
        var copy = Message.Of(Request.Id, 0, RemoteKind.Cancel, body, position: 1);
        await lane.PostMessagesAsync([copy], lane.Inbox.Loads, isComplete: true, Cancel);

        var reply = await commands.ExecuteAsync(Request with { Kind = RemoteKind.Cancel, Body = body });

        Assert.Equal(PeerOutcome.Unknown, reply.Outcome);
    }

    /// <summary>A lane, and what executes the commands for it that other nodes send.</summary>
    private async Task<(Lane Lane, PeerCommands Commands)> StartOwnerAsync()
    {
        var store = new InMemoryStore();
        var services = LaneTests.NewServices(store, _time, () => { });
        var log = new EventLog(0, 16, 65_536, store);
        var lane = new Lane(new(0, 1), services, log);
        await lane.StartAsync(Cancel);
        var slots = new LaneSlots(1, [log], new());
        slots.Run(lane);
        return (lane, new(services, slots, _peers));
    }

    private Task ObserveAsync(ClusterView view) => _peers.ObserveAsync(
        view,
        (node, address, secret, _) =>
        {
            _published.Add((node, address, secret));
            return Task.CompletedTask;
        },
        Cancel);

    private sealed class HeldTransport(Queue<TaskCompletionSource<PeerReply>> replies) : IPeerTransport
    {
        public Task<PeerReply> SendAsync(Peer peer, PeerRequest request, TimeSpan timeout)
        {
            var reply = new TaskCompletionSource<PeerReply>(TaskCreationOptions.RunContinuationsAsynchronously);
            replies.Enqueue(reply);
            return reply.Task;
        }
    }

    private sealed class RecordingTransport : IPeerTransport
    {
        public Queue<PeerReply> Replies { get; } = new();
        public List<(Peer Peer, PeerRequest Request)> Sent { get; } = [];

        public Task<PeerReply> SendAsync(Peer peer, PeerRequest request, TimeSpan timeout)
        {
            Sent.Add((peer, request));
            return Task.FromResult(Replies.Dequeue());
        }
    }
}
