namespace LoadTesting.Core.Load.Live;

/// <summary>Counts of a scenario's iterations.</summary>
/// <param name="Intended">Iterations that the schedule requested; null without a known schedule.</param>
/// <param name="Errors">Failures by status code.</param>
internal sealed record LoadCounts(
    long? Intended, long Started, long Completed, long Failed, long Refused, long Dropped,
    IReadOnlyDictionary<string, long> Errors)
{
    /// <summary>
    /// Codes beyond this number count as <see cref="OtherError"/>: a code that contains an id would fill the memory.
    /// </summary>
    internal const int MostErrors = 100;

    /// <summary>OpenTelemetry's name for an error outside the known ones.</summary>
    internal const string OtherError = "_OTHER";

    internal static LoadCounts None { get; } = new(null, 0, 0, 0, 0, 0, new Dictionary<string, long>());

    internal LoadCounts Plus(LoadCounts other) => new(
        Intended is null && other.Intended is null ? null : (Intended ?? 0) + (other.Intended ?? 0),
        Started + other.Started, Completed + other.Completed, Failed + other.Failed, Refused + other.Refused,
        Dropped + other.Dropped,
        other.Errors.Count == 0 ? Errors : Sum(Errors.Concat(other.Errors)));

    internal static Dictionary<string, long> ByCode(IReadOnlyList<ErrorResult> errors) =>
        Sum(errors.Select(error => KeyValuePair.Create(error.Code, error.Count)));

    /// <summary>Failures by code; those without a code count as <see cref="OtherError"/>.</summary>
    internal static Dictionary<string, long> Sum(IEnumerable<KeyValuePair<string, long>> errors)
    {
        var sum = new Dictionary<string, long>(StringComparer.Ordinal);
        foreach (var (code, count) in errors)
        {
            var key = code.Length > 0 && (sum.Count < MostErrors || sum.ContainsKey(code)) ? code : OtherError;
            sum[key] = sum.GetValueOrDefault(key) + count;
        }

        return sum;
    }
}
