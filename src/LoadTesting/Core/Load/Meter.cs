namespace LoadTesting.Core.Load;

/// <summary>
/// The three clocks of a scenario or step: schedule lag, service time, response time. One uncontended lock for each record.
/// </summary>
internal sealed class Meter(bool isOpen)
{
    private readonly StripeSet<MeterStripe> _stripes = new(() => new MeterStripe());
    private readonly Lock _gate = new();
    private readonly MeterStripe _whole = new();
    private MeterStripe _sinceTaken = new();
    private bool _isClosed;

    internal void Record(long start, long end, long lagTicks, IResponse response)
    {
        using var stripe = _stripes.Enter();
        stripe.Value.Record(start, end, lagTicks, isOpen, response);
    }

    /// <summary>Everything recorded since the last call, before or after <see cref="Close"/>, which gives it too.</summary>
    internal MeterStripe Take()
    {
        lock (_gate)
        {
            if (!_isClosed)
            {
                Gather();
            }

            var taken = _sinceTaken;
            _sinceTaken = new MeterStripe();
            return taken;
        }
    }

    /// <summary>Everything recorded until now; nothing is recorded any more.</summary>
    internal MeterStripe Close()
    {
        lock (_gate)
        {
            _stripes.ForEach(stripe => stripe.IsClosed = true);
            Gather();
            _isClosed = true;
            return _whole;
        }
    }

    private void Gather()
    {
        _stripes.ForEach(stripe => stripe.MoveTo(_sinceTaken));
        _whole.Merge(_sinceTaken);
    }
}

/// <summary>Everything one processor has recorded for a scenario or step; merged at the end. Not safe for concurrent writers.</summary>
internal sealed class MeterStripe
{
    /// <summary>The lag of an iteration that no schedule asked for, beside others that one did.</summary>
    internal const long NoSchedule = long.MinValue;

    internal MeterSide Ok { get; private set; } = new();
    internal MeterSide Fail { get; private set; } = new();
    internal LatencyHistogram ScheduleLag { get; private set; } = new();
    internal long EndBeforeStart { get; private set; }

    /// <summary>The latest end seen, in Stopwatch ticks; 0 before the first.</summary>
    internal long LastEnd { get; private set; }

    /// <summary>Once closed, a straggler's measurement no longer changes a result that has been read.</summary>
    internal bool IsClosed { get; set; }

    internal void Record(long start, long end, long lagTicks, bool isOpen, IResponse response)
    {
        if (IsClosed)
        {
            return;
        }

        if (end < start)
        {
            EndBeforeStart++;
        }

        if (isOpen && lagTicks != NoSchedule)
        {
            ScheduleLag.RecordStopwatchTicks(lagTicks);
        }

        (response.IsError ? Fail : Ok).Record(Math.Max(end - start, 0), lagTicks == NoSchedule ? 0 : lagTicks, isOpen, response);
        LastEnd = Math.Max(LastEnd, end);
    }

    /// <summary>Gives all of it to <paramref name="other"/> and begins anew.</summary>
    internal void MoveTo(MeterStripe other)
    {
        other.Merge(this);
        (Ok, Fail, ScheduleLag, EndBeforeStart, LastEnd) = (new MeterSide(), new MeterSide(), new LatencyHistogram(), 0, 0);
    }

    internal void Merge(MeterStripe other)
    {
        Ok.Merge(other.Ok);
        Fail.Merge(other.Fail);
        ScheduleLag.Merge(other.ScheduleLag);
        EndBeforeStart += other.EndBeforeStart;
        LastEnd = Math.Max(LastEnd, other.LastEnd);
    }
}

/// <summary>The successes, or the failures, of one meter. Not safe for concurrent writers.</summary>
internal sealed class MeterSide
{
    private const int MaximumStatusCodes = 100;

    private const int MaximumMessages = 100;

    private const string OtherStatusCodes = "other";

    private const string OtherMessages = "(other messages)";

    private readonly Dictionary<string, CodeCount> _codes = new(StringComparer.Ordinal);
    private readonly Dictionary<(string Code, string Message), long> _messages = [];
    private LatencyHistogram? _sizes;
    private long _sizeBytes;
    private long _sentBytes;
    private long _withoutCode;

    internal LatencyHistogram Service { get; } = new();

    /// <summary>Empty in a closed model.</summary>
    internal LatencyHistogram Response { get; } = new();

    internal long Count => Service.Count;

    internal void Record(long serviceTicks, long lagTicks, bool isOpen, IResponse response)
    {
        Service.RecordStopwatchTicks(serviceTicks);
        if (isOpen)
        {
            Response.RecordStopwatchTicks(serviceTicks + lagTicks);
        }

        _sentBytes += response.SentBytes;
        if (response.SizeBytes > 0)
        {
            _sizeBytes += response.SizeBytes;
            (_sizes ??= new LatencyHistogram()).RecordNanoseconds(response.SizeBytes);
        }

        if (response.IsError)
        {
            AddMessage(response.StatusCode, response.Message, 1);
        }

        if (response.StatusCode.Length == 0 && response.Message.Length == 0)
        {
            _withoutCode++;
        }
        else
        {
            Add(response.StatusCode, 1, response.Message);
        }
    }

