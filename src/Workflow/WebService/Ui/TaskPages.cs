using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Tasks;
using Workflow.WebService.Configuration;
using Workflow.WebService.Requests;

namespace Workflow.WebService.Ui;

/// <summary>Tasks that wait for people.</summary>
internal sealed class TaskPages(IWorkflowEngine engine, ServiceSettings settings)
{
    private const string Section = "/ui/tasks";

    /// <summary>Without a state asked for the list is of open ones: they are what there is to do.</summary>
    private const string AnyState = "all";

    public void Map(Pages pages)
    {
        pages.Get(Section, ListAsync);
        pages.Get("/ui/tasks/{id}", ShowAsync);
        pages.Post("/ui/tasks/{id}/assign", AssignAsync, ShowAsync);
        pages.Post("/ui/tasks/{id}/complete", CompleteAsync, ShowAsync);
    }

    private async Task ListAsync(HttpContext context)
    {
        var given = RequestValues.Given(context.Request.Query);
        var isAny = given["state"] == AnyState;
        var query = RequestValues.NewestTasks(isAny ? RequestValues.Given(given, "state") : given);
        query = isAny ? query : query with { State = query.State ?? TaskState.Open };
        var list = await engine.ListTasksAsync(
            query with
            {
                Limit = Listing.Asked,
                MostExamined = query.Assignee is null && query.Group is null ? null : Listing.MostExamined,
            },
            context.RequestAborted);
        var page = Listing.Of(list.Items, list.Next, one => one.Id, query.After, query.Before);
        var count = await page.CountAsync("task", most => engine.CountTasksAsync(
            query with { After = null, Before = null, NewestFirst = true }, most, context.RequestAborted));
        var rows = page.Rows.Select(one => Html.Of($"""
            <tr><th scope="row">{Page.Id(Section, one.Id)}</th><td>{State(one.State)}</td><td>{Page.Text(one.Step)}</td>
            <td>{Page.Definition(one.Definition, one.DefinitionVersion)}</td><td>{Page.Text(one.CorrelationKey)}</td>
            <td>{Page.Text(one.Assignee)}</td><td>{Page.Text(string.Join(", ", one.Groups.Take(5)))}</td>
            <td>{Page.Time(one.CreatedUtc)}</td><td>{Page.Time(one.DueAt)}</td></tr>

            """)).ToList();
        await Page.WriteAsync(context, Section, "Tasks", Html.Of($"""
            {Page.Filter(Section,
                Page.Choice("state", "State", given, Enum.GetValues<TaskState>().Select(Page.Word).Append(AnyState)),
                Page.Field("assignee", "Assignee", given), Page.Field("group", "Group", given))}
            {Page.Live(engine.EndOfEvents)}
            <div id="list">
            {count}
            {Page.Table("Tasks, the newest first, times in UTC",
                ["Task", "State", "Step", "Definition", "Correlation key", "Assignee", "Groups", "Created", "Due"],
                rows, "No task matches.")}
            {page.Paging(Section, given, "state", "assignee", "group")}
            </div>
            """), script: true);
    }

    private async Task ShowAsync(HttpContext context)
    {
        RequestValues.OnlyKnown(context.Request.Query, "done");
        var id = Id(context);
        var one = await engine.FindTaskAsync(id, context.RequestAborted) ?? throw new TaskNotFoundException(id);
        var instance = Page.MayAct(context) || settings.ShowsVariablesToReadKeys
            ? await engine.FindInstanceAsync(one.InstanceId, context.RequestAborted)
            : null;
        var groups = one.Groups.Take(Page.Rows).ToList();
        await Page.WriteAsync(context, Section, $"Task {one.Step}", Html.Of($"""
            {Page.Done(context, ("assigned", one.Assignee is not null, "It is assigned."),
                ("completed", one.State == TaskState.Completed, "It is completed."))}
            {Page.Facts(
                ("Task", Html.Of($"<code>{id}</code> {State(one.State)}")), ("Step", Page.Text(one.Step)),
                ("Definition", Page.Definition(one.Definition, one.DefinitionVersion)),
                ("Instance", Page.Instance(one.InstanceId)), ("Correlation key", Page.Text(one.CorrelationKey)),
                ("Assignee", Page.Text(one.Assignee)),
                ("Groups", Page.Text(groups.Count == 0 ? null : string.Join(", ", groups))),
                ("Created (UTC)", Page.Time(one.CreatedUtc)), ("Updated (UTC)", Page.Time(one.UpdatedUtc)),
                ("Due (UTC)", Page.Time(one.DueAt)), ("As", Page.Link($"/tasks/{id}", "JSON")))}
            {Html.If(one.Output is not null, $"<h2>Output</h2>{Page.Json(one.Output)}")}
            {(instance is null ? Html.Nothing : Html.Of($"""
                <h2>Variables</h2>
                {Page.Members("Variables of the instance", instance.Variables, $"/instances/{instance.Id}")}
                """))}
            {Html.If(one.State == TaskState.Open && Page.MayAct(context), $"""
                <h2>Complete</h2>
                <form class="panel" method="post" action="{Section}/{id}/complete">{Form.Once}
                {Form.JsonField(context, "output", "Output (JSON, may be empty)")}
                <p><button>Complete the task</button></p>
                </form>
                <h2>Assign</h2>
                <form class="panel" method="post" action="{Section}/{id}/assign">
                {Form.TextField(context, "assignee", "Assignee", 256, value: one.Assignee)}
                <p><button>Assign</button></p>
                </form>
                """)}
            """));
    }

    // Neither is tied to the connection: a command that was taken cannot be taken back.
    private async Task AssignAsync(HttpContext context, Form form)
    {
        var id = Id(context);
        await engine.AssignTaskAsync(id, form.Required("assignee", "Assignee"), CancellationToken.None);
        await Page.RedirectAsync(context, $"{Section}/{id}?done=assigned");
    }

    private async Task CompleteAsync(HttpContext context, Form form)
    {
        var id = Id(context);
        await engine.CompleteTaskAsync(
            new CompleteTaskCommand
                { TaskId = id, Output = form.Json("output", "Output"), IdempotencyKey = form.IdempotencyKey },
            CancellationToken.None);
        await Page.RedirectAsync(context, $"{Section}/{id}?done=completed");
    }

    private static Html State(TaskState state) => Page.Badge(Page.Word(state), state switch
    {
        TaskState.Open => "live",
        TaskState.Completed => "good",
        _ => "unsure",
    });

    private static Guid Id(HttpContext context) => RequestValues.TaskId($"{context.Request.RouteValues["id"]}");
}
