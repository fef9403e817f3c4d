using Microsoft.AspNetCore.Mvc;
using Workflow.Abstractions;
using Workflow.Contracts.Signals;
using Workflow.WebService.Requests;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Endpoints;

internal sealed class SignalEndpoints(IWorkflowEngine engine, RequestBody bodies)
{
    public void Map(RouteMap routes)
    {
        routes.Post("/signals", SignalAsync, "Sends a signal by correlation key; answers once it is durable.")
            .Accepts<SendSignal>("application/json").Produces<SignalAccepted>(202).ProducesProblems(400, 422, 429, 503);
        routes.Post("/instances/{id}/signals", SignalInstanceAsync,
            "Sends a signal to an instance; answers once it is durable.")
            .Accepts<SendInstanceSignal>("application/json").Produces<SignalAccepted>(202)
            .ProducesProblems(400, 404, 409, 422, 429, 503);
    }

    // The header is declared for the description alone; the request is read once, by RequestValues.
    private async Task SignalAsync(
        HttpContext context, [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey)
    {
        var key = RequestValues.IdempotencyKey(context.Request);
        await SendAsync(context, await bodies.ReadAsync(context, CommandBodies.Signal) with { IdempotencyKey = key });
    }

    private async Task SignalInstanceAsync(
        HttpContext context, string id, [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey)
    {
        var (instanceId, key) = (RequestValues.InstanceId(id), RequestValues.IdempotencyKey(context.Request));
        var command = await bodies.ReadAsync(context, CommandBodies.InstanceSignal);
        await SendAsync(context, command with { InstanceId = instanceId, IdempotencyKey = key });
    }

    // Not tied to the connection, for the reason given at the start of an instance.
    private async Task SendAsync(HttpContext context, SignalCommand command) =>
        await JsonResponse.AcceptedAsync(context, await engine.SignalAsync(command, CancellationToken.None));
}
