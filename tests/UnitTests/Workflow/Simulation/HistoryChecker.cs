using Workflow.Engine.Commands;

namespace UnitTests.Workflow.Simulation;

/// <summary>Compares the answers to clients with the content of the store after everything has come to rest.</summary>
/// <param name="hasOrder">Whether signals of one key keep their order over all nodes.</param>
internal sealed class HistoryChecker(History history, StoreModel model, CommitChecker commits, bool hasOrder)
{
    private readonly Dictionary<(Guid, long), InstanceBody> _bodies = [];
    private readonly Dictionary<PendingRow, AcceptedSignal> _signals = new(ReferenceEqualityComparer.Instance);

    private InMemoryTables Tables => model.Tables;
    private IEnumerable<AcceptedSignal> Signals =>
        Tables.Pending.Values.Where(p => p.Kind == PendingKind.Signal).Select(SignalOf);
    private IEnumerable<InstanceRow> Instances => Tables.EveryLive.Concat(Tables.Finished.Values);

    /// <summary>Why the cluster is not at rest; null when only outside actions are left.</summary>
    public string? WhyUnsettled() =>
        Tables.Pending.Values.FirstOrDefault(p => p.Kind == PendingKind.Message) is { } message
            ? $"Message {message.Id} is not handled: {message.Body}."
        : Signals.FirstOrDefault(s => s.DueUtc is not null) is { } due
            ? $"Signal {due.Payload} is due and was not delivered."
        : Tables.EveryLive.Select(WhyUnsettled).FirstOrDefault(why => why is not null)
        ?? (history.Published.Count == 0 ? null
            : StoredEvents().Except(history.Published).Select(e => $"Event {e} was not published.").FirstOrDefault());

    public void Check()
    {
        if (WhyUnsettled() is { } why)
        {
            commits.Violations.Add(why);
        }

        CheckStarts();
        CheckSignals();
        CheckCancellations();
        CheckAdministration();
        CheckTasks();
        CheckWaits();
        CheckDormant();
        CheckSteps();
        CheckEvents();
    }

    private string? WhyUnsettled(InstanceRow row)
    {
        foreach (var wait in BodyOf(row).Waits.Where(w => !w.IsReady))
        {
            if (row.State != InstanceState.Suspended
                && (wait.Kind is WaitKind.Activity or WaitKind.Delay || wait.DueUtc is not null))
            {
                return $"Instance {row.Id} of {row.Definition} still waits for {wait.Kind} "
                    + $"'{wait.Step}', due {wait.DueUtc:O}.";
            }

            if (wait.Kind == WaitKind.Signal && Signals.FirstOrDefault(s => s.Name == wait.Name
                && (wait.Key is not null && s.CorrelationKey == wait.Key || s.InstanceId == row.Id)) is { } buffered)
            {
                return $"Instance {row.Id} of {row.Definition} waits for signal '{wait.Name}' {wait.Key}, "
                    + $"and {buffered.Payload} is there.";
            }
        }

        return row.State != InstanceState.Suspended && BodyOf(row).Waits.Exists(w => w.IsReady)
            ? $"Instance {row.Id} of {row.Definition} is not suspended, and has not gone on."
            : BodyOf(row).Waits.Count == 0
                ? $"Instance {row.Id} of {row.Definition} is live and waits for nothing." : null;
    }

    private void CheckStarts()
    {
        var started = Instances.Where(i => BodyOf(i).ParentId is null && !BodyOf(i).Variables.ContainsKey("opening"))
            .ToLookup(i => CommitChecker.Tokens(BodyOf(i).Variables["op"].ToString()).Single());
        foreach (var request in history.Requests.Where(r => r.Kind == RequestKind.Start))
        {
            Guid[] found = [.. started[request.Number].Select(i => i.Id)];
            ExpectEffects(request, found.Length);
            commits.Expect(request.Ids.All(found.Contains), $"An acknowledged start is not there. {request}");
            commits.Expect(request.IdempotencyKey is null ? request.Ids.Distinct().Count() == request.Acknowledged
                : request.Ids.Distinct().Count() <= 1, $"Answers to one key differ. {request}");
            commits.Expect(
                started[request.Number]
                    .All(i => i.Definition == request.Definition), $"It runs another definition. {request}");
        }
    }

