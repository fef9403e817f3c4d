namespace UnitTests.Workflow.Simulation;

/// <summary>Looks at every commit: the promises of a store, and which tokens of requests are durable.</summary>
internal sealed class CommitChecker(SimulationLoop loop)
{
    private readonly HashSet<int> _seen = [];
    private readonly HashSet<Guid> _finished = [];

    /// <summary>What was promised and is broken.</summary>
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
        loop.Note(() => $"lane {lane} epoch {epoch.Writer} batch {batch.Number}: new {List(batch.Inserted.Select(i => i.Id))}, "
            + $"changed {List(batch.Updated.Select(i => i.Id))}, ended {List(batch.Finished.Select(i => i.Id))}, "
            + $"retried {List((batch.Retried ?? []).Select(i => i.Id))}, "
            + $"signals +{List(batch.SignalsAdded.Select(s => s.Payload))} -{List(batch.SignalsRemoved)}, "
            + $"subscriptions +{List(batch.SubscriptionsAdded.Select(s => s.WaitId))} -{List(batch.SubscriptionsRemoved)}, "
            + $"messages +{List(batch.MessagesAdded.Select(m => $"{m.Kind} {m.Id}"))} -{List(batch.MessagesRemoved)}, "
            + $"events {List(batch.Events.Select(e => e.Sequence))}, published {batch.PublishedSequence}");
        Expect(epoch.Writer == epoch.Current, $"Lane {lane}: a writer of epoch {epoch.Writer} has committed in epoch {epoch.Current}.");
        Expect(batch.Number == last.Batch + 1, $"Lane {lane}: batch {batch.Number} was committed after {last.Batch}.");
        var sequence = last.Sequence;
        Expect(batch.Events.TrueForAll(e => e.Sequence == ++sequence) && sequence == batch.LastSequence,
            $"Lane {lane}: the events of batch {batch.Number} do not follow {last.Sequence}.");
        Expect(
            batch.Retried?.TrueForAll(i => _finished.Remove(i.Id)) ?? true, $"Lane {lane}: an instance that has not ended was retried.");
        Expect(
            batch.Finished.Concat(batch.Retried?.Where(i => i.State > InstanceState.Suspended) ?? []).All(i => _finished.Add(i.Id)),
            $"Lane {lane}: an instance has ended twice.");
        Expect(
            !batch.Inserted.Concat(batch.Updated).Any(i => _finished.Contains(i.Id)), $"Lane {lane}: an instance goes on after its end.");
        batch.Inserted.ForEach(i => Seen(i.Body));
        batch.Updated.ForEach(i => Seen(i.Body));
        batch.Finished.ForEach(i => Seen(i.Body));
        batch.Retried?.ForEach(i => Seen(i.Body));
        batch.SignalsAdded.ForEach(s => Seen(s.Payload));
        batch.MessagesAdded.ForEach(m => Seen(m.Body));
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
                yield return int.Parse(text.AsSpan(at + 1, end - at - 1), NumberStyles.None, CultureInfo.InvariantCulture);
                at = end;
            }
        }
    }

    private static string List<T>(IEnumerable<T> items) => $"[{string.Join(' ', items)}]";
}
