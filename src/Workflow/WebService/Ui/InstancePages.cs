using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Instances;
using Workflow.WebService.Requests;

namespace Workflow.WebService.Ui;

/// <summary>
/// Instances by what is known of them, and each with what it has done, what it waits for and what may be done to it.
/// </summary>
internal sealed class InstancePages(IWorkflowEngine engine, TimeProvider timeProvider)
{
    private const string Section = "/ui/instances";
    private const int MostHistory = 200;

    internal static readonly string[] Filters =
        ["definition", "state", "correlationKey", "match", "id", "startedFrom", "startedTo"];
    private static readonly (string Title, TimeSpan? Since)[] Times =
    [
        ("Any time", null), ("Last 15 minutes", TimeSpan.FromMinutes(15)), ("Last hour", TimeSpan.FromHours(1)),
        ("Last day", TimeSpan.FromDays(1)),
    ];

    public void Map(Pages pages)
    {
        pages.Get(Section, ListAsync);
        pages.Get("/ui/instances/{id}", ShowAsync);
        pages.Post("/ui/instances/{id}/suspend",
            (context, _) => ActAsync(context, "suspended", id => engine.SuspendAsync(id, default)), ShowAsync);
        pages.Post("/ui/instances/{id}/resume",
            (context, _) => ActAsync(context, "resumed", id => engine.ResumeAsync(id, default)), ShowAsync);
        pages.Post("/ui/instances/{id}/cancel",
            (context, _) => ActAsync(context, "cancelled", id => engine.CancelAsync(id, default)), ShowAsync);
        pages.Post("/ui/instances/{id}/retry", (context, form) => ActAsync(context, "retried", id => engine.RetryAsync(
            new RetryCommand
            {
                InstanceId = id,
                Variables = form.Json("variables", "Variables", isObject: true),
                Step = form["step"],
                IdempotencyKey = form.IdempotencyKey,
            },
            default)), ShowAsync);
        pages.Post("/ui/instances/{id}/signal", SignalAsync, ShowAsync);
    }

    private async Task SignalAsync(HttpContext context, Form form)
    {
        var id = Id(context);
        var accepted = await engine.SignalAsync(
            new SignalCommand
            {
                Name = form.Required("name", "Name of the signal"),
                InstanceId = id,
                Payload = form.Json("payload", "Payload"),
                IdempotencyKey = form.IdempotencyKey,
            },
            CancellationToken.None);
        await DoneAsync(context, id, accepted.Kept == true ? "kept" : "signalled");
    }

    /// <summary>Not tied to the connection: a command that was taken cannot be taken back.</summary>
    private static async Task ActAsync(HttpContext context, string done, Func<Guid, Task> act)
    {
        var id = Id(context);
        await act(id);
        await DoneAsync(context, id, done);
    }

    private static Task DoneAsync(HttpContext context, Guid id, string done) =>
        Page.RedirectAsync(context, $"{Section}/{id}?done={done}");

    private async Task ListAsync(HttpContext context)
    {
        var given = RequestValues.Given(context.Request.Query);
        if (Guid.TryParseExact(given["id"].ToString().Trim(), "D", out var asked))
        {
            await Page.RedirectAsync(context, $"{Section}/{asked}");
            return;
        }

        var query = RequestValues.NewestInstances(given);
        var list = await engine.ListInstancesAsync(
            Bounded(query) with { Limit = Listing.Asked }, context.RequestAborted);
        var page = Listing.Of(list.Items, list.Next, one => one.Id, query.After, query.Before);
        var count = await page.CountAsync("instance", most => engine.CountInstancesAsync(
            query with { After = null, Before = null, NewestFirst = true }, most, context.RequestAborted));
        var rows = page.Rows.Select(one => Html.Of($"""
            <tr><th scope="row">{Page.Instance(one.Id)}</th><td>{Page.State(one.State)}</td>
            <td>{Page.Definition(one.Definition, one.Version)}</td>
            <td>{Page.Text(one.CorrelationKey)}</td><td>{Page.Time(one.CreatedUtc)}</td>
            <td>{Page.Time(one.UpdatedUtc)}</td><td>{Standing(one)}</td></tr>

            """)).ToList();
        await Page.WriteAsync(context, Section, "Instances", Html.Of($"""
            {Filter(given)}
            {Page.Live(engine.EndOfEvents, query.Definition)}
            <div id="list">
            {count}
            {Page.Table("Instances, the newest start first, times in UTC",
                ["Instance", "State", "Definition", "Correlation key", "Created", "Updated", "Stands at"],
                rows, "No instance matches.")}
            {page.Paging(Section, given, Filters)}
            </div>
            {Html.If(Page.MayAct(context), $"""
                <p class="quick">{BulkPages.OfInstances(given)}
                {Page.Link(SignalPage.Address, "Send a signal by name and key")}</p>
                """)}
            """), script: true);
    }