    private void CheckSignals()
    {
        var taken =
            Instances.SelectMany(i => BodyOf(i).Variables.Where(v => v.Key != "op").Select(v => v.Value.ToString()))
            .Concat(Instances.SelectMany(TakenByWaits))
            .Concat(Signals.Select(s => s.Payload)).SelectMany(CommitChecker.Tokens)
            .GroupBy(t => t).ToDictionary(t => t.Key, t => t.Count());
        foreach (var request in history.Requests.Where(r => r.Kind == RequestKind.Signal))
        {
            ExpectEffects(request, taken.GetValueOrDefault(request.Number));
        }

        // What an instance has not taken when it ends expires, which its event says without the payload.
        var expired = Events("SignalExpired").ToLookup(e => e);
        foreach (var requests in history.Requests.Where(r => r.Kind == RequestKind.SignalToInstance)
            .GroupBy(r => r.Target!.Value))
        {
            var there = requests.Sum(r => taken.GetValueOrDefault(r.Number)) + expired[requests.Key].Count();
            commits.Expect(
                there >= requests.Sum(r => r.Effects.Least) && there <= requests.Sum(r => r.Effects.Most)
                && requests.All(r => taken.GetValueOrDefault(r.Number) <= r.Effects.Most),
                $"{there} effects of signals to instance {requests.Key}. {string.Join("; ", requests)}");
        }

        CheckOrder();
    }

    /// <summary>
    /// What signals have brought to waits that go on later. Inside a sub-process whose error was handled it is in the
    /// variables too, as the way that handles the error sees it.
    /// </summary>
    private IEnumerable<string> TakenByWaits(InstanceRow row)
    {
        var body = BodyOf(row);
        return body.Waits.OfType<EndedWait>()
            .Where(w =>
                w.Kind == WaitKind.Signal && !(row.Definition == "mended" && body.Variables.Values.Contains(w.Value)))
            .Select(w => w.Value.ToString());
    }

    /// <summary>
    /// Signals of one key that were acknowledged one after the other are taken in that order by who waits for them one
    /// after the other. Without direct requests this holds for those of one node only, and one that was put into the
    /// inbox of another node may be overtaken by one that the owner takes itself.
    /// </summary>
    private void CheckOrder()
    {
        foreach (var row in Instances.Where(i => i.Definition == "ordered"))
        {
            var variables = BodyOf(row).Variables;
            Request[] taken = [.. new[] { "o1", "o2", "o3", "o4" }.Where(variables.ContainsKey)
                .Select(o => history.Requests[CommitChecker.Tokens(variables[o].ToString()).Single() - 1])];
            var pairs = taken.SelectMany((earlier, i) => taken[(i + 1)..].Select(later => (earlier, later)));
            foreach (var (earlier, later) in pairs.Where(
                p => p.earlier.Attempts.Count == 1 && p.later.Attempts.Count == 1))
            {
                var (first, second) = (earlier.Attempts[0], later.Attempts[0]);
                var isOvertaking = second.IsByOwner != true && first.IsByOwner != false;
                commits.Expect(
                    (!hasOrder && (first.Life != second.Life || isOvertaking)) || second.Outcome != Outcome.Acknowledged
                        || second.Answered >= first.Invoked,
                    $"Signals were taken out of order. {earlier} {later}");
            }
        }
    }

    private void CheckCancellations()
    {
        foreach (var request in history.Requests.Where(r => r.Kind == RequestKind.Cancel && r.Acknowledged > 0))
        {
            commits.Expect(
                Tables.Finished.GetValueOrDefault(request.Target!.Value)?.State == InstanceState.Cancelled,
                $"A cancelled instance is not cancelled. {request}");
        }
    }

    /// <summary>
    /// Acknowledged work is in the history, and no unrequested work is. Suspensions and resumptions
    /// alternate, and the last one is the state.
    /// </summary>
    private void CheckAdministration()
    {
        foreach (var (id, lines) in Tables.History)
        {
            string[] words =
                [.. InstanceHistory.Parse(lines.ToString()).Where(l => l.Step is null).Select(l => l.Event)];
            CheckCount(id, RequestKind.Suspend, words.Count(w => w == "suspended"));
            CheckCount(id, RequestKind.Resume, words.Count(w => w == "resumed"));
            CheckCount(id, RequestKind.Retry, words.Count(w => w == "retried"));
            string[] pauses = [.. words.Where(w => w is "suspended" or "resumed")];
            commits.Expect(
                pauses.Select((word, i) => word == (i % 2 == 0 ? "suspended" : "resumed"))
                    .All(alternates => alternates),
                $"Instance {id}: {string.Join(", ", pauses)}.");
            var row = Tables.FindLive(id);
            commits.Expect(
                row is null
                    || (row.State == InstanceState.Suspended) == (pauses.Length % 2 == 1),
                $"Instance {id} is {row?.State} after {string.Join(", ", pauses)}.");
        }
    }

