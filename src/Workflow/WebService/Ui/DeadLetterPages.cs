using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.DeadLetters;
using Workflow.WebService.Requests;

namespace Workflow.WebService.Ui;

/// <summary>Work that could not be applied, with the evidence.</summary>
internal sealed class DeadLetterPages(IWorkflowEngine engine)
{
    private const string Section = "/ui/dead-letters";

    public void Map(Pages pages)
    {
        pages.Get(Section, ListAsync);
        pages.Get("/ui/dead-letters/{id}", ShowAsync);
        pages.Post("/ui/dead-letters/{id}/replay", ReplayAsync, ShowAsync);
    }

    private async Task ListAsync(HttpContext context)
    {
        var given = RequestValues.Given(context.Request.Query);
        var query = RequestValues.NewestDeadLetters(given);
        var list = await engine.ListDeadLettersAsync(
            Bounded(query) with { Limit = Listing.Asked }, context.RequestAborted);
        var page = Listing.Of(list.Items, list.Next, one => one.Id, query.After, query.Before);
        var count = await page.CountAsync("dead letter", most => engine.CountDeadLettersAsync(
            query with { After = null, Before = null, NewestFirst = true }, most, context.RequestAborted));
        var rows = page.Rows.Select(one => Html.Of($"""
            <tr><th scope="row">{Page.Id(Section, one.Id)}</th><td>{Page.Word(one.Kind)}</td>
            <td>{Page.Instance(one.InstanceId)}</td><td>{Page.Text(Page.Cut(one.Reason, 200))}</td>
            <td class="number">{one.Attempts}</td><td>{Page.Time(one.CreatedUtc)}</td>
            <td>{Page.Time(one.ReplayedUtc)}</td></tr>

            """)).ToList();
        await Page.WriteAsync(context, Section, "Dead letters", Html.Of($"""
            {Page.Filter(Section, Page.Choice("state", "State", given, ["open", "replayed"]),
                Page.Choice("kind", "Kind", given, Enum.GetValues<DeadLetterKind>().Select(Page.Word).Prepend("any")),
                Page.Field("instance", "Instance", given))}
            {Page.Live(engine.EndOfEvents)}
            <div id="list">
            {count}
            {Page.Table("Accepted work that could not be applied, newest first, times in UTC",
                ["Dead letter", "Kind", "Instance", "Reason", "#Attempts", "Created", "Replayed"],
                rows, "There is none.")}
            {page.Paging(Section, given, "state", "kind", "instance")}
            </div>
            {(Page.MayAct(context) && page.Rows.Count > 0 ? BulkPages.OfDeadLetters(given) : Html.Nothing)}
            """), script: true);
    }

    /// <summary>An index leads to the open ones; a query by anything else looks at a limited number.</summary>
    public static DeadLetterQuery Bounded(DeadLetterQuery query) =>
        query.Replayed || query.Kind is not null || query.InstanceId is not null
            ? query with { MostExamined = Listing.MostExamined }
            : query;

    private async Task ShowAsync(HttpContext context)
    {
        RequestValues.OnlyKnown(context.Request.Query, "done");
        var id = Id(context);
        var cancel = context.RequestAborted;
        var one = await FindAsync(id, replayed: false, cancel) ?? await FindAsync(id, replayed: true, cancel)
            ?? throw new DeadLetterNotFoundException(id);
        var (state, style) = one.ReplayedUtc is null ? ("open", "bad") : ("replayed", "good");
        var json = Url.Of("/dead-letters", ("state", state), ("after", $"{IdBounds.Before(id)}"), ("limit", "1"));
        await Page.WriteAsync(context, Section, $"Dead letter: {Page.Word(one.Kind)}", Html.Of($"""
            {Page.Done(context, ("applied", one.ReplayedUtc is not null, "It is applied."),
                ("void", one.ReplayedUtc is not null, "Its target has ended: it was closed without an effect."))}
            {Page.Facts(
                ("Dead letter", Html.Of($"<code>{id}</code> {Page.Badge(state, style)}")),
                ("Instance", Page.Instance(one.InstanceId)),
                ("Attempts", Html.Of($"{one.Attempts}")), ("Created (UTC)", Page.Time(one.CreatedUtc)),
                ("Last attempt (UTC)", Page.Time(one.LastAttemptUtc)), ("Replayed (UTC)", Page.Time(one.ReplayedUtc)),
                ("As", Page.Link(json, "JSON")))}
            <h2>Reason</h2>
            <p class="error"><bdi>{Page.Cut(one.Reason, 4_000)}</bdi></p>
            {Html.If(one.ReplayedUtc is null && Page.MayAct(context), $"""
                <form class="panel" method="post" action="{Section}/{id}/replay">
                <p>A replay tries the work again. It takes effect once, however often it is sent.</p>
                <p><button>Replay</button></p></form>
                """)}
            <h2>Payload</h2>
            {Page.Json(one.Payload)}
            """));
    }

    /// <summary>The list has no other door to one of them: it is the first after the id before its own.</summary>
    private async Task<DeadLetter?> FindAsync(Guid id, bool replayed, CancellationToken cancellationToken)
    {
        var query = new DeadLetterQuery { Replayed = replayed, After = IdBounds.Before(id), Limit = 1 };
        var list = await engine.ListDeadLettersAsync(query, cancellationToken);
        return list.Items.FirstOrDefault(one => one.Id == id);
    }

    private async Task ReplayAsync(HttpContext context, Form form)
    {
        var id = Id(context);
        var replayed = await engine.ReplayDeadLetterAsync(id, CancellationToken.None);
        await Page.RedirectAsync(context, $"{Section}/{id}?done={(replayed.Applied ? "applied" : "void")}");
    }

    private static Guid Id(HttpContext context) => RequestValues.DeadLetterId($"{context.Request.RouteValues["id"]}");
}
