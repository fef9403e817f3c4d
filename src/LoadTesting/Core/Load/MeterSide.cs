using System.Runtime.InteropServices;

namespace LoadTesting.Core.Load;

/// <summary>The successes, or the failures, of one meter. Not safe for concurrent writers.</summary>
internal sealed class MeterSide
{
    private const int MaximumStatusCodes = 100;

    private const string OtherStatusCodes = "other";

    private readonly LatencyHistogram _service = new();
    private readonly LatencyHistogram _response = new();
    private readonly Dictionary<string, CodeCount> _codes = new(StringComparer.Ordinal);
    private long _sizeBytes;
    private long _withoutCode;

    internal long Count => _service.Count;

    internal void Record(long serviceTicks, long lagTicks, bool isOpen, IResponse response)
    {
        _service.RecordStopwatchTicks(serviceTicks);
        if (isOpen)
        {
            _response.RecordStopwatchTicks(serviceTicks + lagTicks);
        }

        _sizeBytes += response.SizeBytes;
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
        _service.Merge(other._service);
        _response.Merge(other._response);
        _sizeBytes += other._sizeBytes;
        _withoutCode += other._withoutCode;
        foreach (var (code, count) in other._codes)
        {
            Add(code, count.Count, count.Message);
        }
    }

    internal MeasurementStats ToResult(LoadModel model, long all, TimeSpan duration) => new()
    {
        Model = model,
        Count = Count,
        Percent = all == 0 ? 0 : 100.0 * Count / all,
        RatePerSecond = duration > TimeSpan.Zero ? Count / duration.TotalSeconds : 0,
        SizeBytes = _sizeBytes,
        Service = _service,
        Response = _response.Count > 0 ? _response : _service,
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

    private readonly record struct CodeCount(long Count, string Message);
}