    private void CheckCount(Guid id, RequestKind kind, int effects)
    {
        Request[] requests = [.. history.Requests.Where(r => r.Kind == kind && r.Target == id)];
        commits.Expect(
            effects >= requests.Sum(r => r.Effective) && effects <= requests.Sum(r => r.Effects.Most),
            $"{effects} effects on instance {id}. {string.Join("; ", requests.AsEnumerable())}");
    }

    private void CheckTasks()
    {
        foreach (var requests in history.Requests.Where(r => r.Kind == RequestKind.Complete)
            .GroupBy(r => r.Target!.Value))
        {
            var task = Tables.Tasks[requests.Key];
            Request[] completed = [.. requests.Where(r => r.Acknowledged > 0)];
            var output = CommitChecker.Tokens(task.Output).FirstOrDefault();
            commits.Expect(
                completed.Length <= 1, $"A task was completed twice. {string.Join("; ", completed.AsEnumerable())}");
            commits.Expect(
                completed.Length == 0 || (task.State == TaskState.Completed && output == completed[0].Number),
                $"Task {task.Id} is {task.State} with {task.Output}. {completed.FirstOrDefault()}");
            commits.Expect(
                task.State != TaskState.Completed || requests.Any(r => r.Number == output && r.Effects.Most > 0),
                $"Task {task.Id} was completed by nobody: {task.Output}.");
            commits.Expect(
                task.State != TaskState.Completed || OutputOf(task, BodyOf(Find(task.InstanceId)!)) == task.Output,
                $"The instance of task {task.Id} has not got its output.");
        }

        foreach (var task in Tables.Tasks.Values)
        {
            var isAwaited = Tables.FindLive(task.InstanceId) is { } instance
                && BodyOf(instance).Waits.Exists(w => w.Id == task.Id && !w.IsReady);
            commits.Expect(
                isAwaited == task.State is TaskState.Open, $"Task {task.Id} is {task.State}, awaited: {isAwaited}.");
        }
    }

    /// <summary>What an instance has of its task; null when nothing.</summary>
    private static string? OutputOf(TaskRow task, InstanceBody body) =>
        body.Waits.Find(w => w.Id == task.Id) is EndedWait ended ? ended.Value.ToString()
        : body.Variables.TryGetValue("t", out var taken) ? taken.ToString() : null;

    /// <summary>A wait and what stands for it elsewhere: subscription, child.</summary>
    private void CheckWaits()
    {
        var subscribed = Tables.EveryLive
            .SelectMany(
                i => BodyOf(i).Waits
                    .Where(w => w.Key is not null && !w.IsReady && Partitioning.OfKey(w.Key) != i.Partition))
            .Select(w => w.Id);
        var missing = subscribed.ToHashSet();
        missing.SymmetricExceptWith(
            Tables.Pending.Values.Where(p => p.Kind == PendingKind.Subscription).Select(p => p.Id));
        commits.Expect(
            missing.Count == 0, $"Waits without subscription, or the reverse: {string.Join(", ", missing)}.");
        foreach (var child in Instances.Where(i => BodyOf(i).ParentId is not null))
        {
            var parent = Find(BodyOf(child).ParentId!.Value);
            commits.Expect(parent is not null, $"The parent of {child.Id} is not there.");
            commits.Expect(
                parent is null
                || Tables.FindLive(child.Id) is not null == BodyOf(parent).Waits
                    .Exists(w => w.Id == child.Id && !w.IsReady),
                $"Instance {parent?.Id} waits for its child {child.Id} if and only if that is over.");
        }
    }

    /// <summary>An instance is in one place, and what is stored beside a dormant one goes with it.</summary>
    private void CheckDormant()
    {
        commits.Expect(!Tables.Dormant.Keys.Any(Tables.Live.ContainsKey), "An instance is dormant and resident.");
        commits.Expect(!Tables.Dormant.Values.Any(row => row.IsOver), "An instance is dormant and over.");
        Guid[] left =
            [.. Tables.DormantWaits.Values.Concat(Tables.DormantDue.Keys).Where(id => !Tables.Dormant.ContainsKey(id))];
        commits.Expect(left.Length == 0, $"Dormant rows of what is not dormant: {string.Join(", ", left)}.");
    }

