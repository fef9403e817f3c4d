using Workflow.Contracts.Tasks;

namespace IntegrationTests.WebService;

[Trait("Category", "Integration")]
public sealed class TaskRouteTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    [Fact]
    public async Task Task_is_listed_assigned_completed_and_shown()
    {
        var (task, instance, group) = await OpenAsync();
        Assert.Equal((TaskState.Open, null), (task.State, task.Assignee));

        var assigned = await fixture.Client.AssignTaskAsync(task.Id, $"ann {group}", cancellationToken: Cancel);
        Assert.Equal(task.Id, Assert.Single(
            (await fixture.Client
                .ListTasksAsync($"ann {group}", group, TaskState.Open, cancellationToken: Cancel)).Items).Id);
        var completed = await fixture.Client.CompleteTaskAsync(
            task.Id, JsonSerializer.SerializeToElement(new { ok = true }), cancellationToken: Cancel);

        Assert.Equal(new(task.Id, instance, TaskState.Open, $"ann {group}", Duplicate: false), assigned);
        Assert.Equal(assigned with { State = TaskState.Completed }, completed);
        var view = await fixture.Client.FindInstanceAsync(instance, Cancel);
        Assert.Equal((InstanceState.Completed, """{"ok":true}"""), (view!.State, view.Output!.Value.GetRawText()));
        var shown = await fixture.Client.GetTaskAsync(task.Id, Cancel);
        Assert.Equal((TaskState.Completed, """{"ok":true}"""), (shown.State, shown.Output!.Value.GetRawText()));
        Assert.Empty(
            (await fixture.Client
                .ListTasksAsync(group: group, state: TaskState.Open, cancellationToken: Cancel)).Items);
    }

    [Fact]
    public async Task Second_completion_is_a_conflict_that_says_who_and_when()
    {
        var (task, _, group) = await OpenAsync();
        await fixture.Client.AssignTaskAsync(task.Id, "ann", cancellationToken: Cancel);
        await fixture.Client.CompleteTaskAsync(task.Id, idempotencyKey: group, cancellationToken: Cancel);
        var ended = await fixture.Client.GetTaskAsync(task.Id, Cancel);

        using var second = await fixture.Http.PostAsync($"/tasks/{task.Id}/complete", "{}", Cancel);
        using var assign = await fixture.Http.PostAsync($"/tasks/{task.Id}/assign", """{"assignee":"bob"}""", Cancel);
        var again = await fixture.Client.CompleteTaskAsync(task.Id, idempotencyKey: group, cancellationToken: Cancel);
        var other = await Assert.ThrowsAsync<WorkflowApiException>(() =>
            fixture.Client.CompleteTaskAsync(task.Id, JsonSerializer.SerializeToElement(1), group, Cancel));

        await Answer.IsProblemAsync(
            second, 409, "task-closed", task.Id.ToString(), "'ann'", $"{ended.UpdatedUtc.UtcDateTime:O}"[..19]);
        await Answer.IsProblemAsync(assign, 409, "task-closed", "'ann'");
        Assert.Equal((true, TaskState.Completed, "ann"), (again.Duplicate, again.State, again.Assignee));
        Assert.Equal((HttpStatusCode.UnprocessableEntity, "idempotency-conflict"), (other.Status, other.Code));
    }

    [Fact]
    public async Task Cancelled_instance_closes_its_task()
    {
        var (task, instance, _) = await OpenAsync();

        Assert.False((await fixture.Client.CancelAsync(instance, cancellationToken: Cancel)).Duplicate);
        Assert.True((await fixture.Client.CancelAsync(instance, cancellationToken: Cancel)).Duplicate);

        Assert.Equal(TaskState.Cancelled, (await fixture.Client.GetTaskAsync(task.Id, Cancel)).State);
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var over = await fixture.Client.StartAsync(new StartInstance { Definition = name }, cancellationToken: Cancel);
        using var late =
            await fixture.Http.PostAsync(new Uri($"/instances/{over.Id}/cancel", UriKind.Relative), null, Cancel);
        using var unknown = await fixture.Http
            .PostAsync(new Uri($"/instances/{Guid.NewGuid()}/cancel", UriKind.Relative), null, Cancel);
        await Answer.IsProblemAsync(late, 409, "instance-finished", over.Id.ToString(), "completed");
        await Answer.IsProblemAsync(unknown, 404, "instance-not-found");
    }

    [Theory]
    [InlineData("complete", "{}")]
    [InlineData("assign", """{"assignee":"ann"}""")]
    public async Task Unknown_task_and_malformed_id_are_distinguished(string action, string body)
    {
        var nobody = Guid.NewGuid();

        using var unknown = await fixture.Http.PostAsync($"/tasks/{nobody}/{action}", body, Cancel);
        using var shown = await fixture.Http.GetAsync(new Uri($"/tasks/{nobody}", UriKind.Relative), Cancel);
        using var malformed = await fixture.Http.PostAsync($"/tasks/mine/{action}", body, Cancel);

        await Answer.IsProblemAsync(unknown, 404, "task-not-found", nobody.ToString(), "GET /tasks");
        await Answer.IsProblemAsync(shown, 404, "task-not-found", nobody.ToString());
        await Answer.IsProblemAsync(malformed, 400, "malformed-id", "'mine'", "GET /tasks");
    }

    [Theory]
    [InlineData("assign", "{}", "body-invalid", "assignee")]
    [InlineData("assign", """{"assignee":7}""", "body-invalid", "a number")]
    [InlineData("assign", """{"assignee":""}""", "invalid-command", "1 to 256")]
    [InlineData("complete", """{"result":1}""", "body-invalid", "'result'")]
    [InlineData("complete", "[]", "body-invalid", "an array")]
    public async Task Bad_body_is_named(string action, string body, string code, string named)
    {
        using var response = await fixture.Http.PostAsync($"/tasks/{Guid.NewGuid()}/{action}", body, Cancel);

        await Answer.IsProblemAsync(response, 400, code, named);
    }

    [Theory]
    [InlineData("state=done", "done", "open, completed, cancelled, timedOut")]
    [InlineData("limit=0", "0", "1 to 1000")]
    [InlineData("after=x", "x", "task id")]
    [InlineData("owner=ann", "owner", "assignee, group, state, after, limit")]
    public async Task Bad_query_names_parameter_value_and_what_is_allowed(string query, string value, string allowed)
    {
        using var response = await fixture.Http.GetAsync(new Uri($"/tasks?{query}", UriKind.Relative), Cancel);

        await Answer.IsProblemAsync(response, 400, "query-invalid", value, allowed);
    }

    [Fact]
    public async Task Instance_shows_its_parent_and_its_children()
    {
        var (child, parent) = (SampleDefinitions.NewName("child"), SampleDefinitions.NewName("parent"));
        await fixture.Client.RegisterDefinitionAsync(SampleDefinitions.Waiting(child), Cancel);
        await fixture.Client.RegisterDefinitionAsync(
            SampleDefinitions.Step(
                parent, $$"""{ "type": "call", "definition": "{{child}}", "input": { "key": "{{child}}" }, "next": "done" }"""), Cancel);

        var started =
            await fixture.Client.StartAsync(new StartInstance { Definition = parent }, cancellationToken: Cancel);

        var view = await fixture.Client.FindInstanceAsync(started.Id, Cancel);
        var wait = Assert.Single(view!.Waits);
        Assert.Equal(("call", child), (wait.Kind, wait.Name));
        Assert.Equal(wait.Id, Assert.Single(view.Children!));
        Assert.Equal(started.Id, (await fixture.Client.FindInstanceAsync(wait.Id!.Value, Cancel))?.ParentId);
    }

    /// <summary>An instance that waits for a task of its own group.</summary>
    private async Task<(TaskView Task, Guid Instance, string Group)> OpenAsync()
    {
        var name = SampleDefinitions.NewName();
        await fixture.Client.RegisterDefinitionAsync(
            $$"""
            { "name": "{{name}}", "version": 1, "start": "check", "steps": {
              "check": { "type": "task", "groups": [ "{{name}}" ], "result": "decision", "next": "done" },
              "done": { "type": "end", "output": "= decision" } } }
            """,
            Cancel);
        var started =
            await fixture.Client.StartAsync(new StartInstance { Definition = name }, cancellationToken: Cancel);
        return (Assert.Single((await fixture.Client.ListTasksAsync(group: name, cancellationToken: Cancel)).Items),
            started.Id, name);
    }
}
