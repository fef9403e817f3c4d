using PerformanceTesting.Backends;

namespace PerformanceTesting.Subjects;

/// <summary>
/// What HTTP does when the workflow costs nothing: requests that the service's host answers without asking its engine.
/// </summary>
public static class HttpCeiling
{
    /// <summary>As many clients as the commit ceiling has.</summary>
    public const int Clients = 16;

    internal const string Route = "health/live";

    /// <summary>How long requests are counted.</summary>
    public static readonly TimeSpan Span = TimeSpan.FromMilliseconds(600);

    /// <summary>How the figure came about, for a result.</summary>
    public static string Method { get; } =
        $"emptyHttpPerSecond: GET /{Route} of a web service on memory that does nothing else, by {Clients} clients, "
        + $"each one request after the other, {Span.TotalMilliseconds:0} ms after a tenth of that to warm up; the "
        + "clients share the machine's processors.";

    /// <summary>How many such requests a second the service at this address answers.</summary>
    /// <exception cref="HttpRequestException">A request was not answered, or not with success.</exception>
    public static async Task<double> MeasureAsync(Uri baseAddress, CancellationToken cancellationToken)
    {
        using var http = new HttpClient { BaseAddress = baseAddress };
        return await CeilingLoop.PerSecondAsync([.. Enumerable.Repeat(AskAsync, Clients)], Span, cancellationToken);

        async Task AskAsync()
        {
            using var answer = await http.GetAsync(Route, cancellationToken);
            answer.EnsureSuccessStatusCode();
        }
    }
}