    internal void Merge(MeterSide other)
    {
        Service.Merge(other.Service);
        Response.Merge(other.Response);
        _sentBytes += other._sentBytes;
        if (other._sizes is { } sizes)
        {
            _sizeBytes += other._sizeBytes;
            (_sizes ??= new LatencyHistogram()).Merge(sizes);
        }

        _withoutCode += other._withoutCode;
        foreach (var (code, count) in other._codes)
        {
            Add(code, count.Count, count.Message);
        }

        foreach (var (error, count) in other._messages)
        {
            AddMessage(error.Code, error.Message, count);
        }
    }

    /// <summary>Failures by code and message, the most frequent first.</summary>
    internal IReadOnlyList<ErrorResult> Errors() =>
    [
        .. _messages.Select(error => new ErrorResult(error.Key.Code, error.Key.Message, error.Value))
            .OrderByDescending(error => error.Count).ThenBy(error => error.Code, StringComparer.Ordinal)
            .ThenBy(error => error.Message, StringComparer.Ordinal),
    ];

    internal MeasurementStats ToResult(LoadModel model, long all, TimeSpan duration) => new()
    {
        Model = model,
        Count = Count,
        Percent = all == 0 ? 0 : 100.0 * Count / all,
        RatePerSecond = duration > TimeSpan.Zero ? Count / duration.TotalSeconds : 0,
        SizeBytes = _sizeBytes,
        SentBytes = _sentBytes,
        Sizes = _sizes is null ? SizeDistribution.Empty : new SizeDistribution(_sizes),
        Service = Service,
        Response = Response.Count > 0 ? Response : Service,
        StatusCodes = StatusCodes(),
    };

    private StatusCodeCount[] StatusCodes()
    {
        if (_withoutCode > 0)
        {
            Add("", _withoutCode, "");
            _withoutCode = 0;
        }

        return [.. _codes.Select(code => new StatusCodeCount(code.Key, code.Value.Count, code.Value.Message))
            .OrderByDescending(code => code.Count).ThenBy(code => code.StatusCode, StringComparer.Ordinal)];
    }

    private void Add(string code, long count, string message)
    {
        var key = _codes.Count < MaximumStatusCodes || _codes.ContainsKey(code) ? code : OtherStatusCodes;
        ref var entry = ref CollectionsMarshal.GetValueRefOrAddDefault(_codes, key, out _);
        entry = new CodeCount(entry.Count + count, string.IsNullOrEmpty(entry.Message) ? message : entry.Message);
    }

    private void AddMessage(string code, string message, long count)
    {
        var key = (code, message);
        if (_messages.Count >= MaximumMessages && !_messages.ContainsKey(key))
        {
            // Ids in messages would fill the memory; a code past the last is among the others too.
            key = _codes.Count < MaximumStatusCodes || _codes.ContainsKey(code) ? (code, OtherMessages) : (OtherStatusCodes, OtherMessages);
        }

        CollectionsMarshal.GetValueRefOrAddDefault(_messages, key, out _) += count;
    }

    private readonly record struct CodeCount(long Count, string Message);
}

/// <summary>The meters of a scenario's steps by name. Bounded: a step name with an id in it would fill the memory.</summary>
internal sealed class StepMeters(string scenarioName, bool isOpen)
{
    internal const int MaximumSteps = 200;

    private readonly ConcurrentDictionary<string, Meter> _meters = new(StringComparer.Ordinal);
    private readonly List<string> _order = [];
    private readonly Lock _gate = new();

    /// <summary>Whether what is recorded is taken by the interval too.</summary>
    internal bool KeepsIntervals { get; set; }

    /// <summary>What was recorded since the last call, by step, in order; empty where intervals are not kept.</summary>
    internal IReadOnlyList<(string Name, MeterStripe Meter)> Take() =>
        KeepsIntervals ? [.. InOrder().Select(step => (step.Name, step.Meter.Take()))] : [];

    /// <exception cref="InvalidOperationException">One step name too many.</exception>
    internal Meter Of(string name) => _meters.TryGetValue(name, out var meter) ? meter : Add(name);

    internal IReadOnlyList<(string Name, Meter Meter)> InOrder()
    {
        lock (_gate)
        {
            return [.. _order.Select(name => (name, _meters[name]))];
        }
    }

    private Meter Add(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        lock (_gate)
        {
            if (_meters.TryGetValue(name, out var existing))
            {
                return existing;
            }

            if (_order.Count >= MaximumSteps)
            {
                throw new InvalidOperationException(
                    $"Step '{name}' would be number {_order.Count + 1} of scenario '{scenarioName}'; at most {MaximumSteps} are kept. Take "
                    + "ids out of step names.");
            }

            _order.Add(name);
            return _meters[name] = new Meter(isOpen);
        }
    }
}
