namespace Workflow.Engine.Lanes;

/// <summary>
/// Commands that wait for a lane, by source: callers, the engine's own work (results, messages, restarts) and due
/// timers. Each source gets a third of the room of a batch; unused room goes to the others, and a quarter of every
/// batch is reserved for callers. A busy source therefore delays another one by at most one batch. While callers come,
/// a batch has few timers, so that it is committed soon. Any thread may add; only the lane takes.
/// </summary>
internal sealed class Mailbox
{
    private const int Sources = 3;

    /// <summary>
    /// The timers that a batch may have while callers come, however few those are: a commit takes twice as long with
    /// them as without.
    /// </summary>
    private const int TimersBesideCallers = 32;

    /// <summary>The timers that a batch may have for each command of a caller.</summary>
    private const int TimersForEachCaller = 2;

    /// <summary>How long after a caller's command others are expected.</summary>
    private static readonly TimeSpan CallersStay = TimeSpan.FromSeconds(1);

    private readonly ConcurrentQueue<LaneCommand> _callers = new();
    private readonly ConcurrentQueue<LaneCommand> _loaded = new();
    private readonly ConcurrentQueue<LaneCommand> _own = new();
    private int _turn;
    private DateTimeOffset _callersCameUtc = DateTimeOffset.MinValue;
    private int _callersInBatch;
    private int _timersInBatch;

    public bool IsEmpty => _callers.IsEmpty && _loaded.IsEmpty && _own.IsEmpty;

    /// <summary>The posted commands of callers that no batch has taken.</summary>
    public IEnumerable<LaneCommand> FromCallers => _callers;

    /// <summary>The timers that the batch may have while callers come.</summary>
    private int MostTimers => Math.Max(TimersBesideCallers, TimersForEachCaller * _callersInBatch);

    public void AddFromCaller(LaneCommand command) => _callers.Enqueue(command);
    public void AddInternal(LaneCommand command) => _own.Enqueue(command);

    /// <summary>Adds a message that was loaded with the lane. It goes before all other work of the engine.</summary>
    public void AddLoaded(LaneCommand command) => _loaded.Enqueue(command);

    /// <summary>
    /// Takes the remaining messages that were loaded with the lane. The next load contains them again.
    /// </summary>
    public IEnumerable<LaneCommand> TakeLoaded()
    {
        while (_loaded.TryDequeue(out var command))
        {
            yield return command;
        }
    }

    public bool TryTake(out LaneCommand command) => _callers.TryDequeue(out command!) || TryTakeInternal(out command!);

    /// <param name="now">The time by which timers are due.</param>
    /// <param name="room">The maximum size of <paramref name="taken"/> afterwards.</param>
    /// <param name="limit">The maximum number of commands in an empty batch.</param>
    /// <param name="nextTimer">Takes the next due timer; returns null if none is due.</param>
    public void Take(
        Queue<LaneCommand> taken, DateTimeOffset now, int room, int limit, Func<LaneCommand?> nextTimer)
    {
        if (room == limit)
        {
            (_callersInBatch, _timersInBatch) = (0, 0);
        }

        var areCallersHere = !_callers.IsEmpty || (now - _callersCameUtc).Duration() < CallersStay;
        var part = Math.Max(1, (room - taken.Count) / Sources);
        _turn = (_turn + 1) % Sources;
        for (var source = 0; source < Sources; source++)
        {
            Take((_turn + source) % Sources, Math.Min(room, taken.Count + part));
        }

        Take(0, room);
        Take(1, room - (limit / 4));
        Take(2, room - (limit / 4));

        void Take(int source, int upTo)
        {
            while (taken.Count < upTo && Next(source) is { } command)
            {
                taken.Enqueue(command);
            }
        }

        LaneCommand? Next(int source) => source switch
        {
            0 => NextOfCallers(),
            1 => TryTakeInternal(out var command) ? command : null,
            _ => NextTimer(),
        };

        LaneCommand? NextOfCallers()
        {
            if (!_callers.TryDequeue(out var command))
            {
                return null;
            }

            _callersCameUtc = now;
            _callersInBatch++;
            return command;
        }

        LaneCommand? NextTimer()
        {
            if (areCallersHere && _timersInBatch >= MostTimers)
            {
                return null;
            }

            var timer = nextTimer();
            _timersInBatch += timer is null ? 0 : 1;
            return timer;
        }
    }

    private bool TryTakeInternal(out LaneCommand command) =>
        _loaded.TryDequeue(out command!) || _own.TryDequeue(out command!);
}
