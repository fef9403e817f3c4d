using Workflow.Abstractions;
using Workflow.Contracts.Bulk;
using Workflow.Contracts.Instances;
using Workflow.WebService.Endpoints;
using Workflow.WebService.Problems;
using Workflow.WebService.Requests;

namespace Workflow.WebService.Ui;

/// <summary>
/// One action on all that a filter finds, up to a limit. The first page shows what was found and asks; its form sends
/// the ids, so that the action concerns what was shown.
/// </summary>
internal sealed class BulkPages(IWorkflowEngine engine, BulkActions bulk)
{
    /// <summary>The most items of one confirmation.</summary>
    public const int Most = 200;

    private const string Retry = "/ui/instances/retry";
    private const string Cancel = "/ui/instances/cancel";
    private const string Replay = "/ui/dead-letters/replay";

    private static readonly InstanceState[] Retryable = [InstanceState.Failed];

    private static readonly InstanceState[] Cancellable =
        [InstanceState.Waiting, InstanceState.Running, InstanceState.Suspended];

    public void Map(Pages pages)
    {
        pages.Get(Retry, context => AskInstancesAsync(context, Retry, "Retry", Retryable));
        pages.Get(Cancel, context => AskInstancesAsync(context, Cancel, "Cancel", Cancellable));
        pages.Get(Replay, AskDeadLettersAsync);
        pages.Post(Retry, (context, form) => RunAsync(context, form, "/ui/instances", "Retry", bulk.RetryAsync));
        pages.Post(Cancel, (context, form) => RunAsync(context, form, "/ui/instances", "Cancel", bulk.CancelAsync));
        pages.Post(Replay, (context, form) => RunAsync(context, form, "/ui/dead-letters", "Replay", bulk.ReplayAsync));
    }

    /// <summary>Links from the list of instances to what may be done to those that the filter finds.</summary>
    public static Html OfInstances(IQueryCollection given)
    {
        var asked = given["state"].ToString();
        return Html.Of($"""
            {Html.If(MayHave(Retryable), $"{Page.Link(Address(Retry), "Retry the failed ones")} ")}
            {Html.If(MayHave(Cancellable), $"{Page.Link(Address(Cancel), "Cancel the unfinished ones")} ")}
            """);

        bool MayHave(InstanceState[] states) => asked.Length == 0 || states.Any(state => Page.Word(state) == asked);

        string Address(string path) => Url.Of(
            path,
            [.. InstancePages.Filters.Select(name => (name, (string?)given[name].ToString()))]);
    }