    /// <summary>
    /// Joins are passed once, one of several events is taken, and tokens that end together exist together.
    /// </summary>
    private void CheckSteps()
    {
        foreach (var row in Instances)
        {
            var (body, name) = (BodyOf(row), $"Instance {row.Id} of {row.Definition}");
            CheckScopes(row, body, name);
            foreach (var counter in new[] { "met", "reminded" }.Where(body.Variables.ContainsKey))
            {
                commits.Expect(
                    body.Variables[counter].ToString()
                        == "1", $"{name} counts {body.Variables[counter]} for '{counter}'.");
            }

            if (row.Definition is "each" or "queue")
            {
                CheckElements(row, body, name);
            }

            if (row.Definition is "retry" or "mended")
            {
                CheckRetries(row, name);
            }

            if (row.Definition is "inside" or "ended" or "again")
            {
                CheckSubProcesses(row, body, name);
            }

            if (row.State == InstanceState.Completed)
            {
                var taken = new[] { "one", "two", "late" }.Count(body.Variables.ContainsKey);
                commits.Expect(row.Definition != "choice" || taken == 1, $"{name} has taken {taken} events.");
                commits.Expect(
                    row.Definition is not ("some" or "guarded" or "inside" or "ended" or "mended")
                        || body.Variables.ContainsKey("met"),
                    $"{name} has not passed its join.");
                commits.Expect(
                    !body.Variables.TryGetValue("e", out var error)
                        || error.AsContext()["code"].ToString() == "\"LATE\"",
                    $"{name} was not given the code of its error.");
            }
        }
    }

    /// <summary>A retry continues at the step that failed, not at the step that handled the error.</summary>
    private void CheckRetries(InstanceRow row, string name)
    {
        var lines = InstanceHistory.Parse(Tables.History[row.Id].ToString());
        for (var i = 1; i < lines.Count; i++)
        {
            commits.Expect(lines[i - 1] is not { Event: "retried", Step: null } || lines[i].Step != "sorry",
                $"{name} was retried, and went on at '{lines[i].Step}'.");
        }
    }

    /// <summary>
    /// What ends together is there together: the waits of a token, and inside of a fork or sub-process as many tokens
    /// as it counts. Once an event has ended a sub-process, which was suspended, nothing is inside.
    /// </summary>
    private void CheckScopes(InstanceRow row, InstanceBody body, string name)
    {
        foreach (var scope in body.Scopes)
        {
            Wait[] events = [.. body.Waits.Where(w => w.Scope == scope.Id && w.Event != 0)];
            var tokens = body.Waits.Count(w => w.Scope == scope.Id && w.Event == 0)
                + body.Scopes.Count(s => s.Parent == scope.Id);
            commits.Expect(
                scope.Remaining > 0 || events.Length > 0, $"{name} has a token without its waits in scope {scope.Id}.");
            var isOver = Array.Exists(events, w => w is EndedWait && w.Name == "alt");
            commits.Expect(
                tokens == (isOver ? 0 : scope.Remaining),
                $"{name}, {row.State}, has {tokens} tokens inside '{scope.Join}', which counts {scope.Remaining}, over: {isOver}.");
        }

        var scopes = body.Scopes.Select(s => s.Id).Append(0).ToHashSet();
        commits.Expect(
            body.Waits.TrueForAll(w => scopes.Contains(w.Scope)), $"{name} has waits in a scope that is over.");
    }