    /// <summary>
    /// A query that looks at a limited number of rows, unless an index leads to those that match: by key, or without a
    /// filter.
    /// </summary>
    public static InstanceQuery Bounded(InstanceQuery query) =>
        query.CorrelationKey is null && (query.Definition ?? query.DefinitionPrefix ?? query.CorrelationKeyPrefix
            ?? query.State?.ToString()) is not null
            ? query with { MostExamined = Listing.MostExamined }
            : query;

    private Html Filter(IQueryCollection given)
    {
        var now = timeProvider.GetUtcNow();
        var times = Times.Select(time => Html.Of($"{Page.Link(
            Url.Of(Section, ("definition", given["definition"]), ("state", given["state"]),
                ("correlationKey", given["correlationKey"]), ("match", given["match"]), ("id", given["id"]),
                ("startedFrom", time.Since is { } since ? Instant(now - since) : null)), time.Title)} "));
        return Html.Of($"""
            {Page.Filter(Section,
                Page.Choice("state", "State", given, Enum.GetValues<InstanceState>().Select(Page.Word).Prepend("any")),
                Page.Field("definition", "Definition", given), Page.Field("correlationKey", "Correlation key", given),
                Page.Choice("match", "Definition and key", given, ["exactly", RequestValues.BeginsWith]),
                Page.Field("id", "Instance id, or how it begins", given, "01890a5d-ac"),
                Page.Field("startedFrom", "Started from", given, "2026-01-31T12:00:00Z"),
                Page.Field("startedTo", "Started before", given, "2026-02-01T00:00:00Z"))}
            <p class="quick">Started: {times}</p>
            """);
    }

    private static string Instant(DateTimeOffset at) =>
        at.UtcDateTime.ToString("yyyy-MM-ddTHH:mm:ssZ", CultureInfo.InvariantCulture);

    private static Html Standing(InstanceView one) => one.Error is { } error
        ? Html.Of($"""
            {Html.If(error.Step is not null, $"<span class=\"badge bad\">{Page.Text(error.Step)}</span>")}
            <span class="why">{Page.Cut(error.Message, 120)}</span>
            """)
        : Page.Text(
            string.Join(", ", one.Waits.Take(3).Select(wait => wait.Step)) + (one.Waits.Count > 3 ? " \u2026" : ""));

