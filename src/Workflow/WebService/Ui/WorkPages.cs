using System.Buffers.Binary;
using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Tasks;
using Workflow.WebService.Requests;

namespace Workflow.WebService.Ui;

/// <summary>Tasks that wait for people.</summary>
internal sealed class TaskPages(IWorkflowEngine engine)
{
    private const string Section = "/ui/tasks";

    /// <summary>Without a state asked for the list is of open ones: they are what there is to do.</summary>
    private const string AnyState = "all";

    public void Map(Pages pages)
    {
        pages.Get(Section, ListAsync);
        pages.Get("/ui/tasks/{id}", ShowAsync);
        pages.Post("/ui/tasks/{id}/assign", AssignAsync);
        pages.Post("/ui/tasks/{id}/complete", CompleteAsync);
    }

    private async Task ListAsync(HttpContext context)
    {
        var given = RequestValues.Given(context.Request.Query);
        var query = given["state"] == AnyState
            ? RequestValues.Tasks(RequestValues.Given(given, except: "state"))
            : RequestValues.Tasks(given) with { State = RequestValues.Tasks(given).State ?? TaskState.Open };
        var list = await engine.ListTasksAsync(query with { Limit = Page.Rows }, context.RequestAborted);
        var rows = list.Items.Select(one => Html.Of($"""
            <tr><th scope="row">{Page.Id(Section, one.Id)}</th><td>{State(one.State)}</td><td>{Page.Text(one.Step)}</td>
            <td>{Page.Definition(one.Definition, one.DefinitionVersion)}</td><td>{Page.Text(one.CorrelationKey)}</td>
            <td>{Page.Text(one.Assignee)}</td><td>{Page.Text(string.Join(", ", one.Groups.Take(5)))}</td>
            <td>{Page.Time(one.CreatedUtc)}</td><td>{Page.Time(one.DueAt)}</td></tr>

            """)).ToList();
        await Page.WriteAsync(context, Section, "Tasks", Html.Of($"""
            {Page.Filter(Section, Page.Choice("state", "State", given, [.. Enum.GetValues<TaskState>().Select(Page.Word), AnyState]),
                Page.Field("assignee", "Assignee", given), Page.Field("group", "Group", given))}
            {Page.Table("Tasks in the order of their creation, times in UTC",
                ["Task", "State", "Step", "Definition", "Correlation key", "Assignee", "Groups", "Created", "Due"], rows, "No task is so.")}
            {Page.Paging(Section, given, list.Next, ["state", "assignee", "group"])}
            """));
    }

