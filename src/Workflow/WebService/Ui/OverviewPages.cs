using Workflow.Abstractions;
using Workflow.Abstractions.Notifications;
using Workflow.WebService.Description;
using Workflow.WebService.Endpoints;
using Workflow.WebService.Problems;
using Workflow.WebService.Requests;

namespace Workflow.WebService.Ui;

/// <summary>How the service is, how much its lanes have to do, and what happens.</summary>
internal sealed class OverviewPages(IWorkflowEngine engine, Readiness readiness, TimeProvider timeProvider)
{
    private const string Load = "/ui/load";
    private const string Events = "/ui/events";

    /// <summary>Events that the page of events looks back.</summary>
    private const int MostEvents = 200;

    private static readonly TimeSpan ReadDeadline = TimeSpan.FromSeconds(2);
    private readonly LoadSamples _samples = new(engine, timeProvider);

    public void Map(Pages pages)
    {
        pages.Get("/ui", OverviewAsync);
        pages.Get(Load, LoadAsync);
        pages.Get(Events, EventsAsync);
    }

    private async Task OverviewAsync(HttpContext context)
    {
        RequestValues.OnlyKnown(context.Request.Query);
        var now = engine.Statistics;
        var standing = await StandingAsync(now, context.RequestAborted);
        await Page.WriteAsync(context, "/ui", "Overview", Html.Of($"""
            {standing}
            <ul class="tiles">
            {Tile("/ui/instances?state=waiting", now.LiveInstances, "live instances")}
            {Tile(Load, now.ResidentInstances ?? now.LiveInstances, "resident: in memory")}
            {Tile(Load, now.DormantInstances ?? 0, "dormant: in the store alone")}
            {Tile("/ui/instances?state=failed", now.Failed, "failed since the start")}
            {Tile("/ui/instances?state=completed", now.Completed, "completed since the start")}
            {Tile("/ui/tasks", now.OpenTasks, "open tasks")}
            {Tile("/ui/dead-letters", now.DeadLetters, "open dead letters")}
            {Tile(Load, now.PendingCommands, "pending commands")}
            </ul>
            {Html.If(Page.MayAct(context), $"""
                <p>{Page.Link("/ui/definitions", "Start an instance")} ·
                {Page.Link("/ui/register", "Register a definition or a BPMN file")} ·
                {Page.Link(SignalPage.Address, "Send a signal")}</p>
                """)}
            <p class="nothing">Figures of this node{Html.If(
                now.Cluster is not null, $" alone; lists show what all nodes have")}.
            As <a href="/metrics">metrics</a>. <a href="{ApiPage.Address}">The API</a>, and its
            <a href="{ApiDescription.Address}">description</a>.</p>
            """));
    }

    private static Html Tile(string url, long count, string what) => Html.Of(
        $"<li><a href=\"{url}\"><b>{Page.Count(count)}</b> {what}</a></li>\n");

    private async Task<Html> StandingAsync(EngineStatistics now, CancellationToken cancellationToken)
    {
        Html readinessNow;
        try
        {
            await readiness.CheckAsync(cancellationToken);
            readinessNow = Page.Badge("ready", "good");
        }
        catch (ProblemException e)
        {
            readinessNow = Html.Of($"{Page.Badge("not ready", "bad")} {e.Problem.Detail}");
        }

        return Page.Facts(
            ("Readiness", readinessNow), ("Node", Page.Text(now.Cluster?.NodeName)),
            ("Live nodes", now.Cluster is { } node ? Html.Of($"{node.LiveNodes}") : Html.Nothing),
            ("Lanes", Html.Of($"{now.Lanes}")),
            ("Lanes of this node", Page.Text(now.Cluster is { } owner ? string.Join(", ", owner.OwnedLanes) : null)));
    }

    private async Task LoadAsync(HttpContext context)
    {
        RequestValues.OnlyKnown(context.Request.Query);
        var now = engine.Statistics;
        var (since, seconds) = _samples.Since();
        var uptime = _samples.Uptime.TotalSeconds;
        var recent = now.Since(since);
        var standing = await StandingAsync(now, context.RequestAborted);
        await Page.WriteAsync(context, Load, "Load", Html.Of($"""
            {standing}
            <h2>Lanes</h2>
            {Page.Table("Lanes of this node, since it has them", [
                "Lane", "#Pending commands", "#In the flush in flight", "#Live instances", "#Instances in flight",
                "#Open tasks", "#Buffered signals", "#Dead letters", "#Commands per flush", "#Flushes",
                "#Failed flushes", "#Read again", "#Stalled,\u00a0s"],
                [.. engine.LaneStatistics.Select(Lane)], "This node has no lane.")}
            <h2>Flushes</h2>
            {Page.Table("Of this node's lanes together", ["What", $"#In the last {seconds:0} s", "#Since the start"],
            [
                Row("Commands per flush (batch size)",
                    Ratio(recent.FlushedCommands, recent.Flushes), Ratio(now.FlushedCommands, now.Flushes)),
                Row("Flushes per second", Ratio(recent.Flushes, seconds), Ratio(now.Flushes, uptime)),
                Row("Commits per second", Ratio(recent.Commits ?? 0, seconds), Ratio(now.Commits ?? 0, uptime)),
                Row("Instances in flight, on average",
                    Ratio(recent.InFlightSeconds, seconds), Ratio(now.InFlightSeconds, uptime)),
                Row("Failed flushes", Page.Count(recent.FailedFlushes), Page.Count(now.FailedFlushes)),
                Row("Lanes read again", Page.Count(recent.LaneReloads ?? 0), Page.Count(now.LaneReloads ?? 0)),
                Row("Refused commands", Page.Count(recent.RejectedCommands), Page.Count(now.RejectedCommands)),
            ], "")}
            <h2>All figures</h2>
            {Page.Table("Figures of this node, as /metrics has them", ["Figure", "#Value", "Meaning"],
                [.. EngineCounters.All.Select(counter => Figure(counter, now)).Where(row => !row.IsEmpty)], "")}
            <p><a href="{Load}">Look again</a></p>
            """));
    }

