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
        routes.Post("/instances", StartAsync, "Starts an instance; answers once the start is durable.")
            .Accepts<StartInstance>("application/json").Produces<InstanceStarted>(201).ProducesProblem(400).ProducesProblem(404)
            .ProducesProblem(422).ProducesProblem(429).ProducesProblem(503);
        routes.Get("/instances", ListAsync, "A page of instances.").Produces<InstanceList>().ProducesProblem(400);
        routes.Get("/instances/{id}", FindAsync, "An instance as committed.").Produces<InstanceView>().ProducesProblem(400)
            .ProducesProblem(404);
        routes.Get("/instances/{id}/history", HistoryAsync, "The history of an instance, oldest first.")
            .Produces<IReadOnlyList<HistoryEntry>>().ProducesProblem(400).ProducesProblem(404);
        routes.Post(
            "/instances/{id}/cancel", CancelAsync, "Cancels an instance with its tasks and sub-workflows; answers once that is durable.")
            .Produces<InstanceCancellation>().ProducesProblem(400).ProducesProblem(404).ProducesProblem(409).ProducesProblem(429)
            .ProducesProblem(503);
    }

    // The parameters of the query and the headers are declared for the description alone; the request is read once, by RequestValues.
    private async Task StartAsync(HttpContext context, [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey)
    {
        var command = await bodies.ReadAsync(context, CommandBodies.Start);
        if (idempotencyKey is not null)
        {
            command = command with { IdempotencyKey = RequestValues.IdempotencyKey(context.Request) };
        }

        // Not tied to the connection: a command that was taken cannot be taken back, and waiting for its commit holds nothing but memory.
        await JsonResponse.StartedAsync(context, await engine.StartAsync(command, CancellationToken.None));
    }

    private async Task ListAsync(
        HttpContext context, string? definition, string? state, string? correlationKey, string? after, string? limit)
    {
        var list = await engine.ListInstancesAsync(RequestValues.Query(context.Request.Query), context.RequestAborted);
        await JsonResponse.WriteAsync(context, StatusCodes.Status200OK, list);
    }

    private async Task FindAsync(HttpContext context, string id)
    {
        var instanceId = RequestValues.InstanceId(id);
        var view = await engine.FindInstanceAsync(instanceId, context.RequestAborted) ?? throw new InstanceNotFoundException(instanceId);
        await JsonResponse.WriteAsync(context, StatusCodes.Status200OK, view);
    }

    private async Task CancelAsync(HttpContext context, string id) =>
        await JsonResponse.WriteAsync(
            context, StatusCodes.Status200OK, await engine.CancelAsync(RequestValues.InstanceId(id), CancellationToken.None));

    private async Task HistoryAsync(HttpContext context, string id)
    {
        var instanceId = RequestValues.InstanceId(id);
        var history = await engine.FindHistoryAsync(instanceId, context.RequestAborted) ?? throw new InstanceNotFoundException(instanceId);
        await JsonResponse.WriteAsync(context, StatusCodes.Status200OK, history);
    }
}
