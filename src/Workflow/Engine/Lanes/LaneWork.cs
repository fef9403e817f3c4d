using System.Collections.Concurrent;
using Foundation;
using Workflow.Abstractions;
using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Events;
using Workflow.Engine.Activities;
using Workflow.Engine.Commands;
using Workflow.Engine.Diagnostics;

namespace Workflow.Engine.Lanes;

/// <summary>Work beside a lane: activities, receivers, relays. What runs or is not committed is not launched again by a reload.</summary>
internal sealed class LaneWork(Lane lane, LaneServices services) : IAsyncDisposable
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(5);
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentDictionary<Task, bool> _tasks = new();
    private readonly ConcurrentDictionary<Guid, bool> _running = new();

    /// <summary>Activities and receivers whose end is not committed.</summary>
    public int Running => _running.Count;

    public void LaunchActivity(Guid instanceId, Guid waitId, Activity activity, Value input)
    {
        if (_running.TryAdd(waitId, true))
        {
            Run(token => InvokeAsync(instanceId, waitId, activity, input, token));
        }
    }

    public void LaunchReceiver(Guid signalId, SignalReceiver receiver, string key, Value payload)
    {
        if (!_running.TryAdd(signalId, true))
        {
            return;
        }

        if (receiver.ReceiveAsync is null)
        {
            lane.PostInternal(new ReceiverLaneCommand(signalId, () => Done(signalId)));
        }
        else
        {
            Run(token => CallReceiverAsync(signalId, receiver, key, payload, token));
        }
    }

    public void Run(Func<CancellationToken, Task> work)
    {
        var task = services.Runtime.Run(() => work(_stop.Token));
        _tasks.TryAdd(task, true);
        task.ContinueWith(t => _tasks.TryRemove(t, out _), services.Runtime.Scheduler);
    }

    public async ValueTask DisposeAsync()
    {
        await services.Runtime.CancelAsync(_stop);

        // Stopping cancels them; other failures were logged where they happened.
        await Task.WhenAll(_tasks.Keys)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        _stop.Dispose();
    }

    private async Task InvokeAsync(Guid instanceId, Guid waitId, Activity activity, Value input, CancellationToken token)
    {
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
        }

        lane.PostInternal(new ActivityLaneCommand(instanceId, waitId, result, failure, () => Done(waitId)));
    }

    private async Task CallReceiverAsync(Guid signalId, SignalReceiver receiver, string key, Value payload, CancellationToken token)
    {
        var consumption = new ReceiverLaneCommand(signalId, () => Done(signalId));
        var backoff = new Backoff(FirstPause, LongestPause, services.Time);
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                await receiver.ReceiveAsync!(key, payload, token);
                break;
            }
            catch (Exception e) when (!token.IsCancellationRequested && attempt >= receiver.MaxAttempts)
            {
                Log.ReceiverGaveUp(services.Logger, e, receiver.Name, attempt);
                var reason = $"The receiver of signal '{receiver.Name}' failed in each of {attempt} calls; the last time: {e.Message}";
                lane.PostInternal(new DeadLetterLaneCommand(consumption, services.NewId(), reason, attempt));
                return;
            }
            catch (Exception e) when (!token.IsCancellationRequested)
            {
                Log.ReceiverFailed(services.Logger, e, receiver.Name, backoff.Next.TotalMilliseconds);
                await backoff.PauseAsync(token);
            }
        }

        lane.PostInternal(consumption);
    }

    private void Done(Guid id) => _running.TryRemove(id, out _);
}
