using System.Collections.Concurrent;
using Workflow.Engine.Commands;

namespace Workflow.Engine.Lanes;

/// <summary>
/// Commands that wait for a lane, by source. Callers, the engine's own work (results, messages, restarts) and due timers each have a third
/// of what a batch has room for, and what one does not use goes to the others; a quarter of every batch is kept for callers. So no source,
/// however much it brings, keeps another one waiting for longer than a batch. Any thread adds; only the lane takes.
/// </summary>
internal sealed class Mailbox
{
    private const int Sources = 3;
    private readonly ConcurrentQueue<LaneCommand> _callers = new();
    private readonly ConcurrentQueue<LaneCommand> _loaded = new();
    private readonly ConcurrentQueue<LaneCommand> _own = new();
    private int _turn;

    public bool IsEmpty => _callers.IsEmpty && _loaded.IsEmpty && _own.IsEmpty;

    public void AddOfCaller(LaneCommand command) => _callers.Enqueue(command);
    public void AddOwn(LaneCommand command) => _own.Enqueue(command);

    /// <summary>Adds a message that was loaded with the lane: own work, and before all other.</summary>
    public void AddLoaded(LaneCommand command) => _loaded.Enqueue(command);

    /// <summary>Takes the messages that were loaded with the lane and are still here: the next load has them too.</summary>
    public IEnumerable<LaneCommand> TakeLoaded()
    {
        while (_loaded.TryDequeue(out var command))
        {
            yield return command;
        }
    }

    public bool TryTake(out LaneCommand command) => _callers.TryDequeue(out command!) || TryTakeOwn(out command!);

    /// <summary>Takes commands for a batch.</summary>
    /// <param name="taken">Where they go, behind what it holds.</param>
    /// <param name="room">How many it may hold then.</param>
    /// <param name="limit">How many an empty batch may hold.</param>
    /// <param name="nextTimer">Takes the next due timer; null when none is due.</param>
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
            1 => TryTakeOwn(out var command) ? command : null,
            _ => nextTimer(),
        };
    }

    private bool TryTakeOwn(out LaneCommand command) => _loaded.TryDequeue(out command!) || _own.TryDequeue(out command!);
}