    private async Task ShowAsync(HttpContext context)
    {
        RequestValues.OnlyKnown(context.Request.Query, "done");
        var id = Id(context);
        var one = await engine.FindTaskAsync(id, context.RequestAborted) ?? throw new TaskNotFoundException(id);
        var groups = one.Groups.Take(Page.Rows).ToList();
        await Page.WriteAsync(context, Section, $"Task {one.Step}", Html.Of($"""
            {Page.Done(context, ("assigned", one.Assignee is not null, "It is assigned."),
                ("completed", one.State == TaskState.Completed, "It is completed."))}
            {Page.Facts(
                ("Task", Html.Of($"<code>{id}</code> {State(one.State)}")), ("Step", Page.Text(one.Step)),
                ("Definition", Page.Definition(one.Definition, one.DefinitionVersion)), ("Instance", Page.Instance(one.InstanceId)),
                ("Correlation key", Page.Text(one.CorrelationKey)),
                ("Assignee", Page.Text(one.Assignee)), ("Groups", Page.Text(groups.Count == 0 ? null : string.Join(", ", groups))),
                ("Created (UTC)", Page.Time(one.CreatedUtc)), ("Updated (UTC)", Page.Time(one.UpdatedUtc)),
                ("Due (UTC)", Page.Time(one.DueAt)), ("As", Page.Link($"/tasks/{id}", "JSON")))}
            {Html.If(one.Output is not null, $"<h2>Output</h2>{Page.Json(one.Output)}")}
            {Html.If(one.State == TaskState.Open && Page.MayAct(context), $"""
                <h2>Complete</h2>
                <form class="panel" method="post" action="{Section}/{id}/complete">{Form.Once}
                {Form.JsonField("output", "Output (JSON, may be empty)")}
                <p><button>Complete the task</button></p>
                </form>
                <h2>Assign</h2>
                <form class="panel" method="post" action="{Section}/{id}/assign">
                <p><label for="assignee">Assignee</label>
                <input id="assignee" name="assignee" required maxlength="256" value="{one.Assignee}"></p>
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
            new CompleteTaskCommand { TaskId = id, Output = form.Json("output", "Output"), IdempotencyKey = form.IdempotencyKey },
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

/// <summary>Work that could not be applied, with the evidence.</summary>
internal sealed class DeadLetterPages(IWorkflowEngine engine)
{
    private const string Section = "/ui/dead-letters";

    public void Map(Pages pages)
    {
        pages.Get(Section, ListAsync);
        pages.Get("/ui/dead-letters/{id}", ShowAsync);
        pages.Post("/ui/dead-letters/{id}/replay", ReplayAsync);
    }

    private async Task ListAsync(HttpContext context)
    {
        var given = RequestValues.Given(context.Request.Query);
        var query = RequestValues.DeadLetters(given) with { Limit = Page.Rows };
        var list = await engine.ListDeadLettersAsync(query, context.RequestAborted);
        var rows = list.Items.Select(one => Html.Of($"""
            <tr><th scope="row">{Page.Id(Section, one.Id)}</th><td>{Page.Word(one.Kind)}</td><td>{Page.Instance(one.InstanceId)}</td>
            <td>{Page.Text(Page.Cut(one.Reason, 200))}</td><td class="number">{one.Attempts}</td><td>{Page.Time(one.CreatedUtc)}</td>
            <td>{Page.Time(one.ReplayedUtc)}</td></tr>

            """)).ToList();
        await Page.WriteAsync(context, Section, "Dead letters", Html.Of($"""
            {Page.Filter(Section, Page.Choice("state", "State", given, ["open", "replayed"]),
                Page.Choice("kind", "Kind", given, Enum.GetValues<DeadLetterKind>().Select(Page.Word).Prepend("any")),
                Page.Field("instance", "Instance", given))}
            {Page.Table("Accepted work that could not be applied, oldest first, times in UTC",
                ["Dead letter", "Kind", "Instance", "Reason", "#Attempts", "Created", "Replayed"], rows, "There is none.")}
            {Page.Paging(Section, given, list.Next, ["state", "kind", "instance"])}
            """));
    }

    private async Task ShowAsync(HttpContext context)
    {
        RequestValues.OnlyKnown(context.Request.Query, "done");
        var id = Id(context);
        var cancel = context.RequestAborted;
        var one = await FindAsync(id, replayed: false, cancel) ?? await FindAsync(id, replayed: true, cancel)
            ?? throw new DeadLetterNotFoundException(id);
        var (state, style) = one.ReplayedUtc is null ? ("open", "bad") : ("replayed", "good");
        await Page.WriteAsync(context, Section, $"Dead letter: {Page.Word(one.Kind)}", Html.Of($"""
            {Page.Done(context, ("applied", one.ReplayedUtc is not null, "It is applied."),
                ("void", one.ReplayedUtc is not null, "What it was for is over: it is closed without an effect."))}
            {Page.Facts(
                ("Dead letter", Html.Of($"<code>{id}</code> {Page.Badge(state, style)}")), ("Instance", Page.Instance(one.InstanceId)),
                ("Attempts", Html.Of($"{one.Attempts}")), ("Created (UTC)", Page.Time(one.CreatedUtc)),
                ("Last attempt (UTC)", Page.Time(one.LastAttemptUtc)), ("Replayed (UTC)", Page.Time(one.ReplayedUtc)),
                ("As", Page.Link(Url.Of("/dead-letters", ("state", state), ("after", $"{Before(id)}"), ("limit", "1")), "JSON")))}
            <h2>Reason</h2>
            <p class="error"><bdi>{Page.Cut(one.Reason, 4_000)}</bdi></p>
            {Html.If(one.ReplayedUtc is null && Page.MayAct(context), $"""
                <form class="panel" method="post" action="{Section}/{id}/replay">
                <p>A replay tries it again. It has one effect however often it is sent.</p>
                <p><button>Replay</button></p></form>
                """)}
            <h2>Payload</h2>
            {Page.Json(one.Payload)}
            """));
    }

    /// <summary>The list has no other door to one of them: it is the first after the id before its own.</summary>
    private async Task<DeadLetter?> FindAsync(Guid id, bool replayed, CancellationToken cancellationToken)
    {
        var query = new DeadLetterQuery { Replayed = replayed, After = Before(id), Limit = 1 };
        var list = await engine.ListDeadLettersAsync(query, cancellationToken);
        return list.Items.FirstOrDefault(one => one.Id == id);
    }

    private static Guid Before(Guid id)
    {
        Span<byte> bytes = stackalloc byte[16];
        id.TryWriteBytes(bytes, bigEndian: true, out _);
        BinaryPrimitives.WriteUInt128BigEndian(bytes, UInt128.Max(BinaryPrimitives.ReadUInt128BigEndian(bytes), 1) - 1);
        return new Guid(bytes, bigEndian: true);
    }

    private async Task ReplayAsync(HttpContext context, Form form)
    {
        var id = Id(context);
        var replayed = await engine.ReplayDeadLetterAsync(id, CancellationToken.None);
        await Page.RedirectAsync(context, $"{Section}/{id}?done={(replayed.Applied ? "applied" : "void")}");
    }

    private static Guid Id(HttpContext context) => RequestValues.DeadLetterId($"{context.Request.RouteValues["id"]}");
}
