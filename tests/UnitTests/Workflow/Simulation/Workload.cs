using Workflow.Engine;

namespace UnitTests.Workflow.Simulation;

/// <summary>
/// Clients that start, signal, complete, suspend, resume, retry and cancel, each one request after the other, as the
/// seed decides.
/// </summary>
internal sealed class Workload
{
    private readonly SimulationLoop _loop;
    private readonly SimulatedProcess _outside;
    private readonly SimulatedCluster _cluster;
    private readonly StoreModel _model;
    private readonly History _history;
    private readonly CommitChecker _commits;
    private readonly string[] _definitions;
    private readonly string[] _keys;
    private readonly TimeSpan _longestPause;

    /// <param name="longestPause">Of a client between two requests.</param>
    public Workload(
        SimulationLoop loop, SimulatedProcess outside, SimulatedCluster cluster, StoreModel model, History history,
        CommitChecker commits,
        TimeSpan longestPause)
    {
        (_loop, _outside, _cluster, _model, _history, _commits) = (loop, outside, cluster, model, history, commits);
        _longestPause = longestPause;
        DefinitionRow[] chosen =
            [.. WorkloadDefinitions.All.OrderBy(_ => loop.Random.Next()).Take(loop.Random.Next(2, 4))];
        var called = WorkloadDefinitions.All.Where(d =>
            chosen.Any(
                c => (c.Name, d.Name) is ("calls" or "inside", "timed") or ("each" or "queue" or "ended", "part")));
        foreach (var row in chosen.Concat(called).Distinct())
        {
            model.Tables.Add(row);
        }

        _definitions = [.. chosen.Select(d => d.Name)];
        _keys = [.. Enumerable.Range(0, loop.Random.Next(2, 6)).Select(i => $"key {i}")];
    }

    /// <summary>One client for the given number of requests.</summary>
    public async Task RunAsync(int requests)
    {
        for (var i = 0; i < requests; i++)
        {
            await PauseAsync(_longestPause);
            await RequestAsync();
        }
    }

    private Task RequestAsync() => _loop.Random.Next(100) switch
    {
        < 35 => StartAsync(),
        < 70 => SignalAsync(),
        < 77 => SignalInstanceAsync(),
        < 83 => CompleteTaskAsync(),
        < 88 => SuspendAsync(),
        < 92 => ResumeAsync(),
        < 96 => RetryAsync(),
        _ => CancelAsync(),
    };

    private Task StartAsync()
    {
        var definition = Any(_definitions);
        var request = _history.Add(RequestKind.Start, idempotencyKey: IdempotencyKey(), definition: definition);
        var command = new StartCommand
        {
            Definition = definition,
            Input = Value.Parse($$"""{ "op": "{{request.Token}}", "k": "{{Any(_keys)}}" }"""),
            CorrelationKey = _loop.Chance(50) ? Any(_keys) : null,
            IdempotencyKey = request.IdempotencyKey,
        };
        return SendAsync(request, async engine =>
        {
            var started = await engine.StartAsync(command);
            return (started.Id, started.Duplicate);
        });
    }

    private Task SignalAsync()
    {
        var request = _history.Add(RequestKind.Signal, key: Any(_keys), idempotencyKey: IdempotencyKey());
        DateTimeOffset? due = _loop.Chance(15)
            ? _outside.Clock.GetUtcNow() + _loop.Between(TimeSpan.Zero, TimeSpan.FromSeconds(2)) : null;
        var command = new SignalCommand
        {
            Name = _definitions.Contains("opened") && _loop.Chance(25) ? "open"
                : _definitions.Contains("ordered") && due is null && _loop.Chance(50) ? "ord"
                : _definitions.Any(d => d is "choice" or "guarded" or "inside" or "again") && _loop.Chance(40)
                    ? "alt" : "go",
            CorrelationKey = request.Key,
            Payload = Value.From(request.Token),
            DueAt = due,
            IdempotencyKey = request.IdempotencyKey,
        };
        return SendAsync(request, async engine =>
        {
            var accepted = await engine.SignalAsync(command);
            return (accepted.Id, accepted.Duplicate);
        });
    }

