using Microsoft.AspNetCore.Mvc;
using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Instances;
using Workflow.WebService.Requests;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Endpoints;

internal sealed class InstanceEndpoints(IWorkflowEngine engine, RequestBody bodies)
{
    public void Map(RouteMap routes)
    {
        routes.Post("/instances", StartAsync,
            "Starts an instance; answers once the start is durable. A start repeated with its "
                + "Idempotency-Key is answered "
                + "with the instance of the first and the state that it has now.")
            .Accepts<StartInstance>("application/json").Produces<InstanceStarted>(201)
            .ProducesProblems(400, 404, 422, 429, 503);
        routes.Get("/instances", ListAsync,
            "A page of instances, in order of id, which is the order of their starts. A page by prefix looks at 10,000 "
                + "instances at most: it may have fewer than limit, or none, and a next.")
            .Produces<InstanceList>().ProducesProblem(400);
        routes.Get("/instances/{id}", FindAsync, "An instance as committed.").Produces<InstanceView>()
            .ProducesProblems(400, 404);
        routes.Get("/instances/{id}/history", HistoryAsync,
            "The history of an instance, oldest first: all, or a page of it, whose header Link leads to the next.")
            .Produces<IReadOnlyList<HistoryEntry>>().ProducesProblems(400, 404);
        routes.Post(
            "/instances/{id}/cancel", CancelAsync,
            "Cancels an instance with its tasks and sub-workflows; answers once that is durable.")
            .Produces<InstanceCancellation>().ProducesProblems(400, 404, 409, 422, 429, 503);
        routes.Post("/instances/{id}/suspend", SuspendAsync,
            "Suspends an instance: what comes for it is kept, and it goes on once it is resumed. Answers once that is "
                + "durable.")
            .Produces<InstanceChange>().ProducesProblems(400, 404, 409, 422, 429, 503);
        routes.Post("/instances/{id}/resume", ResumeAsync,
            "Lets a suspended instance go on with what came meanwhile; answers once that is durable.")
            .Produces<InstanceChange>().ProducesProblems(400, 404, 409, 422, 429, 503);
        routes.Post("/instances/{id}/retry", RetryAsync,
            "Lets a failed instance go on where it stopped or at another step, perhaps with other variables; answers "
                + "once that is durable.")
            .Accepts<RetryInstance>(isOptional: true, "application/json").Produces<InstanceChange>()
            .ProducesProblems(400, 404, 409, 422, 429, 503);
    }

    // The parameters of the query and the headers are declared for the description alone; the request is read once, by
    // RequestValues.
    private async Task StartAsync(
        HttpContext context, [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey)
    {
        var key = RequestValues.IdempotencyKey(context.Request);
        var command = await bodies.ReadAsync(context, CommandBodies.Start) with { IdempotencyKey = key };

        // Not tied to the connection: a command that was taken cannot be taken back, and waiting for its commit holds
        // nothing but memory.
        await JsonResponse.StartedAsync(context, await engine.StartAsync(command, CancellationToken.None));
    }

    private async Task ListAsync(
        HttpContext context, string? definition, string? definitionPrefix, string? state, string? correlationKey,
        string? correlationKeyPrefix, string? idPrefix, string? startedFrom, string? startedTo, string? after,
        string? limit)
    {
        var list = await engine.ListInstancesAsync(RequestValues.Query(context.Request.Query), context.RequestAborted);
        await JsonResponse.OkAsync(context, list);
    }

    private async Task FindAsync(HttpContext context, string id)
    {
        var instanceId = RequestValues.InstanceId(id);
        var view = await engine.FindInstanceAsync(instanceId, context.RequestAborted)
            ?? throw new InstanceNotFoundException(instanceId);
        await JsonResponse.OkAsync(context, view);
    }

    // None of them is tied to the connection, for the reason given at the start.
    private async Task CancelAsync(
        HttpContext context, string id,
        [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey) =>
        await JsonResponse.OkAsync(context, await engine.CancelAsync(
            RequestValues.InstanceId(id), RequestValues.IdempotencyKey(context.Request), CancellationToken.None));

    private async Task SuspendAsync(
        HttpContext context, string id,
        [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey) =>
        await JsonResponse.OkAsync(context, await engine.SuspendAsync(
            RequestValues.InstanceId(id), RequestValues.IdempotencyKey(context.Request), CancellationToken.None));

    private async Task ResumeAsync(
        HttpContext context, string id,
        [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey) =>
        await JsonResponse.OkAsync(context, await engine.ResumeAsync(
            RequestValues.InstanceId(id), RequestValues.IdempotencyKey(context.Request), CancellationToken.None));

    private async Task RetryAsync(
        HttpContext context, string id, [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey)
    {
        var (instance, key) = (RequestValues.InstanceId(id), RequestValues.IdempotencyKey(context.Request));
        var command = RequestBody.IsThere(context.Request)
            ? await bodies.ReadAsync(context, CommandBodies.Retry) with { InstanceId = instance, IdempotencyKey = key }
            : new RetryCommand { InstanceId = instance, IdempotencyKey = key };
        await JsonResponse.OkAsync(context, await engine.RetryAsync(command, CancellationToken.None));
    }

    private async Task HistoryAsync(HttpContext context, string id, string? after, string? limit)
    {
        var instanceId = RequestValues.InstanceId(id);
        var page = RequestValues.History(context.Request.Query);
        var history = await engine.FindHistoryAsync(instanceId, context.RequestAborted)
            ?? throw new InstanceNotFoundException(instanceId);
        if (history.Count - page.After > page.Limit)
        {
            var next = FormattableString.Invariant(
                $"/instances/{instanceId}/history?after={page.After + page.Limit}&limit={page.Limit}");
            context.Response.Headers.Link = $"<{next}>; rel=\"next\"";
        }

        await JsonResponse.OkAsync(context, page.IsAll ? history : [.. history.Skip(page.After).Take(page.Limit)]);
    }
}
