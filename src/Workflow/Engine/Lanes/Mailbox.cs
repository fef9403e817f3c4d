namespace Workflow.Engine.Lanes;

/// <summary>
/// Commands that wait for a lane, by source: callers, the engine's own work (results, messages, restarts) and due
/// timers. Each source gets a third of the room of a batch; unused room goes to the others, and a quarter of every
/// batch is reserved for callers. A busy source therefore delays another one by at most one batch. Any thread may add;
/// only the lane takes.
/// </summary>
internal sealed class Mailbox
{
    private const int Sources = 3;
    private readonly ConcurrentQueue<LaneCommand> _callers = new();
    private readonly ConcurrentQueue<LaneCommand> _loaded = new();
    private readonly ConcurrentQueue<LaneCommand> _own = new();
    private int _turn;

    public bool IsEmpty => _callers.IsEmpty && _loaded.IsEmpty && _own.IsEmpty;

    /// <summary>The posted commands of callers that no batch has taken.</summary>
    public IEnumerable<LaneCommand> FromCallers => _callers;

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

    /// <param name="room">The maximum size of <paramref name="taken"/> afterwards.</param>
    /// <param name="limit">The maximum number of commands in an empty batch.</param>
    /// <param name="nextTimer">Takes the next due timer; returns null if none is due.</param>
    public void Take(Queue<LaneCommand> taken, int room, int limit, Func<LaneCommand?> nextTimer)
    {
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
            0 => _callers.TryDequeue(out var command) ? command : null,
            1 => TryTakeInternal(out var command) ? command : null,
            _ => nextTimer(),
        };
    }

    private bool TryTakeInternal(out LaneCommand command) =>
        _loaded.TryDequeue(out command!) || _own.TryDequeue(out command!);
}
