namespace UnitTests.Workflow.Simulation;

/// <summary>Looks at every commit: the promises of a store, and which tokens of requests are durable.</summary>
internal sealed class CommitChecker(SimulationLoop loop)
{
    private readonly HashSet<int> _seen = [];
    private readonly HashSet<Guid> _finished = [];

    /// <summary>The broken promises.</summary>
    public List<string> Violations { get; } = [];

    public int Commits { get; private set; }

    public void Expect(bool holds, string promise)
    {
        if (!holds)
        {
            Violations.Add(promise);
        }
    }

    /// <summary>Whether a commit held the token of the request.</summary>
    public bool IsDurable(int request) => _seen.Contains(request);

    public void Committed(
        int lane, (long Writer, long Current) epoch, (long Batch, long Sequence) last, FlushBatch batch)
    {
        Commits++;
        loop.Note(() => $"lane {lane} epoch {epoch.Writer} batch {batch.Number}: "
            + $"instances {List(batch.Instances.Select(i => $"{i.Origin} {i.Row.State} {i.Row.Id}"))}, "
            + $"pending +{List(batch.Pending.Select(p => $"{p.Kind} {p.Id} {p.Body}"))} -{List(batch.PendingRemoved)}, "
            + $"events {List(batch.Events.Select(e => e.Sequence))}, published {batch.PublishedSequence}");
        Expect(epoch.Writer
            == epoch.Current, $"Lane {lane}: a writer of epoch {epoch.Writer} has committed in epoch {epoch.Current}.");
        Expect(batch.Number == last.Batch + 1, $"Lane {lane}: batch {batch.Number} was committed after {last.Batch}.");
        Expect(batch.DeadLetters.Count == 0,
            $"Lane {lane}: a dead letter was committed, and no client sends what cannot be applied. {List(batch.DeadLetters)}");
        var sequence = last.Sequence;
        Expect(batch.Events.TrueForAll(e => e.Sequence == ++sequence) && sequence == batch.LastSequence,
            $"Lane {lane}: the events of batch {batch.Number} do not follow {last.Sequence}.");
        Expect(
            batch.Instances.TrueForAll(i => i.Origin != InstanceOrigin.Failed || _finished.Remove(i.Row.Id)),
            $"Lane {lane}: an instance that has not ended was retried.");
        Expect(batch.Instances
            .TrueForAll(i => !_finished.Contains(i.Row.Id)), $"Lane {lane}: an instance goes on after its end.");
        Expect(
            batch.Instances.TrueForAll(
                i => !i.Row.IsOver || _finished.Add(i.Row.Id)), $"Lane {lane}: an instance has ended twice.");
        batch.Instances.ForEach(i => Seen(i.Row.Body));
        batch.Pending.ForEach(p => Seen(p.Body));
    }

    /// <summary>A text was committed.</summary>
    public void Seen(string? text)
    {
        foreach (var token in Tokens(text))
        {
            _seen.Add(token);
        }
    }

    /// <summary>The numbers of the requests whose tokens are in a text, each as often as it is there.</summary>
    public static IEnumerable<int> Tokens(string? text)
    {
        for (var at = text?.IndexOf('_', StringComparison.Ordinal) ?? -1; at >= 0; at = text!.IndexOf('_', at + 1))
        {
            var end = at + 1;
            while (end < text!.Length && char.IsAsciiDigit(text[end]))
            {
                end++;
            }

            if (end > at + 1 && end < text.Length && text[end] == '_')
            {
                yield return int.Parse(
                    text.AsSpan(at + 1, end - at - 1), NumberStyles.None, CultureInfo.InvariantCulture);
                at = end;
            }
        }
    }

    private static string List<T>(IEnumerable<T> items) => $"[{string.Join(' ', items)}]";
}
