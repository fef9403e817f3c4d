namespace LoadTesting.Core.Load;

/// <summary>What one iteration gets to see. Valid until the iteration's task has ended; not for use by several threads at once, except
/// <see cref="RecordStep(string, long, long, IResponse)"/>.</summary>
public interface IScenarioContext
{
    ScenarioInfo ScenarioInfo { get; }

    /// <summary>How often this copy has run, from 1.</summary>
    long InvocationNumber { get; }

    /// <summary>
    /// The iteration, from 0, unique within scenario and operation: in the order in which they start, or were due to; in closed loads that
    /// a deadline ends each copy takes 64 numbers at a time.
    /// </summary>
    long IterationNumber { get; }

    /// <summary>
    /// When the iteration was to start, as a <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> value; in a closed model the same as
    /// <see cref="StartTimestamp"/>.
    /// </summary>
    long IntendedTimestamp { get; }

    /// <summary>When it did start, on the same clock.</summary>
    long StartTimestamp { get; }

    /// <summary>Whether a failed step ends the iteration; see <see cref="ScenarioProps.RestartIterationOnFail"/>.</summary>
    bool RestartIterationOnFail { get; }

    /// <summary>Cancelled when the run is cut: by the caller, or because the completion timeout has passed.</summary>
    CancellationToken ScenarioCancellationToken { get; }

    /// <summary>Seeded by the run's seed and the copy's number, so that a run can be repeated.</summary>
    Random Random { get; }

    /// <summary>Values of this iteration; empty at its start.</summary>
    Dictionary<string, object> Data { get; }

    /// <summary>Values of this copy; kept between its iterations.</summary>
    Dictionary<string, object> ScenarioInstanceData { get; }

    /// <summary>
    /// Adds one measurement to a step, for phases that overlap or whose ends were stamped elsewhere. Does not end the iteration when it is
    /// a failure. An end before its start counts as a duration of zero and is reported as such.
    /// </summary>
    /// <param name="name">The step; not empty.</param>
    /// <param name="startTimestamp">Start, a <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> value.</param>
    /// <param name="endTimestamp">End, on the same clock.</param>
    /// <param name="response">Success or failure, status code and size; its own end timestamp is not looked at.</param>
    void RecordStep(string name, long startTimestamp, long endTimestamp, IResponse response);

    /// <inheritdoc cref="RecordStep(string, long, long, IResponse)"/>
    void RecordStep(string name, long startTimestamp, long endTimestamp, bool isOk) =>
        RecordStep(name, startTimestamp, endTimestamp, isOk ? Response.Ok() : Response.Fail());

    /// <summary>
    /// This copy of a closed load begins nothing before then: the time in which a user thinks. It is no part of the iteration, and nothing
    /// is in flight meanwhile. An open load begins by its schedule, and a copy that is cut goes on at once.
    /// </summary>
    /// <param name="timestamp">A <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> value.</param>
    void RestUntil(long timestamp);

    /// <summary>Starts nothing more in one scenario, be it another one; what runs may end, and other scenarios go on.</summary>
    /// <param name="scenarioName">Which.</param>
    /// <param name="reason">Why; it is in the scenario's result.</param>
    /// <exception cref="ArgumentException">There is no such scenario.</exception>
    void StopScenario(string scenarioName, string reason);

    /// <summary>Starts nothing more in any scenario; what runs may end. The result carries the reason.</summary>
    /// <param name="reason">Why.</param>
    void StopCurrentTest(string reason);
}

/// <summary>
/// One copy of a scenario: its context, and the work item that runs its body on the thread pool. In an open model it runs one iteration
/// and is reused; in a closed one it goes on for as long as there is work.
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

    /// <summary>Iterations that a deadline ends, of all that this copy has started.</summary>
    internal long StartedUntilDeadline => Volatile.Read(ref _startedUntilDeadline);

    /// <summary>Whether an iteration has started and not ended.</summary>
    internal bool IsRunning => _isRunning;

    /// <summary>Who else hears of the steps; null in the built-in engine.</summary>
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
    /// Queues one iteration that was to start at <paramref name="intended"/>, in a simulation that ends at <paramref name="windowEnd"/>.
    /// </summary>
    internal void QueueOpen(long intended, long windowEnd)
    {
        _work = null;
        (IntendedTimestamp, _windowEnd, _isTaken, IterationNumber) = (intended, windowEnd, false, run.TakeNumbers(1));
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Queues iterations one after the other for as long as there is <paramref name="work"/>.</summary>
    internal void QueueClosed(ClosedWork work)
    {
        _work = work;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Runs one iteration here and now, for an external engine; null where the run has been cut.</summary>
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
            await Task.Delay(Stopwatch.GetElapsedTime(now, _restUntil), run.BodyToken)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
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
                    // To the end of the global queue: a plain yield stays at the front of this thread's own queue and starves the other
                    // copies.
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

    private static InvalidOperationException NoResponse() => new("The iteration returned null; return Response.Ok() or Response.Fail().");

    private static IResponse ResponseTo(Exception exception) =>
        exception is StepFailedException failed ? failed.Response : FailureCodes.ResponseTo<object>(exception);

    private bool TryTake()
    {
        var now = Stopwatch.GetTimestamp();
        var number = IterationNumber;
        var isThere = _work is null ? !_isTaken : !run.IsStopped && _work.TryClaim(now, out number);
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

        _lag = _work is null ? now - IntendedTimestamp : MeterStripe.NoSchedule;
        Begin();
        return true;
    }

    private void Begin()
    {
        _isRunning = true;
        Volatile.Write(ref _invocations, _invocations + 1);
    }

    /// <summary>A number of an iteration that a deadline ends: the copy has some to itself, so that no two write to one counter.</summary>
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
