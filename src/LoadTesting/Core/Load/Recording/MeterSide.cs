namespace LoadTesting.Core.Load.Recording;

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

        _sentBytes = ByteSum.Add(_sentBytes, response.SentBytes);
        if (response.SizeBytes > 0)
        {
            _sizeBytes = ByteSum.Add(_sizeBytes, response.SizeBytes);
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
        _sentBytes = ByteSum.Add(_sentBytes, other._sentBytes);
        if (other._sizes is { } sizes)
        {
            _sizeBytes = ByteSum.Add(_sizeBytes, other._sizeBytes);
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
            key = _codes.Count < MaximumStatusCodes || _codes.ContainsKey(code)
                ? (code, OtherMessages)
                : (OtherStatusCodes, OtherMessages);
        }

        CollectionsMarshal.GetValueRefOrAddDefault(_messages, key, out _) += count;
    }

    private readonly record struct CodeCount(long Count, string Message);
}
