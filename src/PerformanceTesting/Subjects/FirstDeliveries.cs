namespace PerformanceTesting.Subjects;

/// <summary>
/// Which events were delivered, by whatever stream: their ids are a lane and a number that grows. A stream that begins
/// later may overtake one that still has older events to bring, so that a lower number is no repetition.
/// </summary>
internal sealed class FirstDeliveries
{
    private readonly Dictionary<string, (long All, HashSet<long> Beyond)> _lanes = new(StringComparer.Ordinal);
    private readonly Lock _gate = new();

    /// <summary>Whether no stream has brought the event before.</summary>
    public bool IsFirst(string eventId)
    {
        var (lane, number) = EventObserver.SequenceOf(eventId)
            ?? throw new FormatException($"The event id '{eventId}' is not a lane and a number, so a repetition "
                + $"cannot be recognised.");
        lock (_gate)
        {
            var (all, beyond) = _lanes.TryGetValue(lane, out var known) ? known : (number - 1, []);
            var isFirst = number > all && beyond.Add(number);
            while (beyond.Remove(all + 1))
            {
                all++;
            }

            _lanes[lane] = (all, beyond);
            return isFirst;
        }
    }
}
