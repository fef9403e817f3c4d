using Microsoft.AspNetCore.Mvc;
using Workflow.Contracts.Bulk;
using Workflow.WebService.Requests;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Endpoints;

/// <summary>One action on many instances or dead letters, with a report for each.</summary>
internal sealed class BulkEndpoints(BulkActions actions, RequestBody bodies)
{
    public void Map(RouteMap routes)
    {
        Post(routes, "/instances/retry", RetryAsync,
            "Lets failed instances go on where they stopped; reports the outcome of each.");
        Post(routes, "/instances/cancel", CancelAsync,
            "Cancels instances with their tasks and sub-workflows; reports the outcome of each.");
        Post(routes, "/dead-letters/replay", ReplayAsync, "Applies dead letters; reports the outcome of each.");
    }

    private static void Post(RouteMap routes, string pattern, Delegate handler, string summary) =>
        routes.Post(pattern, handler, summary).Accepts<BulkRequest>("application/json").Produces<BulkReport>()
            .ProducesProblems(400, 429);

    // The header is declared for the description alone; the request is read once, by RequestValues.
    private Task RetryAsync(
        HttpContext context, [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey) =>
        RunAsync(context, actions.RetryAsync);

    private Task CancelAsync(
        HttpContext context, [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey) =>
        RunAsync(context, actions.CancelAsync);

    private Task ReplayAsync(
        HttpContext context, [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey) =>
        RunAsync(context, actions.ReplayAsync);

    private async Task RunAsync(HttpContext context, Func<IReadOnlyList<Guid>, string?, Task<BulkReport>> run)
    {
        var key = RequestValues.IdempotencyKey(context.Request);
        var ids = await bodies.ReadAsync(context, CommandBodies.Ids);
        await JsonResponse.OkAsync(context, await run(ids, key));
    }
}
