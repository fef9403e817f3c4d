using System.Numerics;
using Foundation;
using Workflow.Abstractions;
using Workflow.Abstractions.Notifications;

namespace Workflow.Stores.MongoDb;

/// <summary>
/// Notifications by a change stream on the inbox: the message itself is what wakes, so that nothing is sent. Each wait
/// at the server is bounded. After an error the stream goes on where it was, by its resume token; where the server has
/// forgotten that, it begins anew and every lane looks.
/// </summary>
public sealed class MongoNotifier : INotifier
{
    /// <summary>What the server says of a resume token that leads nowhere any more.</summary>
    // CappedPositionLost, InvalidResumeToken, ChangeStreamFatalError, ChangeStreamHistoryLost
    private static readonly int[] PlaceIsLost = [136, 260, 280, 286];

    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(100);

    /// <summary>Beyond the wait that was asked for, the server counts as gone.</summary>
    private static readonly TimeSpan AnswerLimit = TimeSpan.FromSeconds(10);

    private readonly MongoNotifierOptions _options;
    private readonly MongoTarget _target;
    private readonly IMongoClient _client;
    private readonly IMongoCollection<BsonDocument> _inbox;
    private readonly TimeSpan _limit;
    private readonly TimeProvider _time;
    private readonly CancellationTokenSource _stop = new();
    private Task _listening = Task.CompletedTask;
    private Action<int> _wake = _ => { };
    private long _sent;
    private long _received;
    private int _listens;
    private volatile string? _trouble;

    /// <summary>Checks the settings; nothing is connected yet.</summary>
    /// <param name="options">Where, and its limits.</param>
    /// <param name="timeProvider">For pauses and limits; the system's when omitted.</param>
    /// <exception cref="ArgumentException">An option is wrong; the message has no password.</exception>
    public MongoNotifier(MongoNotifierOptions options, TimeProvider? timeProvider = null)
    {
        options.Check();
        _options = options;
        _target = new(options.ConnectionString);
        _limit = options.AwaitTime + AnswerLimit;
        _time = timeProvider ?? TimeProvider.System;
        _client = new MongoClient(_target.ToSettings(_limit));
        _inbox = _client.GetDatabase(_target.Database).GetCollection<BsonDocument>("pending");
    }

    public string Description => $"change stream of inboxes, {_target}";

    public NotificationCounts Counts =>
        new(Interlocked.Read(ref _sent), Coalesced: 0, Lost: 0, Interlocked.Read(ref _received));

    /// <summary>Why the change stream is down, without secrets; null while it is open.</summary>
    public string? Trouble => _trouble;

    public Task ListenAsync(Action<int> wake, CancellationToken cancellationToken)
    {
        if (Interlocked.Exchange(ref _listens, 1) != 0)
        {
            throw new InvalidOperationException(
                $"{Description} is listened to already. Make another one for another engine.");
        }

        _wake = wake;
        var first = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _listening = Task.Run(() => KeepListeningAsync(first), CancellationToken.None);
        return first.Task.WaitAsync(cancellationToken);
    }

    /// <summary>The message that was committed before is in the stream already.</summary>
    public void Send(int lane)
    {
        if (!_stop.IsCancellationRequested)
        {
            Interlocked.Increment(ref _sent);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _listening.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _client.Dispose();
    }

    private async Task KeepListeningAsync(TaskCompletionSource first)
    {
        BsonDocument? place = null;
        var missed = false;
        var backoff = new Backoff(FirstPause, _options.LongestPause, _time);
        while (true)
        {
            try
            {
                using var changes = await Deadline.RunAsync(
                    token => OpenAsync(place, token), _limit, _time, _stop.Token).ConfigureAwait(false);
                _trouble = null;
                place = changes.GetResumeToken() ?? place;
                if (missed)
                {
                    missed = false;
                    _wake(INotifier.EveryLane);
                }

                first.TrySetResult();
                while (await Deadline.RunAsync(changes.MoveNextAsync, _limit, _time, _stop.Token).ConfigureAwait(false))
                {
                    backoff.Reset();
                    Wake(changes.Current);
                    place = changes.GetResumeToken() ?? place;
                }

                throw new InvalidOperationException("The stream ended: its collection was dropped or renamed.");
            }
            catch (Exception e) when (!_stop.IsCancellationRequested)
            {
                // Notifications are advice: whatever happens is reported by Trouble, and tried again.
                _trouble = MongoErrors.Text(e, _target);
                place = IsPlaceLost(e) ? null : place;
                missed |= place is null;
            }
            finally
            {
                first.TrySetResult();
            }

            await backoff.PauseAsync(_stop.Token).ConfigureAwait(false);
        }
    }

    private Task<IChangeStreamCursor<BsonDocument>> OpenAsync(BsonDocument? place, CancellationToken cancellationToken)
    {
        BsonDocument[] stages =
        [
            new("$match",
                new BsonDocument { { "operationType", "insert" }, { "fullDocument.kind", (int)PendingKind.Message } }),
            new("$project", new BsonDocument("partition", "$fullDocument.partition")),
        ];
        return _inbox.WatchAsync<BsonDocument>(
            stages, new ChangeStreamOptions { MaxAwaitTime = _options.AwaitTime, ResumeAfter = place },
            cancellationToken);
    }

    /// <summary>One notification a lane, however many of its messages a batch has.</summary>
    private void Wake(IEnumerable<BsonDocument> changes)
    {
        var lanes =
            changes.Aggregate(0UL, (bits, change) => bits | (1UL << (change["partition"].ToInt32() % _options.Lanes)));
        Interlocked.Add(ref _received, BitOperations.PopCount(lanes));
        for (; lanes != 0; lanes &= lanes - 1)
        {
            _wake(BitOperations.TrailingZeroCount(lanes));
        }
    }

    private static bool IsPlaceLost(Exception error) => error is InvalidOperationException
        || (error is MongoException known && (known.HasErrorLabel("NonResumableChangeStreamError")
            || (known is MongoCommandException command && PlaceIsLost.Contains(command.Code))));
}
