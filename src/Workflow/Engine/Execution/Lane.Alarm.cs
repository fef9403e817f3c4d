namespace Workflow.Engine.Execution;

/// <content>Waking when the next timer is due.</content>
internal sealed partial class Lane
{
    private static readonly TimeSpan Resolution = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan LongestAlarm = TimeSpan.FromHours(1);

    private void Arm()
    {
        var due = _executor.Batch.Commands.Count == 0 ? _executor.State.Timers.NextDueUtc : null;
        if (due == _armed && !_rang)
        {
            return;
        }

        _rang = false;
        _armed = due;
        if (due is null)
        {
            _alarm.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            return;
        }

        DateTimeOffset read;
        var now = _services.Time.GetUtcNow();
        do
        {
            // A pause from a clock that has moved on since it was read, as where the process stood still, would be late by as much.
            read = now;
            _alarm.Change(Pause(due.Value - read), Timeout.InfiniteTimeSpan);
            now = _services.Time.GetUtcNow();
        }
        while (now - read > Resolution);

        if (due <= now)
        {
            Ring();
        }

        // A timer may fire a little early: rounding up to a whole millisecond keeps it from spinning.
        static TimeSpan Pause(TimeSpan left) => left <= Resolution ? Resolution
            : left > LongestAlarm ? LongestAlarm
            : TimeSpan.FromMilliseconds(Math.Ceiling(left.TotalMilliseconds));
    }

    private void Ring()
    {
        _rang = true;
        _signal.Set();
    }
}
