namespace IntegrationTests.Shared.Faults;

/// <summary>A start or signal that a client repeats with its idempotency key until it is acknowledged.</summary>
/// <param name="key">The correlation key: one instance.</param>
/// <param name="number">
/// 0 for the start; 1, 2, ... for the signals in the order in which one client sent them, each after the previous
/// answer.
/// </param>
public sealed class RecordedRequest(string key, int number)
{
    private readonly List<RecordedAttempt> _attempts = [];

    public string Key { get; } = key;
    public int Number { get; } = number;
    public IReadOnlyList<RecordedAttempt> Attempts => _attempts;

    public void Add(RecordedAttempt attempt) => _attempts.Add(attempt);

    public override string ToString() =>
        $"{Key}/{Number} ({string.Join(", ", _attempts.Select(a => $"node {a.Node}: {a.Id?.ToString() ?? "?"}"))})";
}

/// <summary>
/// What clients of a real cluster asked for, were answered and saw: compares it with what the cluster promises. Adding
/// is thread-safe.
/// </summary>
public sealed class RequestHistory
{
    private readonly ConcurrentQueue<RecordedRequest> _requests = new();

    public int Count => _requests.Count;

    /// <summary>Stretches between two faults in which a lane moved all the same. Not thread-safe.</summary>
    public ISet<int> Disturbed { get; } = new HashSet<int>();

    /// <summary>A new request, to which its attempts are added.</summary>
    public RecordedRequest Begin(string key, int number)
    {
        var request = new RecordedRequest(key, number);
        _requests.Enqueue(request);
        return request;
    }

    /// <summary>
    /// Promises that were broken, a sentence each: every acknowledged start and signal has its effect, once; answers to
    /// repeats are equal; an instance completes once, not before the signals it took were sent; signals of one key that
    /// one node took are in order.
    /// </summary>
    /// <param name="listed">All instances, at rest.</param>
    /// <param name="completions">What one event stream delivered, with its repeats.</param>
    public IReadOnlyList<string> Violations(
        IEnumerable<ListedInstance> listed, IEnumerable<RecordedCompletion> completions)
    {
        var violations = new List<string>();
        var instances = listed.ToLookup(instance => instance.Key);
        var seen = completions.ToLookup(completion => completion.Key);
        var requests =
            _requests.GroupBy(request => request.Key).ToDictionary(group => group.Key, group => group.ToArray());
        foreach (var (key, ofKey) in requests)
        {
            CheckAnswers(ofKey, violations);
            CheckInstance(
                ofKey, [.. instances[key]], [.. seen[key].DistinctBy(completion => completion.EventId)], violations);
        }

        violations.AddRange(
            instances.Where(group => group.Key is null || !requests.ContainsKey(group.Key))
                .Select(group => $"Nobody started {group.First().Id} of key '{group.Key}'."));
        violations.AddRange(
            seen.Where(group => !requests.ContainsKey(group.Key))
                .Select(group => $"Nobody started what completed with key '{group.Key}'."));
        return violations;
    }

    private static void CheckAnswers(RecordedRequest[] requests, List<string> violations)
    {
        foreach (var request in requests)
        {
            var ids = request.Attempts.Select(attempt => attempt.Id).OfType<Guid>().Distinct().Count();
            if (ids != 1)
            {
                violations.Add(
                    ids == 0 ? $"It was never acknowledged: {request}." : $"Answers to one key differ: {request}.");
            }
        }
    }

    private void CheckInstance(
        RecordedRequest[] requests, ListedInstance[] instances, RecordedCompletion[] completions,
        List<string> violations)
    {
        var start = requests.Single(request => request.Number == 0);
        var id = start.Attempts.Select(attempt => attempt.Id).FirstOrDefault(acknowledged => acknowledged is not null);
        if (instances is not [{ IsCompleted: true } only] || only.Id != id)
        {
            violations.Add(
                $"{start} was acknowledged, and there {(instances.Length == 0 ? "is nothing" : $"are {string.Join(", ", instances.AsEnumerable())}")}.");
        }

        if (completions is not [var completion] || completion.Instance != id)
        {
            violations.Add($"{start} completed {completions.Length} times: {string.Join(", ", completions.AsEnumerable())}.");
            return;
        }

        var sent = requests.Where(request => request.Number > 0).ToDictionary(request => request.Number);
        if (!completion.Taken.Order().SequenceEqual(sent.Keys.Order()))
        {
            violations.Add($"{start} took signals {string.Join(", ", completion.Taken)} of {string.Join(", ", sent.Keys.Order())}.");
            return;
        }

        if (requests.FirstOrDefault(request => request.Attempts.Min(attempt => attempt.Sent) > completion.Received)
            is { } effect)
        {
            violations.Add($"{start} completed before {effect} was sent.");
        }

        violations.AddRange(
            from earlier in completion.Taken.Select((number, place) => (number, place))
            from later in completion.Taken.Select((number, place) => (number, place))
            where earlier.number < later.number && earlier.place > later.place
                && MustKeepOrder(sent[earlier.number], sent[later.number])
            select $"{start} took {sent[later.number]} before {sent[earlier.number]}, which one node had acknowledged before.");
    }

    /// <summary>
    /// One node acknowledged one after the other, while no lane moved. A signal in the inbox of another node may be
    /// overtaken by one that comes to that node itself, and a repeated one may lie anywhere.
    /// </summary>
    private bool MustKeepOrder(RecordedRequest earlier, RecordedRequest later) =>
        earlier.Attempts is [{ Calm: > 0 } first] && later.Attempts is [{ } second]
        && first.Calm == second.Calm && first.Node == second.Node && !Disturbed.Contains(first.Calm);
}