    private async Task ShowAsync(HttpContext context)
    {
        RequestValues.OnlyKnown(context.Request.Query, "done");
        var id = Id(context);
        var cancel = context.RequestAborted;
        var one = await engine.FindInstanceAsync(id, cancel) ?? throw new InstanceNotFoundException(id);
        var history = await engine.FindHistoryAsync(id, cancel) ?? throw new InstanceNotFoundException(id);
        var json = $"/instances/{id}";
        await Page.WriteAsync(context, Section, "Instance", Html.Of($"""
            {Page.Done(context,
                ("started", true, "The instance is started."),
                ("suspended", one.State == InstanceState.Suspended, "It is suspended. Signals that arrive meanwhile are kept."),
                ("resumed", one.State != InstanceState.Suspended, "It continues, with the signals that arrived meanwhile."),
                ("cancelled", one.State == InstanceState.Cancelled,
                    "It is cancelled, with its tasks and the instances that it called."),
                ("retried", true, "It continues."),
                ("signalled", true, "The signal is accepted, and durable."),
                ("kept", true,
                    "No step waits for the signal yet: it is kept for an hour, or until the instance ends."))}
            {Page.Facts(
                ("Instance", Html.Of($"<code>{id}</code> {Page.State(one.State)}")),
                ("Definition", Page.Definition(one.Definition, one.Version)),
                ("Correlation key", Page.Text(one.CorrelationKey)),
                ("Created (UTC)", Page.Time(one.CreatedUtc)), ("Updated (UTC)", Page.Time(one.UpdatedUtc)),
                ("Called by", Page.Instance(one.ParentId)),
                ("As", Html.Of($"""
                    {Page.Link(json, "JSON")} · {Page.Link(json + "/history", "history as JSON")} ·
                    {Page.Link(Url.Of("/ui/dead-letters", ("instance", id.ToString())), "its dead letters")}
                    """)))}
            {Error(one)}
            {(Page.MayAct(context) ? Actions(context, one) : Html.Nothing)}
            <h2>Timeline</h2>
            {Timeline.Of(one, history, timeProvider.GetUtcNow())}
            <h2>Diagram</h2>
            {DefinitionPages.Diagram(one.Definition, one.Version, id)}
            <h2>Waits</h2>
            {Waits(one, json)}
            {Html.If(one.Children is not null, $"<h2>Called instances</h2>{Children(one, json)}")}
            <h2>Variables</h2>
            {Page.Members("Variables", one.Variables, json)}
            {Html.If(one.Output is not null, $"<h2>Output</h2>{Page.Json(one.Output)}")}
            <h2>History</h2>
            {History(history, json)}
            """));
    }

    private static Html Error(InstanceView one)
    {
        if (one.Error is not { } error)
        {
            return Html.Nothing;
        }

        var steps = string.Join(", ", (one.Tokens ?? []).Take(Page.Rows).Select(token => token.Step));
        return Html.Of($"""
            <div class="error"><p><bdi>{error.Message}</bdi></p>
            {Page.Facts(("Step", Page.Text(error.Step)), ("Expression", Page.Text(error.Expression)),
                ("A retry goes on at", Page.Text(steps)))}</div>
            """);
    }

    private static Html Waits(InstanceView one, string json)
    {
        var rows = one.Waits.Take(Page.Rows).Select(wait => Html.Of($"""
            <tr><th scope="row">{Page.Text(wait.Step)}</th>
            <td>{wait.Kind}{Html.If(wait.Ended == true, $" (has come)")}</td><td>{wait switch
            {
                { Kind: "task", Id: { } task } => Page.Link($"/ui/tasks/{task}", wait.Name ?? "open task"),
                { Kind: "call", Id: { } called } => Html.Of($"{Page.Text(wait.Name)} {Page.Instance(called)}"),
                _ => Page.Text(wait.Name),
            }}</td><td>{Page.Text(wait.CorrelationKey)}</td><td>{Page.Time(wait.DueAt)}</td>
            <td>{Html.If(
                wait.FailedAttempts > 0,
                $"{wait.FailedAttempts ?? 0} failed, next {Page.Time(wait.NextAttemptAt)}")}</td>
            <td>{Page.Text(wait.LastError is { } error ? Page.Cut(error.Message, 500) : null)}</td></tr>

            """)).ToList();
        return Html.Of($"""
            {Page.Table(
                "What it waits for, times in UTC",
                ["Step", "Kind", "For", "Correlation key", "Due", "Attempts", "Last error"], rows, "Nothing.")}
            {Page.More(rows.Count, one.Waits.Count, json)}
            """);
    }

    private static Html Children(InstanceView one, string json) => Html.Of($"""
        <ul>{one.Children!.Take(Page.Rows).Select(child => Html.Of($"<li>{Page.Instance(child)}</li>"))}</ul>
        {Page.More(Math.Min(one.Children!.Count, Page.Rows), one.Children.Count, json)}
        """);

