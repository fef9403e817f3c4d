using System.Buffers.Binary;
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
        var query = RequestValues.DeadLetters(given) with { Limit = Page.Rows };
        var list = await engine.ListDeadLettersAsync(query, context.RequestAborted);
        var rows = list.Items.Select(one => Html.Of($"""
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
            {Page.Table("Accepted work that could not be applied, oldest first, times in UTC",
                ["Dead letter", "Kind", "Instance", "Reason", "#Attempts", "Created", "Replayed"],
                rows, "There is none.")}
            {Page.Paging(Section, given, list.Next, ["state", "kind", "instance"])}
            </div>
            {(Page.MayAct(context) && list.Items.Count > 0 ? BulkPages.OfDeadLetters(given) : Html.Nothing)}
            """), script: true);
    }

    private async Task ShowAsync(HttpContext context)
    {
        RequestValues.OnlyKnown(context.Request.Query, "done");
        var id = Id(context);
        var cancel = context.RequestAborted;
        var one = await FindAsync(id, replayed: false, cancel) ?? await FindAsync(id, replayed: true, cancel)
            ?? throw new DeadLetterNotFoundException(id);
        var (state, style) = one.ReplayedUtc is null ? ("open", "bad") : ("replayed", "good");
        var json = Url.Of("/dead-letters", ("state", state), ("after", $"{Before(id)}"), ("limit", "1"));
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
