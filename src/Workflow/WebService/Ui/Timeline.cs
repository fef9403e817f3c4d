using Workflow.Contracts.Instances;

namespace Workflow.WebService.Ui;

/// <summary>Draws the history of an instance over time: a row for each step with its waits, retries and ends.</summary>
internal sealed class Timeline
{
    /// <summary>Bars and marks of a page; a longer history is drawn up to there.</summary>
    private const int MostMarks = 400;

    private readonly List<Row> _rows = [];
    private readonly DateTimeOffset _begin;
    private readonly DateTimeOffset _end;
    private int _marks;

    private Timeline(DateTimeOffset begin, DateTimeOffset end) => (_begin, _end) = (begin, end);

    /// <param name="now">Where the bars of a live instance end.</param>
    public static Html Of(InstanceView one, IReadOnlyList<HistoryEntry> history, DateTimeOffset now)
    {
        if (history.Count == 0)
        {
            return Html.Nothing;
        }

        var isLive = one.State is InstanceState.Running or InstanceState.Waiting or InstanceState.Suspended;
        var last = history[^1].AtUtc;
        var timeline = new Timeline(history[0].AtUtc, isLive && now > last ? now : last);
        var drawn = history.TakeWhile(timeline.Add).Count();
        return timeline.Draw(drawn < history.Count);
    }

    /// <returns>False if the page has as many marks as it may have.</returns>
    private bool Add(HistoryEntry entry)
    {
        if (_marks >= MostMarks)
        {
            return false;
        }

        var name = entry.Step ?? "";
        var row = _rows.Find(row => row.Step == name);
        if (row is null)
        {
            _rows.Add(row = new(name));
        }

        var isFailure = IsFailure(entry.Event);
        if (entry.Event is not ("assigned" or "branched" or "called"))
        {
            row.Close(entry.AtUtc);
        }

        row.Marks.Add(new(entry.AtUtc, entry.AtUtc, isFailure ? "bad" : "point", Words(entry)));
        _marks++;
        if (Opened(entry.Event) is { } kind)
        {
            row.Open = new(entry.AtUtc, _end, kind, Words(entry));
            _marks++;
        }

        if (isFailure)
        {
            row.Failures++;
            row.LastError = entry.Detail ?? row.LastError;
        }

        return true;
    }

    public static bool IsFailure(string what) =>
        what == "failed" || what.EndsWith("Failed", StringComparison.Ordinal);

    /// <summary>What lasts from the event to the next of the step; null if nothing does.</summary>
    private static string? Opened(string what) => what switch
    {
        "waiting" => "wait",
        "attemptFailed" => "retry",
        "entered" => "inside",
        "suspended" => "held",
        _ => null,
    };

    private static string Words(HistoryEntry entry) =>
        entry.Detail is { } detail ? $"{entry.Event}: {Page.Cut(detail, 160)}" : entry.Event;

    private Html Draw(bool isCut)
    {
        _rows.ForEach(row => row.Close(_end));
        return Html.Of($"""
            <figure class="timeline">
            {_rows.Select(DrawRow)}
            <figcaption>{Page.Time(_begin)} to {Page.Time(_end)} (UTC), {Elapsed(_end - _begin)}.
            <span class="key wait">waits or works</span> <span class="key retry">waits for the next attempt</span>
            <span class="key inside">inside the sub-process</span> <span class="key held">suspended</span>
            <span class="key bad">failed</span>{
                Html.If(isCut, $" The history is longer; the table has its end.")}</figcaption>
            </figure>
            """);
    }

    private Html DrawRow(Row row) => Html.Of($"""
        <div class="lane"><span class="step">{(row.Step.Length > 0 ? row.Step : "Instance")}</span>
        <svg role="img" aria-label="{Description(row)}" width="100%" height="18">{
            row.Marks.OrderBy(mark => mark.IsPoint).Select(DrawMark)}</svg>
        {Html.If(row.Failures > 0, $"""
            <span class="why">{row.Failures} failed{Html.If(row.LastError is not null, $"; the last: {
                Page.Cut(row.LastError ?? "", 200)}")}</span>
            """)}</div>

        """);

    private Html DrawMark(Mark mark)
    {
        var x = Place(mark.From);
        var width = Math.Max(0.2, Place(mark.To) - x);
        return mark.IsPoint
            ? Html.Of($"""
                <rect class="{mark.Kind}" x="{x:0.##}%" y="1" width="3" height="16"><title>{mark.Words}</title></rect>
                """)
            : Html.Of($"""
                <rect class="{mark.Kind}" x="{x:0.##}%" y="4" width="{width:0.##}%" height="10">
                <title>{mark.Words}, {Elapsed(mark.To - mark.From)}</title></rect>
                """);
    }

    /// <summary>Percent from the left. The last mark needs room, too.</summary>
    private double Place(DateTimeOffset at) =>
        _end > _begin ? 99 * Math.Clamp((at - _begin) / (_end - _begin), 0, 1) : 0;

    private static string Description(Row row) => Page.Cut(
        string.Join("; ", row.Marks.Select(mark => mark.IsPoint ? mark.Words : Elapsed(mark.To - mark.From))), 400);

    private static string Elapsed(TimeSpan time) => time switch
    {
        { TotalSeconds: < 1 } => string.Create(CultureInfo.InvariantCulture, $"{time.TotalMilliseconds:0.#} ms"),
        { TotalMinutes: < 1 } => string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.#} s"),
        { TotalDays: < 1 } => time.ToString(@"h\:mm\:ss", CultureInfo.InvariantCulture) + " h",
        _ => string.Create(CultureInfo.InvariantCulture, $"{time.TotalDays:0.#} days"),
    };

    /// <summary>A bar from one event to the next of the step, or the mark of one event.</summary>
    private sealed record Mark(DateTimeOffset From, DateTimeOffset To, string Kind, string Words)
    {
        public bool IsPoint => Kind is "bad" or "point";
    }

    private sealed class Row(string step)
    {
        public string Step => step;
        public List<Mark> Marks { get; } = [];
        public Mark? Open { get; set; }
        public int Failures { get; set; }
        public string? LastError { get; set; }

        public void Close(DateTimeOffset at)
        {
            if (Open is { } open)
            {
                Marks.Add(open with { To = at });
                Open = null;
            }
        }
    }
}
