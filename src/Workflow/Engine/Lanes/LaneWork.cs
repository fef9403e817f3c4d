using Workflow.Abstractions.Activities;
using Workflow.Engine.Activities;
using Workflow.Engine.Signals;

namespace Workflow.Engine.Lanes;

/// <summary>Work beside a lane: activities, receivers, relays. What runs or is not committed is not launched again by a reload.</summary>
internal sealed class LaneWork : IAsyncDisposable
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(5);

    /// <summary>For calls that go on although they are cancelled: their results do not count, and the next owner calls again.</summary>
    private static readonly TimeSpan LongestEnd = TimeSpan.FromSeconds(5);
    private readonly LaneIntake _intake;
    private readonly LaneServices _services;
    private readonly CancellationTokenSource _stop = new();
    private readonly CancellationToken _stopping;
    private readonly ConcurrentDictionary<Task, bool> _relays = new();
    private readonly ConcurrentDictionary<Task, bool> _calls = new();

    /// <summary>By the id of the wait or the signal, and whether it was called or waits for its turn.</summary>
    private readonly ConcurrentDictionary<Guid, bool> _running = new();

    public LaneWork(LaneIntake intake, LaneServices services)
    {
        _intake = intake;
        _services = services;
        _stopping = _stop.Token;
    }

    /// <summary>Activities and receivers whose end is not committed.</summary>
    public int Running => _running.Count;

    public void LaunchActivity(Guid instanceId, Guid waitId, Activity activity, Value input, string? trace)
    {
        if (_running.TryAdd(waitId, false))
        {
            _services.ActivitySlots.Begin(() => TryCall(instanceId, waitId, activity, input, trace));
        }
    }

    /// <summary>The wait is over: its activity is not called if it still waits for its turn.</summary>
    public void ForgetActivity(Guid waitId) => _running.TryRemove(new(waitId, false));

    public void LaunchReceiver(Guid signalId, SignalReceiver receiver, string key, Value payload)
    {
        if (!_running.TryAdd(signalId, true))
        {
            return;
        }

        if (receiver.ReceiveAsync is null)
        {
            _intake.PostInternal(new ReceiverLaneCommand(signalId, () => Done(signalId)));
        }
        else
        {
            Run(_calls, token => CallReceiverAsync(signalId, receiver, key, payload, token));
        }
    }

    /// <summary>Runs until the lane ends, which waits for it.</summary>
    public void RunRelay(Func<CancellationToken, Task> relay) => Run(_relays, relay);

    public async ValueTask DisposeAsync()
    {
        await _services.Runtime.CancelAsync(_stop);

        // Stopping cancels them; other failures were logged where they happened.
        const ConfigureAwaitOptions Quietly = ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext;
        await Task.WhenAll(_relays.Keys).ConfigureAwait(Quietly);
        var calls = Task.WhenAll(_calls.Keys);
        if (!calls.IsCompleted)
        {
            using var limit = new CancellationTokenSource(LongestEnd, _services.Runtime.IoTime);
            await _services.Runtime.EndOf(calls, limit.Token).ConfigureAwait(Quietly);
        }

        if (calls.IsCompleted)
        {
            _stop.Dispose();
        }
        else
        {
            Log.CallsLeft(_services.Logger, _calls.Count, LongestEnd.TotalSeconds);
        }
    }

    private void Run(ConcurrentDictionary<Task, bool> among, Func<CancellationToken, Task> work)
    {
        var task = _services.Runtime.Run(() => work(_stopping));
        among.TryAdd(task, true);
        task.ContinueWith(t => among.TryRemove(t, out _), _services.Runtime.Scheduler);
    }

    /// <summary>An activity's turn has come.</summary>
    /// <returns>False when it is not called any more: its wait is over, or the lane stops.</returns>
    private bool TryCall(Guid instanceId, Guid waitId, Activity activity, Value input, string? trace)
    {
        if (_stopping.IsCancellationRequested || !_running.TryUpdate(waitId, true, false))
        {
            return false;
        }

        Run(_calls, async token =>
        {
            try
            {
                await InvokeAsync(instanceId, waitId, activity, input, trace, token);
            }
            finally
            {
                _services.ActivitySlots.End();
            }
        });
        return true;
    }

    private async Task InvokeAsync(
        Guid instanceId, Guid waitId, Activity activity, Value input, string? trace, CancellationToken token)
    {
        var result = Value.Null;
        ActivityFailure? failure = null;
        try
        {
            result = await TracedAsync(instanceId, activity, input, trace, token);
        }
        catch (OperationCanceledException) when (token.IsCancellationRequested)
        {
            // The engine stops: the wait is stored and the activity is called again at the next start.
            return;
        }
        catch (Exception e)
        {
            failure = ActivityFailure.From(e);
        }

        _intake.PostInternal(new ActivityLaneCommand(instanceId, waitId, result, failure, () => Done(waitId)));
    }

    private static async Task<Value> TracedAsync(
        Guid instanceId, Activity activity, Value input, string? trace, CancellationToken token)
    {
        using var span = Tracing.Invoke(activity.Name, instanceId, trace);
        try
        {
            return await activity.InvokeAsync(input, token);
        }
        catch (Exception e) when (e is not OperationCanceledException || !token.IsCancellationRequested)
        {
            span.Fail(e);
            throw;
        }
    }

    private async Task CallReceiverAsync(Guid signalId, SignalReceiver receiver, string key, Value payload, CancellationToken token)
    {
        var consumption = new ReceiverLaneCommand(signalId, () => Done(signalId));
        var backoff = new Backoff(FirstPause, LongestPause, _services.Time);
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                await receiver.ReceiveAsync!(key, payload, token);
                break;
            }
            catch (Exception e) when (!token.IsCancellationRequested && attempt >= receiver.MaxAttempts)
            {
                Log.ReceiverGaveUp(_services.Logger, e, receiver.Name, attempt);
                var reason = $"The receiver of signal '{receiver.Name}' failed in each of {attempt} calls; the last time: {e.Message}";
                _intake.PostInternal(new DeadLetterLaneCommand(consumption, _services.NewId(), reason, attempt));
                return;
            }
            catch (Exception e) when (!token.IsCancellationRequested)
            {
                Log.ReceiverFailed(_services.Logger, e, receiver.Name, backoff.Next.TotalMilliseconds);
                await backoff.PauseAsync(token);
            }
        }

        _intake.PostInternal(consumption);
    }

    private void Done(Guid id) => _running.TryRemove(id, out _);
}

