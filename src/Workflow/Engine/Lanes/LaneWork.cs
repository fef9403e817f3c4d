using Workflow.Abstractions.Activities;
using Workflow.Engine.Activities;
using Workflow.Engine.Signals;

namespace Workflow.Engine.Lanes;

/// <summary>
/// The lane as its handlers see it, and the work beside it: activities, receivers and relays. A reload does not launch
/// work again that is running or whose result is not committed.
/// </summary>
internal sealed class LaneWork : ILaneHost, IAsyncDisposable
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long to wait for cancelled calls that keep running. Their results do not count, and the next owner calls
    /// again.
    /// </summary>
    private static readonly TimeSpan LongestEnd = TimeSpan.FromSeconds(5);

    private readonly LaneAssignment _assignment;
    private readonly LaneServices _services;
    private readonly LaneIntake _intake;
    private readonly CancellationTokenSource _stop = new();
    private readonly CancellationToken _stopping;
    private readonly ConcurrentDictionary<Task, bool> _relays = new();
    private readonly ConcurrentDictionary<Task, bool> _calls = new();

    /// <summary>By the id of the wait or signal: true if the call has begun, false if it waits for a slot.</summary>
    private readonly ConcurrentDictionary<Guid, bool> _running = new();

    public LaneWork(LaneAssignment assignment, LaneServices services, LaneIntake intake)
    {
        _assignment = assignment;
        _services = services;
        _intake = intake;
        _stopping = _stop.Token;
    }

    public int Stream => _assignment.Index;

    /// <summary>The number of activities and receivers whose result is not committed.</summary>
    public int Running => _running.Count;

    public bool Owns(short partition) => _assignment.Owns(partition);

    public WorkflowDefinition? FindDefinition(string name, int? version) => _services.Definitions.Find(name, version);

    public WorkflowDefinition GetDefinition(string name, int version) => _services.Definitions.Get(name, version);

    public WorkflowDefinition? FindStartedBy(string signalName) => _services.Definitions.FindStartedBy(signalName);

    public Activity? FindActivity(string name) => _services.Activities.GetValueOrDefault(name);

    public SignalReceiver? FindReceiver(string signalName) => _services.Receivers.GetValueOrDefault(signalName);

    public void LaunchActivity(Guid instanceId, Guid waitId, Activity activity, Value input, string? trace)
    {
        if (_running.TryAdd(waitId, false))
        {
            _services.ActivitySlots.Begin(() => TryCall(instanceId, waitId, activity, input, trace));
        }
    }

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

    /// <summary>
    /// Launches the activities of loaded instances again. Those that are still running are not launched twice.
    /// </summary>
    public void RelaunchActivities(
        IEnumerable<LiveInstance> loaded, Func<DeadLetterKind, Guid, bool> isDeadLettered)
    {
        foreach (var instance in loaded)
        {
            if (instance.State == InstanceState.Suspended)
            {
                // Launched when the instance is resumed.
                continue;
            }

            var running = instance.Waits.Where(
                w => w.IsActivityRunning && !isDeadLettered(DeadLetterKind.Activity, w.Id));
            foreach (var wait in running)
            {
                if (FindActivity(wait.Name!) is { } activity)
                {
                    LaunchActivity(instance.Id, wait.Id, activity, wait.Input, instance.Trace);
                }
                else
                {
                    _intake.PostInternal(new ActivityLaneCommand(
                        instance.Id, wait.Id, default, new("it is not registered with this engine", IsFinal: true)));
                }
            }
        }
    }

    /// <summary>Launches the receivers of loaded signals again.</summary>
    /// <inheritdoc cref="RelaunchActivities"/>
    public void RelaunchReceivers(LaneState loaded, Func<DeadLetterKind, Guid, bool> isDeadLettered)
    {
        foreach (var signal in loaded.SignalStore.Receiving.Where(s => !isDeadLettered(DeadLetterKind.Signal, s.Id)))
        {
            LaunchReceiver(signal.Id, FindReceiver(signal.Name)!, signal.CorrelationKey!, signal.ReadPayload());
        }
    }

    /// <summary>Runs until the lane ends. The lane waits for it.</summary>
    public void RunRelay(Func<CancellationToken, Task> relay) => Run(_relays, relay);

    public async ValueTask DisposeAsync()
    {
        await _services.Runtime.CancelAsync(_stop);

        // Stopping cancels these tasks. Other failures were logged where they happened.
        const ConfigureAwaitOptions Quietly =
            ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext;
        await Task.WhenAll(_relays.Keys).ConfigureAwait(Quietly);
        var calls = Task.WhenAll(_calls.Keys);
        if (!calls.IsCompleted)
        {
            using var limit = new CancellationTokenSource(LongestEnd, _services.Runtime.IoTime);
            await _services.Runtime.WhenEnded(calls, limit.Token).ConfigureAwait(Quietly);
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

    /// <summary>Calls an activity that has got a slot.</summary>
    /// <returns>False if the call is no longer needed: its wait has ended or the lane stops.</returns>
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
            // The engine stops. The wait is stored, and the activity is called again at the next start.
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

    private async Task CallReceiverAsync(
        Guid signalId, SignalReceiver receiver, string key, Value payload, CancellationToken token)
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
                var reason = $"The receiver of signal '{receiver.Name}' failed in each of {attempt} calls; the last "
                    + $"time: {e.Message}";
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
