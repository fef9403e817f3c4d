using System.Collections.Concurrent;
using Foundation;
using Workflow.Abstractions;
using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Events;
using Workflow.Engine.Activities;
using Workflow.Engine.DeadLetters;
using Workflow.Engine.Diagnostics;
using Workflow.Engine.Signals;

namespace Workflow.Engine.Lanes;

/// <summary>How many activities run at a time on a node; the others are called in the order of their launches. Thread-safe.</summary>
internal sealed class ActivitySlots(int count)
{
    private readonly Lock _gate = new();
    private readonly Queue<Func<bool>> _waiting = new();
    private int _running;

    public int Running
    {
        get
        {
            lock (_gate)
            {
                return _running;
            }
        }
    }

    public int Waiting
    {
        get
        {
            lock (_gate)
            {
                return _waiting.Count;
            }
        }
    }

    /// <summary>Calls an activity, now or when its turn comes.</summary>
    /// <param name="tryCall">Calls it, with <see cref="End"/> when that is over; or returns false, as it is not needed any more.</param>
    public void Begin(Func<bool> tryCall)
    {
        lock (_gate)
        {
            if (_running == count)
            {
                _waiting.Enqueue(tryCall);
                return;
            }

            _running++;
        }

        if (!tryCall())
        {
            End();
        }
    }

    /// <summary>A call is over: the next one's turn.</summary>
    public void End()
    {
        Func<bool>? next;
        do
        {
            lock (_gate)
            {
                if (!_waiting.TryDequeue(out next))
                {
                    _running--;
                    return;
                }
            }
        }
        while (!next());
    }
}

/// <summary>Work beside a lane: activities, receivers, relays. What runs or is not committed is not launched again by a reload.</summary>
internal sealed class LaneWork : IAsyncDisposable
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(5);
    private readonly Lane _lane;
    private readonly LaneServices _services;
    private readonly CancellationTokenSource _stop = new();
    private readonly CancellationToken _stopping;
    private readonly ConcurrentDictionary<Task, bool> _tasks = new();

    /// <summary>By the id of the wait or the signal, and whether it was called or waits for its turn.</summary>
    private readonly ConcurrentDictionary<Guid, bool> _running = new();

    public LaneWork(Lane lane, LaneServices services)
    {
        _lane = lane;
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
            _lane.PostInternal(new ReceiverLaneCommand(signalId, () => Done(signalId)));
        }
        else
        {
            Run(token => CallReceiverAsync(signalId, receiver, key, payload, token));
        }
    }

    public void Run(Func<CancellationToken, Task> work)
    {
        var task = _services.Runtime.Run(() => work(_stopping));
        _tasks.TryAdd(task, true);
        task.ContinueWith(t => _tasks.TryRemove(t, out _), _services.Runtime.Scheduler);
    }

    public async ValueTask DisposeAsync()
    {
        await _services.Runtime.CancelAsync(_stop);

        // Stopping cancels them; other failures were logged where they happened.
        await Task.WhenAll(_tasks.Keys)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        _stop.Dispose();
    }

    /// <summary>An activity's turn has come.</summary>
    /// <returns>False when it is not called any more: its wait is over, or the lane stops.</returns>
    private bool TryCall(Guid instanceId, Guid waitId, Activity activity, Value input, string? trace)
    {
        if (_stopping.IsCancellationRequested || !_running.TryUpdate(waitId, true, false))
        {
            return false;
        }

        Run(async token =>
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
        using var span = Tracing.Invoke(activity.Name, instanceId, trace);
        var result = Value.Null;
        ActivityFailure? failure = null;
        try
        {
            result = await activity.InvokeAsync(input, token);
        }
        catch (OperationCanceledException) when (token.IsCancellationRequested)
        {
            // The engine stops: the wait is stored and the activity is called again at the next start.
            return;
        }
        catch (Exception e)
        {
            failure = ActivityFailure.From(e);
            span.Fail(e);
        }

        _lane.PostInternal(new ActivityLaneCommand(instanceId, waitId, result, failure, () => Done(waitId)));
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
                _lane.PostInternal(new DeadLetterLaneCommand(consumption, _services.NewId(), reason, attempt));
                return;
            }
            catch (Exception e) when (!token.IsCancellationRequested)
            {
                Log.ReceiverFailed(_services.Logger, e, receiver.Name, backoff.Next.TotalMilliseconds);
                await backoff.PauseAsync(token);
            }
        }

        _lane.PostInternal(consumption);
    }

    private void Done(Guid id) => _running.TryRemove(id, out _);
}
