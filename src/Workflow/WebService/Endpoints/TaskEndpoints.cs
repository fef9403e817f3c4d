using Microsoft.AspNetCore.Mvc;
using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Tasks;
using Workflow.WebService.Requests;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Endpoints;

internal sealed class TaskEndpoints(IWorkflowEngine engine, RequestBody bodies)
{
    public void Map(RouteMap routes)
    {
        routes.Get("/tasks", ListAsync, "A page of tasks, by assignee, group and state.").Produces<TaskList>()
            .ProducesProblem(400);
        routes.Get("/tasks/{id}", FindAsync, "A task as committed.").Produces<TaskView>().ProducesProblems(400, 404);
        routes.Post("/tasks/{id}/assign", AssignAsync, "Gives an open task to somebody; answers once that is durable.")
            .Accepts<AssignTask>("application/json").Produces<TaskAccepted>()
            .ProducesProblems(400, 404, 409, 422, 429, 503);
        routes.Post(
            "/tasks/{id}/complete", CompleteAsync,
            "Completes an open task and lets its instance go on; answers once that is durable.")
            .Accepts<CompleteTask>("application/json").Produces<TaskAccepted>()
            .ProducesProblems(400, 404, 409, 422, 429, 503);
    }

    // The parameters of the query and the headers are declared for the description alone; the request is read once, by
    // RequestValues.
    private async Task ListAsync(
        HttpContext context, string? assignee, string? group, string? state, string? after, string? limit)
    {
        var list = await engine.ListTasksAsync(RequestValues.Tasks(context.Request.Query), context.RequestAborted);
        await JsonResponse.OkAsync(context, list);
    }

    private async Task FindAsync(HttpContext context, string id)
    {
        var taskId = RequestValues.TaskId(id);
        var view = await engine.FindTaskAsync(taskId, context.RequestAborted)
            ?? throw new TaskNotFoundException(taskId);
        await JsonResponse.OkAsync(context, view);
    }

    // Neither is tied to the connection, for the reason given at the start of an instance.
    private async Task AssignAsync(
        HttpContext context, string id, [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey)
    {
        var taskId = RequestValues.TaskId(id);
        var key = RequestValues.IdempotencyKey(context.Request);
        var assignee = await bodies.ReadAsync(context, CommandBodies.Assignee);
        await JsonResponse.OkAsync(
            context, await engine.AssignTaskAsync(taskId, assignee, key, CancellationToken.None));
    }

    private async Task CompleteAsync(
        HttpContext context, string id, [FromHeader(Name = RequestValues.IdempotencyKeyHeader)] string? idempotencyKey)
    {
        var command = new CompleteTaskCommand
        {
            TaskId = RequestValues.TaskId(id),
            IdempotencyKey = RequestValues.IdempotencyKey(context.Request),
            Output = await bodies.ReadAsync(context, CommandBodies.TaskOutput),
        };
        await JsonResponse.OkAsync(context, await engine.CompleteTaskAsync(command, CancellationToken.None));
    }
}
