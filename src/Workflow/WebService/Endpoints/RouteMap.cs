using Workflow.WebService.Metrics;

namespace Workflow.WebService.Endpoints;

/// <summary>Maps routes, each with its summary in the API description and its own duration histogram.</summary>
internal sealed class RouteMap(IEndpointRouteBuilder routes, ServiceMetrics metrics)
{
    private static readonly string[] ClauseEnds = ["; ", ": ", ". "];

    /// <summary>Answers HEAD too: the server leaves out what the handler writes.</summary>
    public RouteHandlerBuilder Get(string pattern, Delegate handler, string summary)
    {
        var durations = metrics.AddRoute("GET", pattern);
        MapHead(pattern, handler).WithMetadata(durations);
        return Describe(routes.MapGet(pattern, handler), "get", pattern, summary).WithMetadata(durations);
    }

    public RouteHandlerBuilder Post(string pattern, Delegate handler, string summary) =>
        Describe(routes.MapPost(pattern, handler), "post", pattern, summary)
            .WithMetadata(metrics.AddRoute("POST", pattern));

    /// <summary>
    /// A stream lasts as long as its client wants; its duration would say nothing. Its HEAD ends with the headers.
    /// </summary>
    public RouteHandlerBuilder Stream(string pattern, Delegate handler, string summary)
    {
        MapHead(pattern, handler);
        return Describe(routes.MapGet(pattern, handler), "get", pattern, summary);
    }

    // The description of the API lists GET alone.
    private IEndpointConventionBuilder MapHead(string pattern, Delegate handler) =>
        routes.MapMethods(pattern, [HttpMethods.Head], handler).ExcludeFromDescription();

    /// <summary>The first clause is the headline of the route, and the whole text its description.</summary>
    private static RouteHandlerBuilder Describe(RouteHandlerBuilder route, string verb, string pattern, string text)
    {
        route.WithName(NameOf(verb, pattern)).WithTags(pattern.Split('/')[1]);
        var end = ClauseEnds.Select(mark => text.IndexOf(mark, StringComparison.Ordinal)).Where(at => at > 0)
            .DefaultIfEmpty(-1).Min();
        return end < 0
            ? route.WithSummary(text.TrimEnd('.'))
            : route.WithSummary(text[..end]).WithDescription(text);
    }

    /// <summary>
    /// The operation's id, of which generators of clients make a method, e.g. <c>postInstancesByIdCancel</c>.
    /// </summary>
    private static string NameOf(string verb, string pattern) => verb + string.Concat(pattern.Split('/', '-')
        .Where(part => part.Length > 0)
        .Select(part => part.StartsWith('{') ? $"By{Capital(part.Trim('{', '}'))}" : Capital(part)));

    private static string Capital(string word) => $"{char.ToUpperInvariant(word[0])}{word[1..]}";
}