    /// <summary>A sub-process is left as often as entered, and the innermost catching one takes an error.</summary>
    private void CheckSubProcesses(InstanceRow row, InstanceBody body, string name)
    {
        var lines = InstanceHistory.Parse(Tables.History[row.Id].ToString());
        foreach (var step in new[] { "outer", "inner", "round" })
        {
            var entered = lines.Count(l => l.Step == step && l.Event == "entered");
            var ended =
                lines.Count(l => l.Step == step && l.Event is "left" or "interrupted" or "timedOut" or "caught");
            var open = body.Scopes.Count(s => s.Join == step);
            commits.Expect(entered == ended + open || ended + open < entered && IsCutOff(step),
                $"{name} was {entered} times in '{step}', which has ended {ended} times, and is {row.State}.");
        }

        // With the instance, or with its sub-process, which an event may have ended during a suspension.
        bool IsCutOff(string step) => row.State == InstanceState.Cancelled || step == "inner"
            && (body.Scopes.TrueForAll(s => s.Join != "outer")
                || body.Waits.Exists(w => w is EndedWait { Step: "outer", Name: "alt" }));

        var caught = lines.Count(l => l.Step == "inner" && l.Event == "caught");
        commits.Expect(
            caught == lines.Count(l => l.Step == "work" && l.Event == "activityFailed") || row.Definition != "inside",
            $"{name} has not taken the error of its activity in the innermost sub-process.");
        commits.Expect(
            row.State != InstanceState.Completed || row.Definition != "again"
                || body.Variables["rounds"].ToString() == "3",
            $"{name} has had {body.Variables.GetValueOrDefault("rounds")} rounds.");
    }

    /// <summary>No element ends well twice, and the results are in their order.</summary>
    private void CheckElements(InstanceRow row, InstanceBody body, string name)
    {
        int[] ended = [.. Instances.Where(i => i.State == InstanceState.Completed && BodyOf(i).ParentId == row.Id)
            .Select(i => (int)BodyOf(i).Variables["n"].AsNumber())];
        commits.Expect(
            ended.Distinct().Count() == ended.Length, $"{name} has had the elements {string.Join(", ", ended)}.");
        if (body.Variables.TryGetValue("r", out var results))
        {
            var given =
                results.AsList().Select((result, i) => (result, Number: i + 1)).Where(r => !r.result.IsNull).ToArray();
            commits.Expect(
                Array.TrueForAll(given, r => r.result.AsNumber() == r.Number && ended.Contains(r.Number))
                    && given.Length == 2,
                $"{name} has the results {results} of the elements {string.Join(", ", ended)}.");
        }
    }

    private void CheckEvents()
    {
        foreach (var (stream, events) in Tables.Events)
        {
            commits.Expect(
                events.Select(e => e.Sequence).SequenceEqual(Enumerable.Range(1, events.Count).Select(i => (long)i))
                && events.Count == Tables.LaneOf(stream).LastSequence,
                $"Stream {stream} has a gap.");
        }

        var ends = Tables.Finished.Values.Select(i => ($"Instance{i.State}", i.Id))
            .Concat(Events("InstanceRetried").Select(id => ("InstanceFailed", id)));
        var raised = new[] { "InstanceCompleted", "InstanceFailed", "InstanceCancelled" }
            .SelectMany(type => Events(type).Select(id => (type, id)));
        commits.Expect(ends.Order().SequenceEqual(raised.Order()), "Ends of instances and their events differ.");
        commits.Expect(!Tables.Finished.Keys.Any(id => Tables.FindLive(id) is not null), "An instance is live and over.");
        CheckPublished();
    }

    private void CheckPublished()
    {
        var invented = history.Published.Except(StoredEvents()).ToArray();
        commits.Expect(
            invented.Length == 0, $"Events were published and are not stored: {string.Join(", ", invented)}.");
    }

    private IEnumerable<string> StoredEvents() =>
        Tables.Events.SelectMany(s => s.Value.Select(e => $"{s.Key}-{e.Sequence}"));

    private IEnumerable<Guid> Events(string type) => Tables.Events.Values.SelectMany(e => e).Where(e => e.Type == type)
        .Select(e => System.Text.Json.JsonDocument.Parse(e.Body).RootElement.GetProperty("instanceId").GetGuid());

    private void ExpectEffects(Request request, int effects) => commits.Expect(
        effects >= request.Effects.Least && effects <= request.Effects.Most,
        $"{effects} effects, not {request.Effects.Least} to {request.Effects.Most}. {request}");

    private InstanceRow? Find(Guid id) => Tables.FindLive(id) ?? Tables.Finished.GetValueOrDefault(id);

    private AcceptedSignal SignalOf(PendingRow row) =>
        _signals.TryGetValue(row, out var signal) ? signal : _signals[row] = AcceptedSignal.Of(row);

    private InstanceBody BodyOf(InstanceRow row)
    {
        if (!_bodies.TryGetValue((row.Id, row.Revision), out var body))
        {
            _bodies[(row.Id, row.Revision)] = body = InstanceBody.Parse(row.Body);
        }

        return body;
    }
}
