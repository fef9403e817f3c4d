using Microsoft.AspNetCore.Mvc;
using Workflow.Abstractions;
using Workflow.Contracts.DeadLetters;
using Workflow.WebService.Requests;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Endpoints;

internal sealed class DeadLetterEndpoints(IWorkflowEngine engine)
{
    public void Map(RouteMap routes)
    {
        routes.Get("/dead-letters", ListAsync,
            "A page of dead letters: open ones, or with state=replayed those that were replayed.")
            .Produces<DeadLetterList>().ProducesProblem(400);
        routes.Post("/dead-letters/{id}/replay", ReplayAsync,
            "Applies a dead letter; answers once that is durable. However often it is sent, it has one effect.")
            .Produces<DeadLetterReplayed>().ProducesProblems(400, 404, 409, 422, 429, 503);
    }

    // The parameters are declared for the description alone, as those of the instances are.
    private async Task ListAsync(
        HttpContext context, string? state, string? kind, string? instance, string? after, string? limit)
    {
        var list =
            await engine.ListDeadLettersAsync(RequestValues.DeadLetters(context.Request.Query), context.RequestAborted);
        await JsonResponse.OkAsync(context, list);
    }

    private async Task ReplayAsync(
        HttpContext context, string id, [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey)
    {
        // Not tied to the connection, for the reason given at the start of an instance.
        var replayed = await engine.ReplayDeadLetterAsync(
            RequestValues.DeadLetterId(id), RequestValues.IdempotencyKey(context.Request), CancellationToken.None);
        await JsonResponse.OkAsync(context, replayed);
    }
}
