using Workflow.WebService.Metrics;

namespace Workflow.WebService.Endpoints;

/// <summary>Maps routes, each with its summary in the API description and its own duration histogram.</summary>
internal sealed class RouteMap(IEndpointRouteBuilder routes, ServiceMetrics metrics)
{
    public RouteHandlerBuilder Get(string pattern, Delegate handler, string summary) =>
        Describe(routes.MapGet(pattern, handler), "get", pattern, summary).WithMetadata(metrics.AddRoute("GET", pattern));

    public RouteHandlerBuilder Post(string pattern, Delegate handler, string summary) =>
        Describe(routes.MapPost(pattern, handler), "post", pattern, summary).WithMetadata(metrics.AddRoute("POST", pattern));

    /// <summary>A stream lasts as long as its client wants; its duration would say nothing.</summary>
    public RouteHandlerBuilder Stream(string pattern, Delegate handler, string summary) =>
        Describe(routes.MapGet(pattern, handler), "get", pattern, summary);

    private static RouteHandlerBuilder Describe(RouteHandlerBuilder route, string verb, string pattern, string summary) =>
        route.WithName(NameOf(verb, pattern)).WithSummary(summary).WithTags(pattern.Split('/')[1]);

    /// <summary>The operation's id, of which generators of clients make a method, e.g. <c>postInstancesByIdCancel</c>.</summary>
    private static string NameOf(string verb, string pattern) => verb + string.Concat(pattern.Split('/', '-')
        .Where(part => part.Length > 0)
        .Select(part => part.StartsWith('{') ? $"By{Capital(part.Trim('{', '}'))}" : Capital(part)));

    private static string Capital(string word) => $"{char.ToUpperInvariant(word[0])}{word[1..]}";
}

internal static class RouteProblems
{
    /// <summary>The status codes of the errors that a route answers, for its description.</summary>
    public static void ProducesProblems(this RouteHandlerBuilder route, params ReadOnlySpan<int> statuses)
    {
        foreach (var status in statuses)
        {
            route.ProducesProblem(status);
        }
    }
}

/// <summary>Runs what takes processor time, for hostile input up to seconds: one at a time leaves the rest to the engine.</summary>
internal sealed class OneAtATime
{
    private readonly SemaphoreSlim _turn = new(1);

    public Task<T> RunAsync<T>(Func<T> work, CancellationToken cancellationToken) =>
        RunAsync(() => Task.FromResult(work()), cancellationToken);

    public async Task<T> RunAsync<T>(Func<Task<T>> work, CancellationToken cancellationToken)
    {
        await _turn.WaitAsync(cancellationToken);
        try
        {
            // Not on the thread that read the request.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            return await work();
        }
        finally
        {
            _turn.Release();
        }
    }
}
