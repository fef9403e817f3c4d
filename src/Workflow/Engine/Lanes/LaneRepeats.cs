using Workflow.Engine.Activities;
using Workflow.Engine.Timers;

namespace Workflow.Engine.Lanes;

/// <summary>
/// Commands that a lane applies again, before all others, after a roll-back or a reload. Isolates and rejects the
/// command that the store refuses.
/// </summary>
internal sealed class LaneRepeats(LaneAssignment assignment, LaneServices services, LaneIntake intake)
{
    private const int MaxAttempts = 8;
    private readonly Queue<LaneCommand> _repeats = new();
    private readonly List<LaneCommand> _successors = [];
    private readonly HashSet<(Guid Subject, DateTimeOffset Due)> _quarantine = [];

    public int Count => _repeats.Count;
    public IEnumerable<LaneCommand> Commands => _repeats;

    /// <summary>The maximum number of commands in a batch while the refused command is being isolated.</summary>
    public int Limit { get; private set; } = int.MaxValue;

    /// <summary>
    /// Whether the store refused the dead letter of this work too. The work is not tried again before the next start.
    /// </summary>
    public bool IsQuarantined((Guid Subject, DateTimeOffset Due) work) =>
        _quarantine.Count > 0 && _quarantine.Contains(work);

    public void Take(Queue<LaneCommand> taken, int room)
    {
        while (taken.Count < room && _repeats.TryDequeue(out var repeated))
        {
            taken.Enqueue(repeated);
        }
    }

    /// <summary>Doubles the limit after a committed batch.</summary>
    public void RaiseLimit() => Limit = _repeats.Count == 0 ? int.MaxValue : (int)Math.Min(int.MaxValue, Limit * 2L);

    /// <summary>Limits the next batch to this number of commands. Zero changes nothing.</summary>
    public void LowerLimit(int commands) => Limit = commands == 0 ? Limit : Math.Min(Limit, commands);

    /// <summary>
    /// Queues commands before those that already wait to be repeated. Evictions are decided anew instead: they must not
    /// come between the read of a dormant instance and the command that needs it.
    /// </summary>
    public void Repeat(IReadOnlyList<LaneCommand> commands)
    {
        foreach (var eviction in commands.OfType<EvictLaneCommand>())
        {
            intake.Resolve(eviction, _ => { });
        }

        LaneCommand[] all = [.. _successors, .. commands.Where(c => c is not EvictLaneCommand), .. _repeats];
        _successors.Clear();
        _repeats.Clear();
        Array.ForEach(all, _repeats.Enqueue);
    }

    /// <summary>
    /// Queues commands after a reload, except those that the loaded memory contains and those that were repeated too
    /// often.
    /// </summary>
    public void RepeatAfterReload(IEnumerable<LaneCommand> commands, LaneState loaded)
    {
        LaneCommand[] all = [.. commands.Concat(_repeats)];
        _repeats.Clear();
        Repeat([.. all.Where(c => !HasTooManyAttempts(c) && !IsReloaded(c))]);

        // A message that the loaded memory does not contain was applied before.
        bool IsReloaded(LaneCommand command)
        {
            var isGone = command is DeadLetterLaneCommand { Poison: MessageLaneCommand message }
                && !loaded.Messages.IsLoaded(message.SubjectId);
            if (isGone || command is TimerLaneCommand or MessageLaneCommand)
            {
                intake.Resolve(command, _ => { });
                return true;
            }

            return false;
        }

        bool HasTooManyAttempts(LaneCommand command)
        {
            if (!command.IsAwaited || ++command.Attempts <= MaxAttempts)
            {
                return false;
            }

            intake.Resolve(command, c => c.Fail(new StoreUnavailableException(
                $"The {command.Description} was repeated {MaxAttempts} times and could not be committed.",
                outcomeUnknown: false)));
            return true;
        }
    }

    /// <summary>Halves the batch after a refusal until the refused command is alone.</summary>
    public IReadOnlyList<LaneCommand> Isolate(LaneBatch refused, FlushException error)
    {
        if (error.Failure != FlushFailure.Rejected)
        {
            return refused.Commands;
        }

        if (refused.Commands is [var poison])
        {
            Reject(poison, error, $"The store refused the {poison.Description}: {error.Message}");
            return [];
        }

        Limit = Math.Max(1, refused.Commands.Count / 2);
        return refused.Commands;
    }

    /// <summary>Rejects one command: accepted work becomes a dead letter, any other command fails its caller.</summary>
    public void Reject(LaneCommand command, Exception error, string message)
    {
        services.Telemetry.RejectedCommands.Add(1);
        Log.CommandRejected(services.Logger, error, assignment.Index, command.Description);
        switch (command)
        {
            case ActivityLaneCommand { IsFailure: false } activity:
                // The result cannot be stored, but a failure perhaps can.
                Replace(command, activity.ToFailure(message));
                break;
            case DeadLetterLaneCommand deadLetter:
                Log.DeadLetterRejected(services.Logger, error, assignment.Index, deadLetter.Poison.Description);
                _quarantine.Add(deadLetter.Poison is TimerLaneCommand timer
                    ? timer.Subject
                    : (deadLetter.Poison.SubjectId, default));
                intake.Resolve(command, c => c.Fail(new CommandRejectedException(message, error)));
                break;
            case { CanDeadLetter: true }:
                Replace(command, new DeadLetterLaneCommand(command, services.NewId(), message, attempts: 1));
                break;
            default:
                intake.Resolve(command, c => c.Fail(new CommandRejectedException(message, error)));
                break;
        }
    }

    public void FailAll(Exception error)
    {
        _successors.ForEach(s => intake.Resolve(s, c => c.Fail(error)));
        _successors.Clear();
        while (_repeats.TryDequeue(out var command))
        {
            intake.Resolve(command, c => c.Fail(error));
        }
    }

    /// <summary>Replaces a command by a successor that is repeated before all others and acknowledges both.</summary>
    private void Replace(LaneCommand command, LaneCommand successor)
    {
        _successors.Add(intake.Track(successor, command.AcceptedUtc));
        intake.Resolve(command, _ => { });
    }
}