    /// <summary>A link from the list of dead letters to the replay of those that the filter finds.</summary>
    public static Html OfDeadLetters(IQueryCollection given) => Html.If(
        given["state"] != "replayed",
        $"<p>{Page.Link(
            Url.Of(Replay, ("kind", given["kind"].ToString()), ("instance", given["instance"].ToString())),
            "Replay all of these")}</p>");

    private async Task AskInstancesAsync(
        HttpContext context, string path, string action, IReadOnlyList<InstanceState> states)
    {
        var query = RequestValues.NewestInstances(RequestValues.Given(context.Request.Query));
        var found = new List<InstanceView>();
        var hasMore = false;
        foreach (var state in states.Where(state => query.State is null || query.State == state))
        {
            if (found.Count <= Most)
            {
                var list = await engine.ListInstancesAsync(
                    InstancePages.Bounded(query with { State = state }) with { Limit = Most + 1 - found.Count },
                    context.RequestAborted);
                found.AddRange(list.Items);
                hasMore |= list.Next is not null;
            }
        }

        var rows = found.Take(Most).Select(one => Html.Of($"""
            <tr><th scope="row">{Page.Instance(one.Id)}</th><td>{Page.State(one.State)}</td>
            <td>{Page.Definition(one.Definition, one.Version)}</td><td>{Page.Text(one.CorrelationKey)}</td>
            <td>{Page.Time(one.CreatedUtc)}</td><td>{Page.Text(one.Error?.Message is { } message
                ? Page.Cut(message, 200) : null)}</td></tr>

            """)).ToList();
        await AskAsync(
            context, "/ui/instances", path, action, "instances", [.. found.Take(Most).Select(one => one.Id)],
            hasMore,
            Page.Table(
                "Instances that match, times in UTC",
                ["Instance", "State", "Definition", "Correlation key", "Created", "Error"], rows,
                "No instance matches the filter and is in a state for this."));
    }

    private async Task AskDeadLettersAsync(HttpContext context)
    {
        var query = DeadLetterPages.Bounded(
            RequestValues.NewestDeadLetters(RequestValues.Given(context.Request.Query)) with
            {
                Replayed = false, Limit = Most,
            });
        var list = await engine.ListDeadLettersAsync(query, context.RequestAborted);
        var rows = list.Items.Select(one => Html.Of($"""
            <tr><th scope="row">{Page.Id("/ui/dead-letters", one.Id)}</th><td>{Page.Word(one.Kind)}</td>
            <td>{Page.Instance(one.InstanceId)}</td><td>{Page.Text(Page.Cut(one.Reason, 200))}</td></tr>

            """)).ToList();
        await AskAsync(
            context, "/ui/dead-letters", Replay, "Replay", "dead letters", [.. list.Items.Select(one => one.Id)],
            list.Next is not null,
            Page.Table(
                "Dead letters, newest first", ["Dead letter", "Kind", "Instance", "Reason"], rows,
                "No open dead letter matches the filter."));
    }

    private static Task AskAsync(
        HttpContext context, string section, string path, string action, string what, IReadOnlyList<Guid> ids,
        bool hasMore, Html table) => Page.WriteAsync(
        context, section, $"{action} {Page.Count(ids.Count)} {what}", Html.Of($"""
            {Html.If(hasMore, $"""
                <p class="cut">More may match the filter. These are the newest {Page.Count(ids.Count)} that were
                found.</p>
                """)}
            {Html.If(ids.Count > 0 && Page.MayAct(context), $"""
                <form class="panel" method="post" action="{path}">{Form.Once}
                <input type="hidden" name="ids" value="{string.Join(' ', ids)}">
                <p>The action concerns those that are listed here, and reports the outcome of each. It has one effect on
                each, however often it is sent.</p>
                <p><button class="danger">{action} {Page.Count(ids.Count)} {what}</button></p></form>
                """)}
            {table}
            """));

    private static async Task RunAsync(
        HttpContext context, Form form, string section, string action,
        Func<IReadOnlyList<Guid>, string?, Task<BulkReport>> run)
    {
        var report = await run(Ids(form), form.IdempotencyKey);
        var rows = report.Items.OrderBy(item => item.Outcome is BulkOutcome.Done or BulkOutcome.Unchanged)
            .Select(item => Html.Of($"""
                <tr><th scope="row">{Page.Id(section, item.Id)}</th><td>{Outcome(item.Outcome)}</td>
                <td>{Page.Text(item.Detail is { } detail ? Page.Cut(detail, 500) : null)}</td></tr>

                """)).ToList();
        var done = report.Items.Count(item => item.Outcome is BulkOutcome.Done or BulkOutcome.Unchanged);
        await Page.WriteAsync(context, section, $"{action}: report", Html.Of($"""
            <p class="{(done == report.Items.Count ? "done" : "error")}" role="status">{Page.Count(done)} of {
                Page.Count(report.Items.Count)} are done.</p>
            {Page.Table("Items, those that are not done first", ["Item", "Outcome", "Reason"], rows, "None.")}
            <p>{Page.Link(section, "Back to the list")}</p>
            """));
    }

    private static Html Outcome(BulkOutcome outcome) => Page.Badge(Page.Word(outcome), outcome switch
    {
        BulkOutcome.Done or BulkOutcome.Unchanged => "good",
        BulkOutcome.Refused => "bad",
        _ => "unsure",
    });

    private static List<Guid> Ids(Form form)
    {
        var ids = new List<Guid>();
        foreach (var text in form.Required("ids", "ids").Split(' '))
        {
            ids.Add(Guid.TryParseExact(text, "D", out var id) && ids.Count < Most
                ? id
                : throw new ProblemException(new Problem(
                    StatusCodes.Status400BadRequest, "field-invalid",
                    $"The field 'ids' holds up to {Most} ids, separated by spaces: '{Page.Cut(text, 40)}'.")));
        }

        return ids;
    }
}
