using Workflow.Engine.Events;

namespace Workflow.Engine.Lanes;

/// <summary>
/// The effects of a batch that leave the lane after its commit, in this order: counts, events, messages, launches,
/// acknowledgements.
/// </summary>
internal sealed class LaneRelease(
    LaneServices services, LaneIntake intake, EventLog events, IReadOnlyList<EventRelay> relays)
{
    private readonly InFlightTerm _entered = new();
    private readonly InFlightTerm _left = new();
    private readonly Count _flushes = new();
    private readonly Count _flushedCommands = new();

    public long Flushes => _flushes.Value;
    public long FlushedCommands => _flushedCommands.Value;

    /// <summary>The last event that every publisher has accepted.</summary>
    public long PublishedSequence => relays.Count == 0 ? events.Last : relays.Min(r => r.Published);

    /// <summary>Counts the loaded instances as in flight.</summary>
    public void CountLoaded(long live) => _entered.Add(live, (Int128)live * services.Time.GetTimestamp());

    /// <param name="committed">False for a batch without durable changes.</param>
    public void Release(LaneBatch batch, bool committed)
    {
        intake.Backlog.RecordProgress(batch.Commands.Count);
        if (committed)
        {
            batch.MarkCommitted();
            services.Telemetry.Flushed(batch.Commands.Count, batch.Tally);
            _flushes.Add(1);
            _flushedCommands.Add(batch.Commands.Count);
            CountInFlight(batch);
        }

        if (batch.Events.Count > 0)
        {
            events.Append(batch.Events, new(services.Time.GetUtcNow(), services.Time.GetTimestamp()));
        }

        try
        {
            intake.Inbox.MarkApplied(batch.Handled);
            batch.Outgoing.ForEach(services.Route);
            batch.Launches.ForEach(launch => launch());
        }
        finally
        {
            // Acknowledge last, so that the lane never looks idle while a part of the batch has not left. Committed
            // commands are acknowledged even if a launch throws.
            foreach (var command in batch.Commands)
            {
                intake.Resolve(command, c => c.Acknowledge());
            }
        }

        services.Progressed();
    }

    /// <summary>
    /// The instances in flight now, and their integral over the engine's clock (instances times clock ticks).
    /// </summary>
    public (long Count, Int128 Ticks) ReadInFlight()
    {
        // An instance enters before it leaves. Reading in this order never shows one that left without entering.
        var left = relays.Count == 0 ? [_left.Read()] : relays.Select(r => r.Left.Read()).ToArray();
        var (entered, enteredTicks) = _entered.Read();
        var now = services.Time.GetTimestamp();
        return (
            left.Max(l => entered - l.Count),
            left.Max(l => ((Int128)(entered - l.Count) * now) - (enteredTicks - l.Ticks)));
    }

    private void CountInFlight(LaneBatch batch)
    {
        _entered.Add(batch.Tally.Started + batch.Tally.Retried, batch.Tally.EnteredTicks);
        var ends = batch.Tally.Ends;
        if (ends.Count > 0 && relays.Count == 0)
        {
            _left.Add(ends.Count, (Int128)ends.Count * services.Time.GetTimestamp());
        }

        foreach (var relay in ends.Count > 0 ? relays : [])
        {
            relay.ExpectEnds(ends, batch.Rows.LastSequence);
        }
    }
}