    private static Html History(IReadOnlyList<HistoryEntry> history, string json)
    {
        var rows = history.Skip(history.Count - MostHistory).Select(line => Html.Of($"""
            <tr><td>{Page.Time(line.AtUtc)}</td><th scope="row">{Event(line)}</th><td>{Page.Text(line.Step)}</td>
            <td>{Page.Text(line.Detail is { } detail ? Page.Cut(detail, 500) : null)}</td></tr>

            """)).ToList();
        return Html.Of($"""
            {Page.More(rows.Count, history.Count, json + "/history")}
            {Page.Table("What happened, oldest first, times in UTC", ["At", "Event", "Step", "Detail"],
                rows, "Nothing is recorded.")}
            """);
    }

    private static Html Event(HistoryEntry line) =>
        Timeline.IsFailure(line.Event)
            ? Page.Badge(line.Event, "bad")
            : Html.Of($"{line.Event}");

    private static Html Actions(HttpContext context, InstanceView one)
    {
        var isLive = one.State is InstanceState.Running or InstanceState.Waiting or InstanceState.Suspended;
        var action = $"{Section}/{one.Id}";
        var isSignalRefused = RefusedForm.IsOf(context, action + "/signal");
        var awaited = one.Waits.FirstOrDefault(wait => wait.Kind == "signal")?.Name;
        return Html.If(isLive || one.State == InstanceState.Failed, $"""
            <h2>Actions</h2>
            <div class="actions">
            {Html.If(isLive && one.State != InstanceState.Suspended, $"{Button(action + "/suspend", "Suspend")}")}
            {Html.If(one.State == InstanceState.Suspended, $"{Button(action + "/resume", "Resume")}")}
            {Html.If(isLive, $"""
                <details{Html.If(isSignalRefused, $" open")}><summary>Send a signal</summary>
                <form class="panel" method="post" action="{action}/signal">{Form.Once}
                {Form.TextField(context, "name", "Name of the signal", 128, value: awaited)}
                {Form.JsonField(context, "payload", "Payload (JSON, may be empty)")}
                <p><button>Send the signal</button></p></form></details>
                <details><summary>Cancel</summary><form class="panel" method="post" action="{action}/cancel">
                <p>It ends at once, with its open tasks and the instances that it has called. This cannot be undone.</p>
                <p><button class="danger">Cancel the instance</button></p></form></details>
                """)}
            {Html.If(one.State == InstanceState.Failed, $"""
                <details open><summary>Retry</summary>
                <form class="panel" method="post" action="{action}/retry">{Form.Once}
                {Steps(context, one)}
                {Form.JsonField(context, "variables", "Variables to set first (a JSON object, may be empty)")}
                <p><button>Retry</button></p></form></details>
                """)}
            </div>
            """);
    }

    /// <summary>A choice of the step at which a retry continues.</summary>
    private static Html Steps(HttpContext context, InstanceView one)
    {
        var stopped = one.Tokens is [var first, ..] ? first.Step : null;
        var chosen = RefusedForm.Of(context)?.Form["step"];
        var others = (one.RetrySteps ?? []).Where(step => step != stopped).Select(step => Html.Of(
            $"<option value=\"{step}\"{Html.If(step == chosen, $" selected")}>{step}</option>")).ToList();
        return Html.If(others.Count > 0, $"""
            <p><label for="step">Continue at</label>
            <select id="step" name="step"><option value="">{stopped}, where it stopped</option>{others}</select></p>
            <p class="nothing">At another step, the steps in between are neither executed nor undone.</p>
            """);
    }

    private static Html Button(string action, string label) =>
        Html.Of($"<form method=\"post\" action=\"{action}\"><button>{label}</button></form>");

    private static Guid Id(HttpContext context) => RequestValues.InstanceId($"{context.Request.RouteValues["id"]}");
}
