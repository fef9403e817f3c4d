namespace Workflow.Engine.Lanes;

/// <summary>
/// The idempotency keys of commands that callers have posted and whose outcome is not final. A command whose key is in
/// use by another lane waits outside its mailbox, so that its key look-up is decided and its commit does not fail
/// because of the key. Thread-safe.
/// </summary>
internal sealed class ActiveKeys
{
    private readonly Dictionary<string, Work> _keys = [];

    /// <returns>False when the command has to wait; <see cref="LaneIntake.Admit"/> follows later.</returns>
    public bool TryEnter(LaneIntake lane, LaneCommand command)
    {
        command.HoldsKey = false;
        if (command.Key is not { } key || command.IsKeyNew)
        {
            return true;
        }

        lock (_keys)
        {
            if (!_keys.TryGetValue(key, out var work))
            {
                _keys.Add(key, work = new(lane));
            }

            if (work.Lane != lane || work.Waiting is { Count: > 0 })
            {
                (work.Waiting ??= new()).Enqueue((lane, command));
                return false;
            }

            work.Commands++;
            command.HoldsKey = true;
            return true;
        }
    }

    /// <summary>The outcome of a command is final: admits the next command that waits for its key.</summary>
    public void Leave(LaneCommand command)
    {
        // A loop instead of recursion: a whole backlog may wait for lanes that have ended.
        while (command.HoldsKey && Next(command) is var (lane, next) && !lane.Admit(next))
        {
            command = next;
        }
    }

    /// <summary>Fails the commands that wait for the key of a failed command.</summary>
    public void FailWaiting(LaneCommand command, Exception error)
    {
        lock (_keys)
        {
            foreach (var (_, waiting) in command.HoldsKey ? _keys[command.Key!].Waiting ?? [] : [])
            {
                waiting.Fail(error);
            }
        }
    }

    private (LaneIntake Lane, LaneCommand Command)? Next(LaneCommand ended)
    {
        lock (_keys)
        {
            ended.HoldsKey = false;
            var work = _keys[ended.Key!];
            if (--work.Commands > 0)
            {
                return null;
            }

            if (work.Waiting is null || !work.Waiting.TryDequeue(out var next))
            {
                _keys.Remove(ended.Key!);
                return null;
            }

            (work.Lane, work.Commands) = (next.Lane, 1);
            next.Command.HoldsKey = true;
            return next;
        }
    }

    private sealed class Work(LaneIntake lane)
    {
        public LaneIntake Lane { get; set; } = lane;
        public int Commands { get; set; }
        public Queue<(LaneIntake Lane, LaneCommand Command)>? Waiting { get; set; }
    }
}
