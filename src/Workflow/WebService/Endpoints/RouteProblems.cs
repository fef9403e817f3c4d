namespace Workflow.WebService.Endpoints;

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
