namespace LoadTesting.Core.Load;

/// <summary>
/// One copy of a scenario: its context, and the work item that runs its body on the thread pool. In the open model it
/// runs one iteration and is reused; in the closed model it runs iterations until no work is left.
/// </summary>
internal sealed class ScenarioInstance(ScenarioRun run, int number) : IScenarioContext, IThreadPoolWorkItem
{
    private static readonly long s_longestHold = StopwatchTime.FromTimeSpan(TimeSpan.FromMilliseconds(1));

    private const int NumbersAtATime = 64;

    private readonly Lazy<Random> _random = new(() => new Random(unchecked((run.Seed * 397) ^ number)));
    private Dictionary<string, object>? _data;
    private Dictionary<string, object>? _instanceData;
    private ClosedWork? _work;
    private long _windowEnd;
    private long _lag;
    private long _invocations;
    private long _startedUntilDeadline;
    private long _restUntil;
    private long _nextNumber;
    private int _numbersLeft;
    private bool _isTaken;
    private volatile bool _isRunning;

    public ScenarioInfo ScenarioInfo { get; } = new(run.Name, number, run.Operation);
    public long InvocationNumber => Volatile.Read(ref _invocations);
    public long IterationNumber { get; private set; }
    public long IntendedTimestamp { get; private set; }
    public long StartTimestamp { get; private set; }
    public bool RestartIterationOnFail => run.Props.RestartIterationOnFail;
    public CancellationToken ScenarioCancellationToken => run.BodyToken;
    public Random Random => _random.Value;
    public Dictionary<string, object> Data => _data ??= [];
    public Dictionary<string, object> ScenarioInstanceData => _instanceData ??= [];

    /// <summary>Iterations that this copy has started in loads that end at a deadline.</summary>
    internal long StartedUntilDeadline => Volatile.Read(ref _startedUntilDeadline);

    /// <summary>Whether an iteration has started and not ended.</summary>
    internal bool IsRunning => _isRunning;

    /// <summary>The external engine that runs the steps; null in the built-in engine.</summary>
    internal IStepHost? Host { get; private set; }

    public void RecordStep(string name, long startTimestamp, long endTimestamp, IResponse response)
    {
        ArgumentNullException.ThrowIfNull(response);
        run.Steps.Of(name).Record(startTimestamp, endTimestamp, _lag, response);
    }

    public void RestUntil(long timestamp) => _restUntil = timestamp;

    public void StopScenario(string scenarioName, string reason) => run.Control.StopScenario(scenarioName, reason);

    public void StopCurrentTest(string reason) => run.Control.Stop($"scenario '{run.Name}': {reason}");

    /// <summary>
    /// Queues one iteration with the intended start <paramref name="intended"/>, in a simulation that ends at
    /// <paramref name="windowEnd"/>.
    /// </summary>
    internal void QueueOpen(long intended, long windowEnd)
    {
        _work = null;
        (IntendedTimestamp, _windowEnd, _isTaken, IterationNumber) = (intended, windowEnd, false, run.TakeNumbers(1));
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Queues consecutive iterations until no <paramref name="work"/> is left.</summary>
    internal void QueueClosed(ClosedWork work)
    {
        _work = work;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Runs one iteration on the calling thread, for an external engine; null if the run was cut.</summary>
    internal async Task<IResponse?> RunOnceAsync(IStepHost? host)
    {
        var now = Stopwatch.GetTimestamp();
        if (!run.MayBegin)
        {
            return null;
        }

        (StartTimestamp, IntendedTimestamp, IterationNumber, Host) = (now, now, run.TakeNumbers(1), host);
        Begin();
        IResponse response;
        try
        {
            response = await run.Props.Run(this).ConfigureAwait(false) ?? throw NoResponse();
        }
        catch (Exception exception)
        {
            response = ResponseTo(exception);
        }

        run.Record(StartTimestamp, Stopwatch.GetTimestamp(), 0, response);
        _isRunning = false;
        _data?.Clear();
        await RestAsync(Stopwatch.GetTimestamp()).ConfigureAwait(false);
        return response;
    }

    private async ValueTask RestAsync(long now)
    {
        if (_restUntil > now)
        {
            run.InFlight.Rest();
            await Task.WhenAny(Task.Delay(Stopwatch.GetElapsedTime(now, _restUntil), run.BodyToken), run.Stopped)
                .ConfigureAwait(false);
            run.InFlight.EndRest();
        }
    }

    void IThreadPoolWorkItem.Execute() => _ = RunIterationsAsync();

    private async Task RunIterationsAsync()
    {
        try
        {
            var since = Stopwatch.GetTimestamp();
            while (TryTake())
            {
                var (end, isSynchronous) = (0L, false);
                IResponse response;
                try
                {
                    var body = run.Props.Run(this);
                    isSynchronous = body.IsCompleted;
                    response = await body.ConfigureAwait(false) ?? throw NoResponse();
                }
                catch (Exception exception)
                {
                    response = ResponseTo(exception);
                }

                end = Stopwatch.GetTimestamp();
                run.Record(StartTimestamp, end, _lag, response);
                _isRunning = false;
                _data?.Clear();
                if (_restUntil > end && _work is not null)
                {
                    await RestAsync(end).ConfigureAwait(false);
                    (isSynchronous, end) = (false, Stopwatch.GetTimestamp());
                }

                if (!isSynchronous)
                {
                    since = end;
                }
                else if (_work is not null && end - since > s_longestHold)
                {
                    // Queue globally: a plain yield stays at the front of this thread's local queue and starves the
                    // other copies.
                    ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
                    return;
                }
            }
        }
        catch (Exception exception)
        {
            run.Fault(exception);
        }

        run.Return(this);
    }

    private static InvalidOperationException NoResponse() =>
        new("The iteration returned null; return Response.Ok() or Response.Fail().");

    private static IResponse ResponseTo(Exception exception) =>
        exception is StepFailedException failed ? failed.Response : FailureCodes.ResponseTo<object>(exception);

    private bool TryTake()
    {
        var now = Stopwatch.GetTimestamp();
        var number = IterationNumber;
        var isThere = _work is null ? !_isTaken : !run.IsStopped && _work.TryClaim(now, out number);
        if (_work is null && isThere && run.IsStopped)
        {
            run.CountLeftByStop();
            isThere = false;
        }

        _isTaken = true;
        if (!isThere || !run.MayBegin)
        {
            return false;
        }

        StartTimestamp = now;
        if (_work is null)
        {
            if (now > _windowEnd)
            {
                run.CountLateStart();
            }
        }
        else
        {
            IntendedTimestamp = now;
            IterationNumber = number >= 0 ? number : NextNumber();
        }

        _lag = _work is null ? now - IntendedTimestamp : Meter.NoSchedule;
        Begin();
        return true;
    }

    private void Begin()
    {
        _isRunning = true;
        Volatile.Write(ref _invocations, _invocations + 1);
    }

    /// <summary>
    /// The number of the next iteration. Each copy reserves a block, so that copies do not share a counter.
    /// </summary>
    private long NextNumber()
    {
        if (_numbersLeft == 0)
        {
            (_nextNumber, _numbersLeft) = (run.TakeNumbers(NumbersAtATime), NumbersAtATime);
        }

        _numbersLeft--;
        Volatile.Write(ref _startedUntilDeadline, _startedUntilDeadline + 1);
        return _nextNumber++;
    }
}
