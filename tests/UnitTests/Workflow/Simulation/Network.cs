namespace UnitTests.Workflow.Simulation;

/// <summary>The way between nodes and the server of their store, on which the seed loses, delays and doubles.</summary>
internal sealed class Network(SimulationLoop loop, SimulatedProcess server)
{
    public FaultRates Rates { get; set; } = new();

    /// <summary>No call reaches the server.</summary>
    public bool IsAway { get; set; }

    /// <summary>Calls the server. The effect takes place there even if the caller is gone.</summary>
    public Task<T> CallAsync<T>(
        string what, Func<Task<T>> effect, CancellationToken cancellationToken, bool isFlush = false)
    {
        loop.Record(what);
        var answer = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        var registration = cancellationToken.UnsafeRegister(_ => answer.TrySetCanceled(cancellationToken), null);
        var fault = IsAway ? Fault.LostCall : NextFault(isFlush);
        if (fault != Fault.None)
        {
            loop.Note(() => $"'{what}': {fault}");
        }

        switch (fault)
        {
            case Fault.LostCall:
                server.Post(() => answer.TrySetException(Lost(what)), Latency());
                break;
            case Fault.Stale:
                var failure = loop.Chance(50) ? FlushFailure.Conflict : FlushFailure.Stale;
                server.Post(
                    () => answer.TrySetException(new FlushException(failure, "So the seed decided.")), Latency());
                break;
            case Fault.LateEffect:
                server.Post(() => answer.TrySetException(Lost(what)), Latency());
                server.Post(() => Serve(what, effect, null), loop.Between(TimeSpan.Zero, TimeSpan.FromSeconds(1)));
                break;
            default:
                Action<Task<T>> answering =
                    fault == Fault.LostAnswer ? Lose : fault == Fault.Doubled ? GiveAndRepeat : Give;
                server.Post(() => Serve(what, effect, answering), Latency());
                break;
        }

        return answer.Task;

        void GiveAndRepeat(Task<T> outcome)
        {
            Give(outcome);
            server.Post(() => Serve(what, effect, null), loop.Between(TimeSpan.Zero, TimeSpan.FromSeconds(1)));
        }

        void Lose(Task<T> outcome) => server.Post(() => answer.TrySetException(Lost(what)), Latency());
        void Give(Task<T> outcome) => server.Post(
            () =>
            {
                registration.Dispose();
                answer.TrySetFromTask(outcome);
            },
            Latency());
    }

    /// <summary>What goes wrong with a request from node to node.</summary>
    public PeerFault NextPeerFault() =>
        loop.Random.Next(1_000) / Math.Max(1, Rates.PeerFaults) is var drawn && Rates.PeerFaults > 0 && drawn < 5
            ? PeerFault.Refused + drawn
            : PeerFault.None;

    public bool LosesNotification() => loop.Random.Next(1_000) < Rates.LostNotifications;

    public TimeSpan Latency() =>
        loop.Random.Next(1_000) < Rates.SlowCalls ? loop.Between(TimeSpan.Zero, TimeSpan.FromSeconds(3))
        : loop.Chance(70) ? TimeSpan.Zero
        : loop.Between(TimeSpan.Zero, TimeSpan.FromMilliseconds(3));

    private void Serve<T>(string what, Func<Task<T>> effect, Action<Task<T>>? answer)
    {
        var outcome = effect();
        if (!outcome.IsCompleted)
        {
            throw new InvalidOperationException($"The effect of '{what}' is not one instant.");
        }

        loop.Record(what);
        loop.Record((ulong)outcome.Status);
        answer?.Invoke(outcome);
        _ = outcome.Exception;
    }

    private Fault NextFault(bool isFlush)
    {
        var drawn = loop.Random.Next(1_000);
        return (drawn -= Rates.LostCalls) < 0 ? Fault.LostCall
            : (drawn -= Rates.LostAnswers) < 0 ? Fault.LostAnswer
            : (drawn -= Rates.LateEffects) < 0 ? Fault.LateEffect
            : !isFlush ? Fault.None
            : (drawn -= Rates.DoubledFlushes) < 0 ? Fault.Doubled
            : drawn - Rates.StaleFlushes < 0 ? Fault.Stale
            : Fault.None;
    }

    private static IOException Lost(string what) => new($"The connection broke during '{what}'.");

    private enum Fault
    {
        None,
        LostCall,
        LostAnswer,
        LateEffect,
        Doubled,
        Stale,
    }
}