    private async Task SignalInstanceAsync()
    {
        if (AnyStarted("direct") is { } target)
        {
            var request = _history.Add(RequestKind.SignalToInstance, idempotencyKey: IdempotencyKey(), target: target);
            await SendAsync(request, async engine =>
            {
                var accepted = await engine.SignalAsync(new()
                {
                    Name = "poke", InstanceId = target, Payload = Value.From(request.Token),
                    IdempotencyKey = request.IdempotencyKey,
                });
                return (accepted.Id, accepted.Duplicate);
            });
        }
    }

    private async Task CompleteTaskAsync()
    {
        if (_model.Tables.Tasks.Values.Where(t => t.State == TaskState.Open || _loop.Chance(10)).ToArray()
            is { Length: > 0 } tasks)
        {
            var target = Any(tasks).Id;
            var request = _history.Add(RequestKind.Complete, idempotencyKey: IdempotencyKey(), target: target);
            await SendAsync(request, async engine =>
            {
                var accepted = await engine.CompleteTaskAsync(new()
                {
                    TaskId = target, Output = Value.From(request.Token), IdempotencyKey = request.IdempotencyKey,
                });
                return (accepted.Id, accepted.Duplicate);
            });
        }
    }

    private async Task CancelAsync()
    {
        if (AnyStarted(Any(_definitions)) is { } target
            && _model.Tables.FindLive(target)?.Definition != "ordered")
        {
            var request = _history.Add(RequestKind.Cancel, target: target);
            await SendAsync(request, async engine =>
            {
                var cancelled = await engine.CancelAsync(target);
                return (cancelled.Id, cancelled.Duplicate);
            });
        }
    }

    private async Task SuspendAsync()
    {
        if (_model.Tables.EveryLive.ToArray() is { Length: > 0 } live)
        {
            var target = Any(live).Id;
            await SendAsync(_history.Add(RequestKind.Suspend, target: target), async engine =>
            {
                var change = await engine.SuspendAsync(target);
                return (change.Id, change.Duplicate);
            });
        }
    }

    private async Task ResumeAsync()
    {
        if (Suspended() is { Length: > 0 } suspended)
        {
            await ResumeAsync(Any(suspended));
        }
    }

    private Task ResumeAsync(Guid target) => SendAsync(_history.Add(RequestKind.Resume, target: target), async engine =>
    {
        var change = await engine.ResumeAsync(target);
        return (change.Id, change.Duplicate);
    });

    /// <summary>Resumes every suspended instance.</summary>
    public async Task ResumeAllAsync()
    {
        foreach (var target in Suspended())
        {
            await ResumeAsync(target);
        }
    }

    private async Task RetryAsync()
    {
        if (_model.Tables.Finished.Values.Where(i => i.State == InstanceState.Failed).ToArray()
            is { Length: > 0 } failed)
        {
            var row = Any(failed);
            var target = row.Id;
            var request = _history.Add(RequestKind.Retry, idempotencyKey: IdempotencyKey(), target: target);
            var step = StepOf(row.Definition, request.Number);
            await SendAsync(request, async engine =>
            {
                var change = await engine.RetryAsync(new()
                {
                    InstanceId = target,
                    Variables = Value.From(new Dictionary<string, Value> { ["again"] = Value.From(request.Number) }),
                    Step = step,
                    IdempotencyKey = request.IdempotencyKey,
                });
                return (change.Id, change.Duplicate);
            });
        }
    }

    /// <summary>
    /// For some retries, a step that each failed token of the definition's instances can continue at. None has a result:
    /// a second result would replace the first, which the checker looks for.
    /// </summary>
    private static string? StepOf(string definition, long number) => (definition, number % 6) switch
    {
        ("retry", 1) => "call",
        ("retry", 3) => "done",
        ("fragile", 1) => "b",
        ("fragile", 3) => "c",
        _ => null,
    };

    private Guid[] Suspended() =>
        [.. _model.Tables.EveryLive.Where(i => i.State == InstanceState.Suspended).Select(i => i.Id)];