/// <summary>The lane as its handlers see it.</summary>
internal sealed class LaneHost(LaneAssignment assignment, LaneServices services, LaneIntake intake, LaneWork work) : ILaneHost
{
    public int Stream => assignment.Index;

    public bool Owns(short partition) => assignment.Owns(partition);

    public WorkflowDefinition? FindDefinition(string name, int? version) => services.FindDefinition(name, version);

    public WorkflowDefinition? FindStartedBy(string signalName) => services.FindStartedBy(signalName);

    public Activity? FindActivity(string name) => services.Activities.GetValueOrDefault(name);

    public SignalReceiver? FindReceiver(string signalName) => services.Receivers.GetValueOrDefault(signalName);

    public void LaunchActivity(Guid instanceId, Guid waitId, Activity activity, Value input, string? trace) =>
        work.LaunchActivity(instanceId, waitId, activity, input, trace);

    public void ForgetActivity(Guid waitId) => work.ForgetActivity(waitId);

    public void LaunchReceiver(Guid signalId, SignalReceiver receiver, string key, Value payload) =>
        work.LaunchReceiver(signalId, receiver, key, payload);

    /// <summary>Launches activities and receivers again that were in flight; those that still run are left alone.</summary>
    public void Relaunch(LaneExecutor loaded, Func<DeadLetterKind, Guid, bool> isDeadLettered)
    {
        foreach (var instance in loaded.Instances.Live.Values)
        {
            if (instance.State == InstanceState.Suspended)
            {
                // Once it is resumed.
                continue;
            }

            foreach (var wait in instance.Waits.Where(w => w.IsActivityRunning && !isDeadLettered(DeadLetterKind.Activity, w.Id)))
            {
                if (FindActivity(wait.Name!) is { } activity)
                {
                    LaunchActivity(instance.Id, wait.Id, activity, wait.Input, instance.Trace);
                }
                else
                {
                    intake.PostInternal(new ActivityLaneCommand(
                        instance.Id, wait.Id, default, new("it is not registered with this engine", IsFinal: true)));
                }
            }
        }

        foreach (var signal in loaded.Receiving.Where(s => !isDeadLettered(DeadLetterKind.Signal, s.Id)))
        {
            LaunchReceiver(signal.Id, FindReceiver(signal.Name)!, signal.CorrelationKey!, SignalPayload.Of(signal));
        }
    }
}