    private static Html Row(string what, string recent, string total) => Html.Of(
        $"<tr><th scope=\"row\">{what}</th><td class=\"number\">{recent}</td><td class=\"number\">{total}</td></tr>\n");

    private static string Ratio(double count, double by) =>
        by > 0 ? (count / by).ToString("N1", CultureInfo.InvariantCulture) : "-";

    private static Html Lane(LaneStatistics lane) => Html.Of($"""
        <tr><th scope="row">{lane.Lane}</th>{new double[]
        {
            lane.PendingCommands, lane.FlushingCommands, lane.LiveInstances, lane.InFlight, lane.OpenTasks,
            lane.BufferedSignals, lane.DeadLetters,
            lane.Flushes > 0 ? (double)lane.FlushedCommands / lane.Flushes : 0,
            lane.Flushes, lane.FailedFlushes, lane.Reloads, lane.StalledSeconds,
        }.Select(figure => Html.Of($"<td class=\"number\">{figure:#,0.#}</td>"))}</tr>

        """);

    private static Html Figure(EngineCounter counter, EngineStatistics now) => counter.Read(now) is not { } value
        ? Html.Nothing
        : Html.Of($"""
            <tr><th scope="row"><code>{counter.Metric}</code></th><td class="number">{value:#,0.###}</td>
            <td>{counter.Help}</td></tr>

            """);

    private async Task EventsAsync(HttpContext context)
    {
        var given = RequestValues.Given(context.Request.Query);
        RequestValues.OnlyKnown(given, "definition");
        var definition = given["definition"].ToString();
        var end = engine.EndOfEvents;
        var found = await ReadAsync(end, context.RequestAborted);
        var rows = found.Where(one => definition.Length == 0 || one.Definition == definition).Select(one => Html.Of($"""
            <tr><td>{Page.Time(one.Timestamps.ExecutedUtc)}</td><th scope="row">{Page.Text(one.Type)}</th>
            <td>{(one.Definition is { } name ? Page.Definition(name, one.DefinitionVersion) : Html.Nothing)}</td>
            <td>{Page.Instance(one.InstanceId)}</td><td>{Page.Text(one.CorrelationKey)}</td></tr>

            """)).ToList();
        if (rows.Count == 0)
        {
            rows = [Html.Of($"<tr class=\"none\"><td colspan=\"5\">None.</td></tr>")];
        }

        await Page.WriteAsync(context, Events, "Events", Html.Of($"""
            {Page.Filter(Events, Page.Field("definition", "Definition", given))}
            {Page.Live(end, definition)}
            {Page.Table("Events, newest first, times in UTC",
                ["At", "Event", "Definition", "Instance", "Correlation key"], rows, "")}
            <p class="nothing">Of the last {MostEvents} events that are kept.
            <noscript>Load the page again for newer ones.</noscript></p>
            """), script: true);
    }

    /// <summary>
    /// The newest events, newest first, whatever lanes they are of; what is not read within a moment is left out.
    /// </summary>
    private async Task<List<Contracts.Events.IntegrationEvent>> ReadAsync(
        EventPosition end, CancellationToken cancellationToken)
    {
        // No more than are shown are held: they may be large, and are read of up to as many in each lane.
        var newest = new PriorityQueue<Contracts.Events.IntegrationEvent, (DateTimeOffset ExecutedUtc, int Read)>();
        var lanes = Enumerable.Range(0, NotificationQueue.MaxLanes).Where(lane => end[lane] > 0).ToList();
        var begin =
            lanes.Aggregate(EventPosition.Start, (from, lane) => from.With(lane, Math.Max(0, end[lane] - MostEvents)));
        if (!begin.Reaches(end))
        {
            using var deadline = new CancellationTokenSource(ReadDeadline, timeProvider);
            using var either = CancellationTokenSource.CreateLinkedTokenSource(deadline.Token, cancellationToken);
            try
            {
                var read = 0;
                await foreach (var one in engine.ReadEventsAsync(begin, either.Token))
                {
                    newest.Enqueue(one.Event, (one.Event.Timestamps.ExecutedUtc, read++));
                    if (newest.Count > MostEvents)
                    {
                        newest.Dequeue();
                    }

                    if (one.Position.Reaches(end) || read >= MostEvents * 2 * lanes.Count)
                    {
                        break;
                    }
                }
            }
            catch (OperationCanceledException) when (deadline.IsCancellationRequested)
            {
                // Some of them are not kept any more, and nothing has happened since.
            }
        }

        return [.. newest.UnorderedItems.OrderByDescending(one => one.Priority).Select(one => one.Element)];
    }
}