    /// <summary>Sends a request, repeats it if safe, and sometimes repeats one that was acknowledged.</summary>
    private async Task SendAsync(Request request, Func<WorkflowEngine, Task<(Guid Id, bool Duplicate)>> send)
    {
        for (var attempt = 0; attempt < 12; attempt++)
        {
            var outcome = await TryAsync(request, send);
            var isDone = outcome == Outcome.Acknowledged ? request.IdempotencyKey is null || !_loop.Chance(25)
                : outcome == Outcome.Unknown && request.IdempotencyKey is null;
            if (isDone || outcome is null)
            {
                return;
            }

            await PauseAsync(TimeSpan.FromMilliseconds(400));
        }
    }

    /// <returns>Null when the request itself was refused: a repeat would be too.</returns>
    private async Task<Outcome?> TryAsync(Request request, Func<WorkflowEngine, Task<(Guid Id, bool Duplicate)>> send)
    {
        while (_cluster.Up.Count == 0)
        {
            await PauseAsync(TimeSpan.FromMilliseconds(100));
        }

        var node = Any(_cluster.Up);
        var invoked = _outside.Clock.GetUtcNow();
        var hadLane = HasLane();
        try
        {
            var (id, duplicate) = await SimulatedCluster.CallAsync(node, send);
            Add(Outcome.Acknowledged, id, duplicate ? "again" : "", duplicate);
            CheckVisible(request, id);
            return Outcome.Acknowledged;
        }
        catch (WorkflowException e) when (
            e is InstanceNotFoundException or InstanceFinishedException or InstanceStateException
                or TaskClosedException)
        {
            Add(Outcome.Refused, default, e.Code);
            return null;
        }
        catch (Exception e)
            when (e is EngineStoppedException or LaneMovedException
                or StoreUnavailableException { OutcomeUnknown: false })
        {
            Add(Outcome.Refused, default, e.Message);
            return Outcome.Refused;
        }
        catch (Exception e) when (e is IOException or OperationCanceledException or StoreUnavailableException)
        {
            Add(Outcome.Unknown, default, e.Message);
            return Outcome.Unknown;
        }

        void Add(Outcome outcome, Guid id, string text, bool isDuplicate = false)
        {
            _loop.Record((ulong)outcome);
            _loop.Note(
                () => $"client: {request.Kind} {request.Number} "
                    + $"{request.Definition}{request.Key}{request.Target} at node "
                + $"{node.Process.Number}: {outcome} {id} {text}");
            request.Add(new(node.Process.Number, invoked, _outside.Clock.GetUtcNow(), outcome, id, text)
            {
                IsByOwner = HasLane() == hadLane ? hadLane : null,
                IsDuplicate = isDuplicate,
            });
        }

        bool HasLane() => request.Key is not null && _model.OwnerOf(request.Key) == SimulatedCluster.NameOf(node);
    }

    /// <summary>Acknowledged work is durable at that moment.</summary>
    private void CheckVisible(Request request, Guid id) => _commits.Expect(
        request.Kind switch
        {
            RequestKind.Cancel => _model.Tables.Finished.ContainsKey(id),
            RequestKind.Complete => _model.Tables.Tasks[id].State == TaskState.Completed,
            // The next steps of the instance may be in the same commit; the checker finds their lines in the history.
            RequestKind.Suspend or RequestKind.Resume or RequestKind.Retry => _model.Tables.History.ContainsKey(id),
            // What expires in the commit that accepts it leaves an event without its payload.
            RequestKind.SignalToInstance when _model.Tables.Finished.ContainsKey(request.Target!.Value) => true,
            _ => _commits.IsDurable(request.Number),
        },
        $"It was acknowledged before it was durable. {request}");

    private Guid? AnyStarted(string definition)
    {
        Guid[] started = [.. _history.Requests
            .Where(r => r.Kind == RequestKind.Start && r.Definition == definition).SelectMany(r => r.Ids)];
        return started.Length == 0 ? null : Any(started);
    }

    private string? IdempotencyKey() => _loop.Chance(60) ? $"idempotency {_history.Requests.Count + 1}" : null;

    private T Any<T>(IReadOnlyList<T> from) => from[_loop.Random.Next(from.Count)];

    private Task PauseAsync(TimeSpan atMost) =>
        Task.Delay(_loop.Between(TimeSpan.FromMilliseconds(1), atMost), _outside.Clock);
}
